"""Malformed inputs of every kind: `python -m tests.fuzz --minutes 30`, or `--count 50000 --seed 0 --jobs 16`.

Prints how many of each kind were judged or refused, and every one that breaks the rule of `tests.fuzz.rule`; `--keep
DIR` writes those there, each in a file that `--replay` takes. `--one KIND SEED` makes one again and tries it. With
`--replay` and `--one`, `--keep DIR` writes the input itself there, and the command."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.fuzz.cases import KINDS, Case
from tests.fuzz.findings import Finding, read, save, unpack
from tests.fuzz.pool import Chosen, Judged, judge_all
from tests.fuzz.running import Runner, runner

SLOWEST = 10
"""So many are listed at the end."""
BATCH = 100
"""Between two looks at the clock."""
KEPT = 5
"""So many inputs with the same fault are shown and kept."""


class Tally:
    def __init__(self, keep: Path | None) -> None:
        self.statuses: dict[str, Counter[int]] = {kind: Counter() for kind in KINDS}
        self.slowest: list[tuple[float, str]] = []
        self.faults: Counter[str] = Counter()
        self.most_bytes = 0
        self._keep = keep

    def note(self, judged: Judged) -> None:
        self.statuses[judged.kind][judged.status] += 1
        self.most_bytes = max(self.most_bytes, judged.most_bytes)
        self.slowest = sorted([*self.slowest, (judged.seconds, f"--one {judged.kind!r} {judged.seed}")], reverse=True)[
            :SLOWEST
        ]
        if judged.finding is not None:
            self._note_finding(judged.finding)

    def _note_finding(self, finding: Finding) -> None:
        fault = f"{finding.made.kind}: {finding.fault}"
        self.faults[fault] += 1
        if self.faults[fault] <= KEPT:
            print(f"✗ --one {finding.made.kind!r} {finding.seed}: {finding.fault}", flush=True)
            if self._keep is not None:
                save(finding, self._keep)

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


def _shown(tried: Runner, made: Case, keep: Path | None) -> bool:
    """Whether an input keeps the rule, with what the command says."""
    made, outcome, fault = tried.alone(made)
    if keep is not None:
        unpack(made, keep)
    if outcome.status == 4:
        outcome = tried.alone(made, "--debug")[1]
    print(f"mule {shlex.join(made.arguments)[:1000]}")
    print(
        f"{outcome.out[-2000:]}{outcome.err[-4000:]}status {outcome.status}, {outcome.seconds:.2f} s: {fault or 'fine'}"
    )
    return fault is None


def _replayed(tried: Runner, paths: Sequence[Path], keep: Path | None) -> bool:
    files = [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    fine = []
    for file in files:
        print(f"\n{file}")
        fine.append(_shown(tried, read(file), keep and keep / file.stem))
    print(f"\n{len(files)} inputs, {len(files) - sum(fine)} break the rule")
    return all(fine)


def _batches(kinds: Sequence[str], seed: str, most: int, deadline: float) -> Iterator[Chosen]:
    for first in range(0, most, BATCH):
        if time.monotonic() > deadline:
            return
        yield [(kinds[number % len(kinds)], f"{seed}/{number}") for number in range(first, min(first + BATCH, most))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, help="how long")
    parser.add_argument("--count", type=int, help="how many, over all kinds")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only these; may be repeated")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("--one", nargs=2, metavar=("KIND", "SEED"))
    parser.add_argument("--replay", nargs="+", type=Path, metavar="FILE", help="findings, or folders of them")
    asked = parser.parse_args()
    tally = Tally(asked.keep)
    deadline = time.monotonic() + 60 * (asked.minutes or 10**6)
    most = asked.count if asked.count is not None else 1_000 if asked.minutes is None else 10**9
    with runner() as tried:
        if asked.one:
            return not _shown(tried, tried.case(*asked.one), asked.keep)
        if asked.replay:
            return not _replayed(tried, asked.replay, asked.keep)
        for judged in judge_all(tried, _batches(asked.kind or KINDS, asked.seed, most, deadline), asked.jobs):
            for each in judged:
                tally.note(each)
    tally.show()
    return bool(tally.faults)


if __name__ == "__main__":
    sys.exit(main())
