"""How many processors a search may use when nobody says."""

from __future__ import annotations

import os
from math import ceil
from pathlib import Path


def available_cores() -> int:
    """Those that this process may run on, and no more than its control group has a share of."""
    limits = [len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1]
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        limits.append(max(ceil(int(quota) / int(period)), 1))
    except (OSError, ValueError):  # no control group, or one without a limit: "max"
        pass
    return min(limits)
