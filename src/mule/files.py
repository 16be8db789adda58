"""Files that Mule writes."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def written_whole(path: str | Path) -> Iterator[IO[bytes]]:
    """The file as a whole or not at all, whatever ends the writing; and no other file: a link in its place is replaced,
    not followed, and a device is refused. The name of what is not finished yet cannot be guessed."""
    target = Path(path)
    with suppress(FileNotFoundError):
        kind = target.lstat().st_mode
        if not stat.S_ISREG(kind) and not stat.S_ISLNK(kind):
            raise OSError(None, "there is something else than a file under this name")
    descriptor, partial = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            os.fchmod(descriptor, 0o666 & ~_umask())
            yield file
            file.flush()
            os.fsync(descriptor)
        os.replace(partial, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(partial)
        raise


def _umask() -> int:
    """Nobody can ask for it without setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
