"""Many cases at a time, on several cores: workers are forked from a process in which everything is ready."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice

from tests.fuzz.findings import Finding
from tests.fuzz.running import Runner

Chosen = Sequence[tuple[str, str]]
"""Kinds and seeds."""


@dataclass(frozen=True)
class Judged:
    """What is counted of a case, and what is kept if it breaks the rule."""

    kind: str
    seed: str
    status: int
    seconds: float
    most_bytes: int
    finding: Finding | None


def judge(runner: Runner, chosen: Chosen) -> list[Judged]:
    judged = []
    for (kind, seed), (made, outcome, fault) in zip(chosen, runner.try_all(chosen), strict=True):
        finding = None
        if fault is not None:
            told = runner.alone(made, "--debug")[1] if outcome.status == 4 else outcome
            finding = Finding(made, seed, fault, told)
        judged.append(Judged(kind, seed, outcome.status, outcome.seconds, outcome.most_bytes, finding))
    return judged


_OWN: list[Runner] = []
"""The runner of a worker, made when the worker begins."""


def _begin(runner: Runner) -> None:
    _OWN.append(runner.another())


def _judge_here(chosen: Chosen) -> list[Judged]:
    return judge(_OWN[0], chosen)


def judge_all(runner: Runner, batches: Iterable[Chosen], jobs: int) -> Iterator[list[Judged]]:
    """In any order; a batch is asked for only when a worker is free, so that `batches` may end whenever it likes."""
    if jobs == 1:
        yield from (judge(runner, chosen) for chosen in batches)
        return
    forked = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, forked, _begin, (runner,)) as pool:
        left = iter(batches)
        running: set[Future[list[Judged]]] = {pool.submit(_judge_here, chosen) for chosen in islice(left, jobs)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
            running |= {pool.submit(_judge_here, chosen) for chosen in islice(left, len(done))}
