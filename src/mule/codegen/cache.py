"""Machine code that earlier runs have compiled. It is run as it is, so it must be our own: the folder belongs to this
user and nobody else can write to it, and each file is signed with a secret that only this user can read."""

from __future__ import annotations

import contextlib
import hmac
import os
import stat
import time
from functools import cache
from pathlib import Path

_SECRET = ".secret"
_SECRET_BYTES = 32
_SIGNATURE_BYTES = 32
_MOST_CACHED = 500
_UNFINISHED = ".part"
_LEFT_OVER = 3600.0
"""Seconds after which nobody is going to finish a file."""


def read(key: str) -> bytes | None:
    """What an earlier run compiled, unless the file is damaged or not ours."""
    directory = _trusted()
    if directory is None:
        return None
    try:
        content = (directory / f"{key}.o").read_bytes()
        signature, code = content[:_SIGNATURE_BYTES], content[_SIGNATURE_BYTES:]
        return code if hmac.compare_digest(signature, _signature(directory, key, code)) else None
    except OSError:
        return None


def write(key: str, code: bytes) -> None:
    """Best effort: a cache that cannot be written costs time, nothing else."""
    directory = _trusted()
    if directory is None:
        return
    with contextlib.suppress(OSError):
        import tempfile  # which takes longer to load than a small model to compile

        descriptor, partial = tempfile.mkstemp(dir=directory, suffix=_UNFINISHED)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(_signature(directory, key, code) + code)
            os.replace(partial, directory / f"{key}.o")
        except BaseException:
            os.unlink(partial)
            raise
        _prune(directory)


def place() -> Path:
    """Where compiled models are kept; OSError where there is no such place."""
    base = os.environ.get("MULE_CACHE_DIR")
    if base:
        return Path(base)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mule"
    except RuntimeError as error:
        raise OSError("this user has no home directory") from error


def _trusted() -> Path | None:
    """The folder, if it can be used."""
    try:
        directory = place()
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = directory.stat()
    except OSError:
        return None
    if facts.st_uid != os.geteuid() or facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        _say_that_it_is_not_used(directory)
        return None
    return directory


@cache
def _say_that_it_is_not_used(directory: Path) -> None:
    """Once."""
    import logging  # which most runs have no use for

    why = "it belongs to somebody else, or others can write to it"
    logging.getLogger("mule").warning("mule: the cache %s is not used: %s (chmod 700)", directory, why)


def _signature(directory: Path, key: str, code: bytes) -> bytes:
    return hmac.digest(_secret(directory), key.encode() + b"\0" + code, "sha256")


def _secret(directory: Path) -> bytes:
    """Made by the first run. OSError if somebody else has made it, or can read it."""
    file = directory / _SECRET
    with contextlib.suppress(FileExistsError):
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as made:
            made.write(os.urandom(_SECRET_BYTES))
    with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW), "rb") as kept:
        facts = os.fstat(kept.fileno())
        secret = kept.read()
    if facts.st_uid != os.geteuid() or facts.st_mode & 0o077 or len(secret) != _SECRET_BYTES:
        raise OSError("this is no secret")
    return secret


def _prune(directory: Path) -> None:
    """Keep the cache small: the oldest files go first, and what nobody has finished."""
    files = sorted(directory.glob("*.o"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files[_MOST_CACHED:]:
        file.unlink(missing_ok=True)
    for file in directory.iterdir():
        unfinished = file.suffix == _UNFINISHED or file.name.startswith("tmp")
        if unfinished and time.time() - file.stat().st_mtime > _LEFT_OVER:
            file.unlink(missing_ok=True)
