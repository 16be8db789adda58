"""Running SPIN: model → C → verifier → figures. SPIN and a C compiler must be installed; Mule itself needs neither."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from mule.errors import MuleError


@dataclass(frozen=True, slots=True)
class SpinRun:
    states: int
    transitions: int
    search_seconds: float
    """What the verifier says of itself."""
    whole_seconds: float
    """Translation, C compiler and verifier."""
    state_bytes: float
    """Memory for stored states alone, as SPIN reports it; its hash table comes on top."""


def require_spin() -> None:
    for program, package in (("spin", "spin"), ("gcc", "gcc")):
        if shutil.which(program) is None:
            raise MuleError(f"this benchmark needs {program}: install Debian's package {package}")


def verify(model: Path, flags: tuple[str, ...] = ("-DSAFETY", "-DNOREDUCE")) -> SpinRun:
    """Explore everything, errors or not, with the counts that SPIN gives without its own optimisations."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        _call(["spin", "-o1", "-o2", "-o3", "-a", str(model.resolve())], folder)
        _call(["gcc", "-O2", "-w", *flags, "-o", "pan", "pan.c"], folder)
        output = _call(["./pan", "-m10000000", "-n", "-c0"], folder)
        whole = time.perf_counter() - started
    elapsed = float(_find(r"elapsed time ([\d.e+-]+) seconds", output, default="0"))
    states = int(float(_find(r"([\d.e+]+) states, stored", output)))
    megabytes = float(_find(r"([\d.]+)\s+actual memory usage for states", output, default="0"))
    if megabytes == 0:
        megabytes = float(_find(r"([\d.]+)\s+equivalent memory usage for states", output, default="0"))
    return SpinRun(
        states=states,
        transitions=int(float(_find(r"([\d.e+]+) transitions \(=", output))),
        search_seconds=elapsed,
        whole_seconds=whole,
        state_bytes=megabytes * 2**20 / max(states, 1),
    )


def _call(command: list[str], folder: str) -> str:
    finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        raise MuleError(f"{command[0]} failed: {(finished.stderr or finished.stdout).strip()[:500]}")
    return finished.stdout


def _find(pattern: str, text: str, default: str | None = None) -> str:
    match = re.search(pattern, text)
    if match is None:
        if default is None:
            raise MuleError(f"SPIN's output has changed: no {pattern!r} in it")
        return default
    return match.group(1)
