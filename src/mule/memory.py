"""How much memory a search may take when nobody says."""

from __future__ import annotations

import os
from pathlib import Path

_SHARE = 0.85


def available_memory() -> int:
    """Most of what the machine, or the control group that this process lives in, has left."""
    limits = [_machine_memory(), *_control_group_memory()]
    return int(min(limits) * _SHARE)


def _machine_memory() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _control_group_memory() -> list[int]:
    try:
        limit = int(Path("/sys/fs/cgroup/memory.max").read_text())
        used = int(Path("/sys/fs/cgroup/memory.current").read_text())
    except (OSError, ValueError):
        return []
    return [max(limit - used, 0)]
