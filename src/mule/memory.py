"""How much memory a search may take when nobody says."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

from mule.errors import said

_SHARE = 0.85
"""Of what is left, for the states of a search."""


def available_memory(root: Path = Path("/")) -> int:
    """Most of what is left."""
    return int(left_memory(root) * _SHARE)


def left_memory(root: Path = Path("/")) -> int:
    """What the machine, the control groups that this process lives in, and the limit on its address space have left.
    `root`: where /proc and /sys are."""
    return min([_machine_memory(root), *_control_group_memory(root), *_address_space(root)])


def _machine_memory(root: Path) -> int:
    try:
        for line in (root / "proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _control_group_memory(root: Path) -> Iterator[int]:
    """Of both versions; a group above may allow less than the one of this process."""
    for group, limit, used in _control_groups(root):
        try:
            yield max(int((group / limit).read_text()) - _used(group, used), 0)
        except (OSError, ValueError):
            continue  # "max", or not there


def _control_groups(root: Path) -> Iterator[tuple[Path, str, str]]:
    """The folders of the groups, from the outermost one on, and their files with the limit and with what is used."""
    mounted = root / "sys/fs/cgroup"
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        lines = ["0::/"]
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if number == "0":
            base, limit, used = mounted, "memory.max", "memory.current"
        elif "memory" in controllers.split(","):
            base, limit, used = mounted / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
        else:
            continue
        # In a container the path may be that of the host, and the folder of its own group is the outermost one.
        for depth in range(len(parts := [part for part in path.split("/") if part]) + 1):
            yield base.joinpath(*parts[:depth]), limit, used


def _used(group: Path, used: str) -> int:
    """Without the pages of files, which the kernel gives up when memory is asked for."""
    bytes_used = int((group / used).read_text())
    try:
        for line in (group / "memory.stat").read_text().splitlines():
            name, value = line.split()
            if name in ("inactive_file", "total_inactive_file"):
                return max(bytes_used - int(value), 0)
    except (OSError, ValueError):
        pass
    return bytes_used


def _address_space(root: Path) -> Iterator[int]:
    limit = address_space_limit()
    if limit is not None:
        yield max(limit - used_memory(root)[0], 0)


def address_space_limit() -> int | None:
    """What `ulimit -v` allows; None: no limit."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def used_memory(root: Path = Path("/")) -> tuple[int, int]:
    """The address space that the process takes, and what it holds in memory, in bytes."""
    try:
        with open(root / "proc/self/statm", "rb") as file:
            size, resident = file.read().split()[:2]
        return int(size) * resource.getpagesize(), int(resident) * resource.getpagesize()
    except (OSError, ValueError):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        most = most if sys.platform == "darwin" else most * 1024
        return most, most


def require_room(bytes_needed: int) -> None:
    """Before a library that ends the program when an allocation fails."""
    limit = address_space_limit()
    if limit is not None and limit - used_memory()[0] < bytes_needed:
        raise MemoryError


_LOADING = ("cannot allocate memory", "failed to map segment", "out of memory", "can't start new thread")
"""What systems say when a library or a thread has no room."""
_LITTLE = 48 * 2**20
"""Address space that libraries need at once: with less, what goes wrong goes wrong because of it."""


def lacks_memory(error: BaseException | None) -> bool:
    """Whether an error that nobody expects comes from that: not all libraries say so."""
    while error is not None:
        text = said(error).lower()
        if isinstance(error, MemoryError) or any(each in text for each in _LOADING):
            return True
        error = error.__cause__ or error.__context__
    return any(left < _LITTLE for left in _address_space(Path("/")))
