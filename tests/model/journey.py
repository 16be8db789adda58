"""Models that travel: each recipe is pickled and made into a model again by another process, with other hash seeds, in
another folder, without the files; there the model must have the same fingerprint, the same layout, the same counts.

    python -m tests.model.journey --corpus 50
"""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import mule
from mule.options import Options
from mule.planning import Preparation, plan_for, resolve, search_options

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "models"
STATES = 20_000


class Seen(NamedTuple):
    """What is told of a model on both sides."""

    fingerprint: str
    layout: str
    states: int
    transitions: int
    deadlocks: int


def seen(system: mule.System) -> Seen:
    prepared = Preparation(plan_for(system.model, resolve(Options(max_states=STATES), "safety"), "safety", ()))
    layout = [repr(prepared.engine.compiled.layout.fields[each]) for each in prepared.searched.variables]
    found = prepared.search(search_options(prepared.options, "safety"), None)
    counted = found.progress
    return Seen(system.recipe().fingerprint, "\n".join(layout), counted.states, counted.transitions, found.deadlocks)


def examples() -> Iterator[Path]:
    yield from sorted(path for path in (ROOT / "examples").iterdir() if path.suffix in (".dve", ".pml", ".pnml", ".py"))


def corpus(wanted: int) -> list[Path]:
    """So many models, of each language alike, spread over the corpus; without those that are refused."""
    share = -(-wanted // len(_CORPORA))
    chosen = [islice(filter(_readable, _spread(folder, extension, share)), share) for folder, extension in _CORPORA]
    return [path for paths in chosen for path in paths]


_CORPORA = (("dve", ".dve"), ("promela", ".pml"))


def _spread(folder: str, extension: str, share: int) -> Iterator[Path]:
    paths = sorted((CORPUS / folder).glob(f"**/*{extension}"))
    step = max(1, len(paths) // share)
    for start in range(step):
        yield from paths[start::step]


def _readable(path: Path) -> bool:
    try:
        mule.load(path)
    except mule.MuleError:
        return False
    return True


def elsewhere(parcels: Sequence[bytes]) -> list[Seen]:
    """What another process sees of the models."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "parcels")
        path.write_bytes(pickle.dumps(list(parcels)))
        environment = {**os.environ, "PYTHONHASHSEED": "4711"}
        environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        command = [sys.executable, "-m", "tests.model.journey", "--unpack", str(path)]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    answers: list[Seen] = pickle.loads(done.stdout)
    return answers


def journey(paths: Sequence[Path]) -> list[str]:
    """What is different after the journey: a line each."""
    systems = [mule.load(path) for path in paths]
    arrived = elsewhere([pickle.dumps(system.recipe()) for system in systems])
    return [
        f"{path.name}: {name} {before!r} became {after!r}"
        for path, system, answer in zip(paths, systems, arrived, strict=True)
        for name, before, after in zip(Seen._fields, seen(system), answer, strict=True)
        if before != after
    ]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", type=int, default=50)
    parser.add_argument("--unpack", type=Path)
    arguments = parser.parse_args()
    if arguments.unpack is not None:
        parcels = pickle.loads(arguments.unpack.read_bytes())
        answers = [seen(mule.rebuild(pickle.loads(parcel))) for parcel in parcels]
        sys.stdout.buffer.write(pickle.dumps([tuple(answer) for answer in answers]))
        return 0
    paths = [*examples(), *corpus(arguments.corpus)]
    different = journey(paths)
    print("\n".join([*different, f"{len(paths)} models, {len(different)} differences"]))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
