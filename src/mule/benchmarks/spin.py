"""Running SPIN: model → C → verifier → figures. SPIN and a C compiler must be installed; Mule itself needs neither."""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mule.errors import MuleError

COMPILER = ("gcc", "-O2")


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


@dataclass(frozen=True, slots=True)
class SpinVerdict:
    errors: int
    whole_seconds: float
    """Translation, C compiler and verifier."""


def require_spin() -> None:
    for program, package in (("spin", "spin"), ("gcc", "gcc")):
        if shutil.which(program) is None:
            raise MuleError(f"this benchmark needs {program}: install Debian's package {package}")


@dataclass(frozen=True, slots=True)
class SpinProduct:
    """The product of a model and a property, as far as SPIN searched it."""

    states: int
    seconds: float
    """What the verifier says of itself."""
    errors: int


def installed() -> bool:
    return all(shutil.which(program) for program in ("spin", "gcc"))


def search_product(
    model: Path,
    mode: str,
    time_limit: float,
    claim: str | None = None,
    flags: tuple[str, ...] = (),
    defines: tuple[str, ...] = (),
) -> SpinProduct | None:
    """A temporal property, without SPIN's own optimisations of the model; None where it was not done in time."""
    named = ("-N", claim) if claim is not None else ()
    with tempfile.TemporaryDirectory() as folder:
        try:
            _call(["spin", "-o1", "-o2", "-o3", *(f"-D{each}" for each in defines), "-a", str(model.resolve())], folder)
            _call([*COMPILER, "-w", *flags, "-o", "pan", "pan.c"], folder)
            output = _call(["./pan", mode, "-m10000000", "-n", *named], folder, time_limit)
        except subprocess.TimeoutExpired:
            return None
    if "max search depth too small" in output or "Search not completed" in output:
        return None
    return SpinProduct(
        int(float(_find(r"([\d.e+]+) states, stored", output))),
        float(_find(r"elapsed time ([\d.e+-]+) seconds", output, default="0")),
        int(_find(r"errors: (\d+)", output)),
    )


def verify(model: Path, flags: tuple[str, ...] = ("-DSAFETY", "-DNOREDUCE")) -> SpinRun:
    """Explore everything, errors or not, with the counts that SPIN gives without its own optimisations."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        _call(["spin", "-o1", "-o2", "-o3", "-a", str(model.resolve())], folder)
        _call([*COMPILER, "-w", *flags, "-o", "pan", "pan.c"], folder)
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


def judge(model: Path, flags: tuple[str, ...], time_limit: float) -> SpinVerdict | None:
    """SPIN's verdict as a person would ask for it: with its optimisations, up to the first error.

    None: it came to no verdict within the time limit, or not to the end of the state space."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        try:
            _call(["spin", "-a", str(model.resolve())], folder, time_limit)
            _call([*COMPILER, "-w", *flags, "-o", "pan", "pan.c"], folder, time_limit)
            output = _call(["./pan", "-m10000000", "-n"], folder, time_limit - (time.perf_counter() - started))
        except subprocess.TimeoutExpired:
            return None
        whole = time.perf_counter() - started
    errors = int(_find(r"errors: (\d+)", output))
    if errors == 0 and ("max search depth too small" in output or "Search not completed" in output):
        return None
    return SpinVerdict(errors, whole)


@dataclass(frozen=True, slots=True)
class SpinError:
    """The error that SPIN finds, after it has looked for shorter ways to one."""

    trail: str
    """What it has written."""
    complete: bool
    """Whether it came to the end of its search."""
    seconds: float
    """Of the processor: translation, C compiler and verifier."""


def shortest_error(model: Path, defines: tuple[str, ...], time_limit: float) -> SpinError | None:
    """By iterative shortening (`pan -i`), which is depth-first search that goes on with the depth of the last error."""
    with tempfile.TemporaryDirectory() as folder:
        started, used = time.perf_counter(), seconds_of_children()
        complete = True
        try:
            _call(["spin", *(f"-D{each}" for each in defines), "-a", str(model.resolve())], folder, time_limit)
            _call([*COMPILER, "-w", "-DSAFETY", "-DNOCLAIM", "-DREACH", "-o", "pan", "pan.c"], folder, time_limit)
            _call(["./pan", "-i", "-m100000", "-n"], folder, time_limit - (time.perf_counter() - started))
        except subprocess.TimeoutExpired:
            complete = False
        seconds = seconds_of_children() - used
        found = next(Path(folder).glob("*.trail"), None)
        return None if found is None else SpinError(found.read_text(), complete, seconds)


def seconds_of_children() -> float:
    """What the processor spent on programs that were called and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _call(command: list[str], folder: str, time_limit: float | None = None) -> str:
    """The compiler has programs of its own, and files: both end with it."""
    with subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": folder},
        process_group=0,
    ) as process:
        try:
            out, err = process.communicate(timeout=time_limit)
        except BaseException:
            with suppress(ProcessLookupError):  # it may have ended just now
                os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode != 0:
        raise MuleError(f"{command[0]} failed: {(err or out).strip()[:500]}")
    return out


def _find(pattern: str, text: str, default: str | None = None) -> str:
    match = re.search(pattern, text)
    if match is None:
        if default is None:
            raise MuleError(f"SPIN's output has changed: no {pattern!r} in it")
        return default
    return match.group(1)
