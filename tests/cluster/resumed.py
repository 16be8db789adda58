"""Runs on a cluster in this process that are killed and resumed, on random models of several languages.

`python -m tests.cluster.resumed --count 500 --seed 0`: 1 to 5 partitions of 1 to 3 threads with every reduction and
every proviso that a cluster has. All of it is dropped at random moments, also while a cut is being written, or stopped
by a limit, and resumed from the files. Without reduction the counts are those of one search, and the verdicts always
are."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mule import _engine
from mule.checkpoints import Saving, run_for
from mule.cluster import on_ray
from mule.cluster.cuts import CutCheckpoints
from mule.cluster.in_process import Here, InProcess, InProcessRuns
from mule.cluster.leading import lead
from mule.cluster.partition import E
from mule.cluster.runs import lead_runs, marks_of
from mule.cluster.workers import for_cuts
from mule.driving import Limits, ProgressCallback
from mule.engine import SearchOptions, SearchResult
from mule.exploring import explore
from mule.model import Model
from mule.options import Options
from mule.planning import Preparation
from mule.records import replace
from mule.results import Result, Verdict
from mule.safety import check_invariants
from mule.temporal.product import Product, ProductResult, Runs
from tests.cluster.fuzz import combinations, compare, sizes
from tests.cluster.questions import with_threads
from tests.directed.fuzz import MOST_STATES, Question, asked_of
from tests.random_searches import model_of, run

MOST_PARTS = 5
MOST_KILLS = 4
LONGEST_LIFE = 400
"""Events of all partitions together."""


class KilledError(BaseException):
    """Everybody is gone at once, and the leader too."""


class _Dying(Here[E]):
    """Partitions that are killed after some events, together with their leader; None: never."""

    def __init__(self, *arguments: Any, life: int | None, **named: Any) -> None:
        self._life = life
        super().__init__(*arguments, **named)

    def _happen_to_lose(self) -> None:
        super()._happen_to_lose()
        if self._life is not None:
            self._life -= 1
            if self._life < 0:
                raise KilledError


class Mortal(_Dying[_engine.Exploration], InProcess):
    pass


class MortalRuns(_Dying[_engine.ProductPartition], InProcessRuns):
    pass


@contextmanager
def mortal_partitions(parts: int, chosen: random.Random, life: int | None, memory: int | None = None) -> Iterator[None]:
    """Inside it a cluster is so many partitions in this process, with a cut whenever they are asked. `life`: of each
    search; `memory`: bytes of each partition."""
    real = on_ray.search_on_ray, on_ray.search_runs_on_ray

    def kept_by(saving: Saving | None) -> tuple[CutCheckpoints, tuple[int, ...]]:
        assert saving is not None
        kept = CutCheckpoints(saving)
        assert kept.last is None or len(kept.last.digests) == parts
        return kept, saving.identity

    def search(
        prepared: Preparation,
        options: SearchOptions,
        progress: ProgressCallback | None = None,
        saving: Saving | None = None,
    ) -> SearchResult:
        kept, identity = kept_by(saving)
        options = replace(for_cuts(options, identity), max_bytes=memory)
        options, threads = with_threads(options, parts, chosen)
        if kept.last is not None:
            threads = kept.last.threads_of_all
        states = chosen.choice((1, 10, 100))
        team = Mortal(prepared, options, parts, chosen, states, kept.shelf, cut=kept.last, life=life, threads=threads)
        return lead(team, options, progress, between_cuts=0.0, keeper=kept)

    def search_runs(
        prepared: Preparation,
        product: Product,
        runs: Runs,
        limits: Limits,
        progress: ProgressCallback | None = None,
        saving: Saving | None = None,
    ) -> ProductResult:
        marks = marks_of(product, runs)
        if saving is None:  # a look at the property beside its search
            beside = InProcessRuns(product, runs, parts, chosen, states=100)
            return lead_runs(beside, marks, limits, progress, between_cuts=float("inf"))
        kept, identity = kept_by(saving)
        states = chosen.choice((1, 10, 100))
        team = MortalRuns(
            product, runs, parts, chosen, states, kept.shelf, 0, kept.last, identity, max_bytes=memory, life=life
        )
        return lead_runs(team, marks, limits, progress, between_cuts=0.0, keeper=kept)

    on_ray.search_on_ray, on_ray.search_runs_on_ray = search, search_runs
    try:
        yield
    finally:
        on_ray.search_on_ray, on_ray.search_runs_on_ray = real


def disturbed(question: Question, options: Options, parts: int, chosen: random.Random, folder: Path) -> Result:
    """The answer, after some runs that were killed or stopped."""
    options = options.but(checkpoint=str(folder / "run"))
    for _ in range(chosen.randint(1, MOST_KILLS)):
        life = None if chosen.random() < 0.5 else chosen.randrange(LONGEST_LIFE)
        limit = chosen.randint(1, 50) if chosen.random() < 0.3 else None
        with mortal_partitions(parts, chosen, life):
            try:
                result = question(options.but(max_states=limit))
            except KilledError:
                result = None
        if result is not None and result.stopped is None:
            return result
        options = options.but(resume=True)
    with mortal_partitions(parts, chosen, None):
        return question(options)


def _within_run(model: Model, question: Question) -> Question:
    """Also what is asked of an expression, which no command does."""

    def asked(options: Options) -> Result:
        if options.checkpoint is None or getattr(question, "func", None) is not check_invariants:
            return question(options)
        with run_for("check", model, options) as run:
            return run.end(question(options))

    return asked


def try_model(seed: int) -> str:
    """What came of it; an AssertionError where two searches disagree."""
    name, model = model_of(seed)
    if model is None:
        return name
    chosen = random.Random(seed)
    question = _within_run(model, asked_of(model, chosen))
    full = Options(por="none", search="bfs", max_states=MOST_STATES)
    reference, alone = question(full), explore(model, full)
    if Verdict.INCOMPLETE in (reference.verdict, alone.verdict):
        return f"{name}: too large"
    parts = chosen.randint(1, MOST_PARTS)
    with TemporaryDirectory() as folder:
        options = Options(por="none", search="bfs", cluster="local:1")
        shared = disturbed(lambda each: explore(model, each), options, parts, chosen, Path(folder))
        assert sizes(shared) == sizes(alone), f"{parts} partitions: {sizes(shared)}, not {sizes(alone)}"
    for options in combinations(chosen):

        def asked(resumed: Options) -> Result:
            with TemporaryDirectory() as folder:
                return disturbed(question, resumed, parts, chosen, Path(folder))

        compare(asked, reference, options, parts)
    return f"{name}: {reference.verdict.value}"


if __name__ == "__main__":
    run(try_model, __doc__, count=500)
