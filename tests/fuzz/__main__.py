"""Malformed inputs of every kind: `python -m tests.fuzz --minutes 30`, or `--count 50000 --seed 0`.

Prints how many of each kind were judged or refused, and every one that breaks the rule of `tests.fuzz.rule`; `--keep
DIR` writes those there, each in a folder with the command in it; `--one KIND SEED` tries one again."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.cases import KINDS, Case, written
from tests.fuzz.rule import Outcome
from tests.fuzz.running import Runner, runner

SLOWEST = 10
"""So many are listed at the end."""
BATCH = 100
"""Between two looks at the clock."""


class Tally:
    def __init__(self, keep: Path | None) -> None:
        self.statuses: dict[str, Counter[int]] = {kind: Counter() for kind in KINDS}
        self.slowest: list[tuple[float, str]] = []
        self.faults: Counter[str] = Counter()
        self.most_bytes = 0
        self._keep = keep

    def note(self, seed: str, made: Case, outcome: Outcome, fault: str | None) -> None:
        self.statuses[made.kind][outcome.status] += 1
        self.most_bytes = max(self.most_bytes, outcome.most_bytes)
        self.slowest = sorted([*self.slowest, (outcome.seconds, f"--one {made.kind!r} {seed}")], reverse=True)[:SLOWEST]
        if fault is None:
            return
        self.faults[f"{made.kind}: {fault}"] += 1
        if self.faults[f"{made.kind}: {fault}"] <= 2:
            print(f"✗ --one {made.kind!r} {seed}: {fault}", flush=True)
            if self._keep is not None:
                _kept(made, self._keep / f"{made.kind}-{seed}".replace(" ", "-").replace("/", "-"))

    def show(self) -> None:
        print(f"\n{'kind':<14}{'judged':>8}{'refused':>9}{'stopped':>9}{'else':>6}")
        for kind, found in self.statuses.items():
            known = found[0] + found[1], found[2], found[3]
            print(f"{kind:<14}{known[0]:>8}{known[1]:>9}{known[2]:>9}{found.total() - sum(known):>6}")
        total = sum(found.total() for found in self.statuses.values())
        print(f"{total} inputs, {sum(self.faults.values())} break the rule, at most {self.most_bytes // 10**6} MB")
        for fault, often in self.faults.most_common():
            print(f"{often:>6}  {fault}")
        for seconds, which in self.slowest:
            print(f"{seconds:>6.2f} s  {which}")


def _kept(made: Case, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    written(made, folder)
    (folder / "command").write_text(f"mule {shlex.join(made.arguments)}\n", errors="replace")


def _one(tried: Runner, kind: str, seed: str, keep: Path | None) -> int:
    made, outcome, fault = tried.alone(tried.case(kind, seed))
    if keep is not None:
        _kept(made, keep)
    if outcome.status == 4:
        outcome = tried.alone(made, "--debug")[1]
    print(f"mule {shlex.join(made.arguments)[:1000]}")
    print(
        f"{outcome.out[-2000:]}{outcome.err[-4000:]}status {outcome.status}, {outcome.seconds:.2f} s: {fault or 'fine'}"
    )
    return fault is not None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, help="how long")
    parser.add_argument("--count", type=int, help="how many, over all kinds")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only these; may be repeated")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("--one", nargs=2, metavar=("KIND", "SEED"))
    asked = parser.parse_args()
    tally, kinds = Tally(asked.keep), asked.kind or KINDS
    deadline = time.monotonic() + 60 * (asked.minutes or 10**6)
    most = asked.count if asked.count is not None else 1_000 if asked.minutes is None else 10**9
    with runner() as tried:
        if asked.one:
            kind, seed = asked.one
            return _one(tried, kind, seed, asked.keep)
        for first in range(0, most, BATCH):
            numbers = range(first, min(first + BATCH, most))
            chosen = [(kinds[number % len(kinds)], f"{asked.seed}/{number}") for number in numbers]
            for (_, seed), found in zip(chosen, tried.try_all(chosen), strict=True):
                tally.note(seed, *found)
            if time.monotonic() > deadline:
                break
    tally.show()
    return bool(tally.faults)


if __name__ == "__main__":
    sys.exit(main())
