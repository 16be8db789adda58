"""Where a search keeps what does not fit into memory."""

from __future__ import annotations

import os
from pathlib import Path

from mule.errors import MuleError

IN_MEMORY = frozenset({"tmpfs", "ramfs"})
"""File systems whose files take the memory that was to be saved."""


def spill_directory(asked: str | None) -> str:
    """The directory that the user names, or one for temporary files that is on a disk; empty: there is none."""
    if asked is not None:
        if not _is_writable(asked):
            raise MuleError(f"--spill {asked!r}: this is no directory in which files can be made")
        return asked
    candidates = [os.environ.get("TMPDIR", ""), "/var/tmp", "/tmp"]
    return next((each for each in candidates if each and _is_writable(each) and not _in_memory(each)), "")


def _is_writable(directory: str) -> bool:
    return os.path.isdir(directory) and os.access(directory, os.W_OK | os.X_OK)


def _in_memory(directory: str) -> bool:
    """Where it is not known, it is not."""
    try:
        path = Path(directory).resolve()
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    except OSError:
        return False
    above = [fields for fields in mounts if path.is_relative_to(fields[1])]
    return bool(above) and max(above, key=lambda fields: len(fields[1]))[2] in IN_MEMORY
