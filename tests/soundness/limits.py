"""Checks that are cut short: a limit may leave a property undecided, but never decides it wrongly.

`python -m tests.soundness.limits --count 20000 --seed 0` draws so many checks: a small model, some of its properties, a
way to search, and limits on states, time and memory, or an interruption. What is known about the model is in
`limited_cases.py`; each verdict that is not "incomplete" is compared with it.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mule.checking import check
from mule.driving import Progress, ProgressCallback
from mule.errors import MuleError
from mule.graph import check_graph, construct, observed_by
from mule.options import Fairness, Options
from mule.properties import Properties
from mule.results import Judgement, Result, Verdict
from tests.soundness.limited_cases import CASES, Case

PORS = ("auto", "auto", "none", "ample", "closure", "closure-h", "beam", "beam-noh", "deletion", "lpor", "dpor")


@dataclass(frozen=True)
class Run:
    case: Case
    wanted: Properties | None
    options: dict[str, Any]
    interrupted_after: int | None
    on_graph: bool = False
    """A graph is made first, within the limits, and the formulas are judged on it."""

    @property
    def fairness(self) -> Fairness:
        fairness: Fairness = self.options.get("fairness", "none")
        return fairness

    def result(self) -> Result | None:
        """None: there is no graph, because it was not finished."""
        options = Options(**self.options)
        if not self.on_graph:
            return check(self.case.model, self.wanted, options, self.progress())
        assert self.wanted is not None
        observed = observed_by(self.case.model, (), self.wanted.ltl, self.wanted.ctl)
        built = construct(self.case.model, observed, "ctl", options, self.progress())
        if built.graph is None:
            return None
        limits = {name: self.options[name] for name in ("max_states", "time") if name in self.options}
        return check_graph(built.graph, self.wanted, Options(**limits), self.progress())

    def progress(self) -> ProgressCallback | None:
        if self.interrupted_after is None:
            return None
        left = iter(range(self.interrupted_after))

        def go_on(_: Progress) -> bool:
            return next(left, None) is not None

        return go_on


def draw(chance: random.Random) -> Run:
    costly = chance.random() < 0.005
    case = chance.choice([case for case in CASES if case.costly == costly])
    options = _limits(chance)
    wanted, on_graph = _wanted(chance, case), False
    if wanted is not None and wanted.ctl and not wanted.safety and not wanted.claims and chance.random() < 0.4:
        on_graph = True
    only_ltl = wanted is not None and not (wanted.ctl or wanted.claims or wanted.progress)
    if wanted is not None and only_ltl and wanted.ltl and set(wanted.ltl) <= set(case.fair):
        options["fairness"] = chance.choice(("weak", "strong"))
    options |= _way(chance, wanted, bool(options.get("fairness")))
    if options["por"] == "dpor":  # which follows every run that is different, and may never come to an end
        options.setdefault("max_states", 20_000)
    interrupted = chance.choice((0, 1, 2)) if chance.random() < 0.1 else None
    return Run(case, wanted, options, interrupted, on_graph)


def _limits(chance: random.Random) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if chance.random() < 0.75:
        found["max_states"] = int(2 ** chance.uniform(0, 10))
    if chance.random() < 0.3:
        found["time"] = 10 ** chance.uniform(-5, -0.5)
    if chance.random() < 0.15:
        found["memory"] = int(2 ** chance.uniform(10, 18))
    return found


def _some(chance: random.Random, of: Sequence[str], most: int = 2) -> tuple[str, ...]:
    return tuple(chance.sample(of, min(len(of), chance.choice(range(most + 1)))))


def _wanted(chance: random.Random, case: Case) -> Properties | None:
    if chance.random() < 0.15:
        return None
    fair = case.fair and chance.random() < 0.3
    formulas = list(case.fair if fair else case.ltl)
    wanted = Properties(
        deadlock=chance.random() < 0.4,
        assertions=chance.random() < 0.4,
        invariants=_some(chance, list(case.invariants)),
        ltl=_some(chance, formulas),
        claims=() if fair else _some(chance, list(case.claims)),
        progress=bool(case.progress is not None and not fair and chance.random() < 0.3),
        ctl=() if fair else _some(chance, list(case.ctl)),
    )
    if chance.random() < 0.5:
        wanted = Properties(ltl=wanted.ltl, claims=wanted.claims, ctl=wanted.ctl, invariants=wanted.invariants)
    if chance.random() < 0.3:
        wanted = Properties(ltl=wanted.ltl, ctl=wanted.ctl)
    return wanted


def _way(chance: random.Random, wanted: Properties | None, fair: bool) -> dict[str, Any]:
    """How to search; what does not fit is refused, which is no answer."""
    temporal = wanted is None or wanted.temporal
    found: dict[str, Any] = {"por": chance.choice(PORS[:9] if temporal else PORS)}
    if chance.random() < 0.3:
        found["as_written"] = True
    if chance.random() < 0.2:
        found["proviso"] = chance.choice(("stack", "static") if temporal else ("stack-", "closed-", "duplicate-"))
    if chance.random() < 0.2 and (wanted is None or wanted.safety):
        found["search"] = chance.choice(("dfs", "bfs", "astar", "best-first"))
    if temporal and not fair and chance.random() < 0.2:
        found["emptiness"] = "scc"
    return found


def wrong(run: Run, result: Result) -> Iterator[str]:
    """What the result says although it is not so."""
    truth = run.case.truth(run.fairness)
    for judgement in result.judgements:
        if judgement.verdict is Verdict.INCOMPLETE:
            continue
        if judgement.property not in truth:
            yield f"nothing is known about {judgement.property}"
        elif truth[judgement.property] != _holds(judgement):
            yield f"{judgement.property}: {judgement.verdict.value}"
    verdicts = {judgement.verdict for judgement in result.judgements}
    worst = next((v for v in (Verdict.VIOLATED, Verdict.INCOMPLETE) if v in verdicts), Verdict.HOLDS)
    if result.verdict is not worst:
        yield f"{result.verdict.value}, although the properties say {worst.value}"
    if (result.stopped is not None) and Verdict.INCOMPLETE not in verdicts:
        yield f"stopped by {result.stopped}, although everything is decided"


def _holds(judgement: Judgement) -> bool:
    """A trail goes with each violation, and only with one: that is also checked."""
    assert (judgement.violation is not None) == (judgement.verdict is Verdict.VIOLATED)
    return judgement.verdict is Verdict.HOLDS


def try_out(count: int, seed: int, show: bool = False) -> tuple[Counter[str], list[str]]:
    """What came out, and what is wrong."""
    chance = random.Random(seed)
    counted: Counter[str] = Counter()
    problems: list[str] = []
    for number in range(count):
        run = draw(chance)
        try:
            result = run.result()
        except MuleError:
            counted["refused"] += 1
            continue
        counted["no graph" if result is None else result.verdict.value] += 1
        for problem in () if result is None else wrong(run, result):
            problems.append(f"{number}: {run.case.name}: {problem}\n  {run.wanted}\n  {run.options}")
        if show and number % 500 == 499:
            print(f"{number + 1}: {dict(counted)}, {len(problems)} wrong", flush=True)
    return counted, problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    counted, problems = try_out(arguments.count, arguments.seed, show=True)
    for problem in problems:
        print(problem)
    print(f"{arguments.count} checks: {dict(counted)}; {len(problems)} wrong")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
