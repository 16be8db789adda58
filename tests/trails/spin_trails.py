"""Trails of a real SPIN, replayed by Mule: `python -m tests.trails.spin_trails MODEL...` shows what becomes of each."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from mule.errors import MuleError
from mule.frontends import load
from mule.trails.replaying import Replayed, replay_file


def has_spin() -> bool:
    return all(map(shutil.which, ("spin", "gcc")))


def trail_of(model: Path, folder: Path, *options: str, safety: bool = True, merging: bool = True) -> Path | None:
    """The trail that SPIN writes for a model, if it finds an error; `options` are the verifier's."""

    def call(*command: str) -> str:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        return done.stdout + done.stderr

    for file in model.parent.iterdir():  # what it includes
        if file.is_file() and file.suffix != ".trail":
            shutil.copy(file, folder)
    call("spin", *(() if merging else ("-o3",)), "-a", model.name)
    call("gcc", "-w", "-O1", *(("-DSAFETY", "-DNOCLAIM") if safety else ()), "-o", "pan", "pan.c")
    call("./pan", "-m100000", *options)
    found = folder / f"{model.name}.trail"
    return found if found.exists() else None


def replayed(model: Path, *options: str, safety: bool = True, merging: bool = True) -> Replayed | None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        trail = trail_of(model, folder, *options, safety=safety, merging=merging)
        return None if trail is None else replay_file(load(folder / model.name, "promela"), str(trail))


def main() -> None:
    for name in sys.argv[1:]:
        for merging in (True, False):
            try:
                found = replayed(Path(name), merging=merging)
            except MuleError as error:
                print(f"{name}: {error.message}")
                continue
            if found is None:
                print(f"{name}: no trail")
            else:
                print(f"{name}: {found.violation!r} {found.undecided or ''}")


if __name__ == "__main__":
    main()
