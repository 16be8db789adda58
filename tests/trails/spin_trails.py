"""Trails of a real SPIN, replayed by Mule.

python -m tests.trails.spin_trails --count 500      # of random programs
python -m tests.trails.spin_trails MODEL...         # of these
"""

from __future__ import annotations

import shutil
import subprocess
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from mule.errors import MuleError
from mule.frontends import load
from mule.trails.replaying import Replayed, replay_file
from tests.compile_pan import compile_pan
from tests.differential.generator import random_program

NO_ERRORS = ("cannot be used for rv", "violates po reduction", "event_trace not completed", "in event-trace")
"""Not of the program: what SPIN asks of `xr`, `xs` and `trace`."""


def has_spin() -> bool:
    return all(map(shutil.which, ("spin", "gcc")))


def trail_of(model: Path, folder: Path, *options: str, safety: bool = True, merging: bool = True) -> Path | None:
    """The trail that SPIN writes for a model, if it finds an error; `options` are the verifier's."""

    def call(*command: str) -> str:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=20, check=False)
        return done.stdout + done.stderr

    for file in model.parent.iterdir():  # what it includes
        if file.is_file() and file.suffix != ".trail":
            shutil.copy(file, folder)
    call("spin", *(() if merging else ("-o3",)), "-a", model.name)
    compile_pan(folder, *(("-DSAFETY", "-DNOCLAIM") if safety else ()))
    said = call("./pan", "-m100000", *options) if (folder / "pan").exists() else ""
    if any(each in said for each in NO_ERRORS):
        return None
    found = folder / f"{model.name}.trail"
    return found if found.exists() else None


def replayed(model: Path, *options: str, safety: bool = True, merging: bool = True) -> Replayed | None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        trail = trail_of(model, folder, *options, safety=safety, merging=merging)
        return None if trail is None else replay_file(load(folder / model.name, "promela"), str(trail))


class Fuzzed(NamedTuple):
    seed: int
    merging: bool
    outcome: str
    """`none`: SPIN finds no error, or rejects the program; `same`; else what is wrong."""


def fuzzed(seed: int) -> Fuzzed:
    """A random program, with statement merging or without."""
    merging = seed % 2 == 0
    with TemporaryDirectory() as name:
        model = Path(name) / "m.pml"
        model.write_text(random_program(Random(seed)))
        try:
            found = replayed(model, merging=merging)
        except subprocess.TimeoutExpired:
            return Fuzzed(seed, merging, "none")
        except MuleError as error:
            return Fuzzed(seed, merging, error.message)
    if found is None:
        return Fuzzed(seed, merging, "none")
    return Fuzzed(seed, merging, "same" if found.violation is not None else str(found.undecided))


def main() -> None:
    parser = ArgumentParser(description="Replay SPIN's trails of random Promela programs, or of given ones.")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("models", type=Path, nargs="*")
    arguments = parser.parse_args()
    for model in arguments.models:
        found = replayed(model)
        print(f"{model}: {'no trail' if found is None else found.violation or found.undecided!r}")
    outcomes: Counter[str] = Counter()
    for seed in range(arguments.seed, arguments.seed + arguments.count) if not arguments.models else ():
        told = fuzzed(seed)
        outcomes[told.outcome if told.outcome in ("none", "same") else "lost"] += 1
        if told.outcome not in ("none", "same"):
            print(f"seed {seed}, {'with' if told.merging else 'without'} merging: {told.outcome}", flush=True)
    print(", ".join(f"{number} {outcome}" for outcome, number in outcomes.items()))


if __name__ == "__main__":
    main()
