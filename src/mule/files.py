"""Files that Mule writes."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from mule.errors import MuleError, Place

UNFINISHED = ".part"
"""How the name of a file ends that is not whole yet."""


def require_writable(path: str | Path) -> None:
    """Before long work of which the file is to tell."""
    target = Path(path)
    folder = target.parent
    if not folder.is_dir():
        raise MuleError(f"there is no folder {folder}", Place(str(path)))
    if target.is_dir():
        raise MuleError("this is a folder", Place(str(path)))
    if not os.access(folder, os.W_OK):
        raise MuleError(f"the folder {folder} cannot be written to", Place(str(path)))


@contextmanager
def written_whole(path: str | Path) -> Iterator[IO[bytes]]:
    """The file as a whole or not at all: see `replacing`."""
    with replacing(path) as partial, partial.open("w+b") as file:
        yield file


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """An empty file, which takes the place of `path` when it is written; if anything ends the writing, nothing is left
    of it. No other file is touched: a link in its place is replaced, not followed, and a device is refused. The name of
    what is not finished yet cannot be guessed."""
    target = Path(path)
    with suppress(FileNotFoundError):
        kind = target.lstat().st_mode
        if not stat.S_ISREG(kind) and not stat.S_ISLNK(kind):
            raise OSError(None, "there is something else than a file under this name")
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=UNFINISHED, dir=target.parent)
    try:
        os.fchmod(descriptor, 0o666 & ~_umask())
        yield Path(name)
        os.fsync(descriptor)
        os.replace(name, target)
        _sync(target.parent)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise
    finally:
        os.close(descriptor)


def _sync(directory: Path) -> None:
    """A new name is on the disk only when its directory is."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    """Nobody can ask for it without setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
