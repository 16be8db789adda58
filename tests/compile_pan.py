"""SPIN's verifiers, compiled as fast as this machine can."""

from __future__ import annotations

import shutil
import subprocess
from os import PathLike

COMPILERS = (["tcc"], ["gcc", "-O0"]) if shutil.which("tcc") else (["gcc", "-O0"],)
"""tcc needs a fifth of the time. What it does not compile, gcc is asked about: its messages are the ones we know."""


def compile_pan(folder: str | PathLike[str], *options: str) -> subprocess.CompletedProcess[str]:
    for compiler in COMPILERS:
        command = [*compiler, "-w", *options, "-o", "pan", "pan.c"]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=60, check=False
        )
        if done.returncode == 0:
            break
    return done
