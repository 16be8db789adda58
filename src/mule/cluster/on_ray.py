"""Each partition in an actor of a Ray cluster."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from mule.budget import apart
from mule.checkpoints import Saving
from mule.cluster.actor import Saved, Worker
from mule.cluster.assignment import Assignment, assignment_of
from mule.cluster.connection import (
    BETWEEN_LOOKS,
    PATIENCE,
    Resting,
    cpus_of,
    first_line,
    folders,
    hear_again,
    is_there,
    places,
    places_again,
    ray_module,
    require_cluster,
    rested_at,
    resting,
)
from mule.cluster.cuts import Cut, CutCheckpoints, UnreadableError, new_shelf
from mule.cluster.leading import BETWEEN_CUTS, LostError, UnwritableError, lead
from mule.cluster.merging import PartResult, Way
from mule.cluster.partition import Report
from mule.cluster.places import Place
from mule.cluster.runs import lead_runs, marks_of
from mule.cluster.workers import for_cuts, partition_of
from mule.driving import Limits, ProgressCallback
from mule.engine import SearchOptions, SearchResult
from mule.errors import MuleError
from mule.options import Options
from mule.planning import Preparation
from mule.planning.preparation import PLAIN_WORDS
from mule.temporal.product import Product, ProductResult, Runs

Found = TypeVar("Found")

THREADS = 4
"""In which an actor answers while another thread of it searches."""
FOLDER = "MULE_CLUSTER_DIR"
"""The environment variable that names a folder which all machines share, where there is one."""


def search_on_ray(
    prepared: Preparation,
    options: SearchOptions,
    progress: ProgressCallback | None = None,
    saving: Saving | None = None,
) -> SearchResult:
    """The search that a preparation would do itself, on the cluster that its options name. `saving`: where its command
    has checkpoints."""
    kept, written = _kept(saving, options)
    return _with_team(
        assignment_of(prepared, written),
        lambda: _places(prepared.options, threads_for(prepared), kept),
        lambda team: lead(team, written, progress, _between_cuts(kept), kept),
        kept,
    )


def search_runs_on_ray(
    prepared: Preparation,
    product: Product,
    runs: Runs,
    limits: Limits,
    progress: ProgressCallback | None = None,
    saving: Saving | None = None,
) -> ProductResult:
    """The same for a product: is there a run that the automaton accepts?"""
    marks = marks_of(product, runs)
    kept, written = _kept(saving, SearchOptions())
    return _with_team(
        assignment_of(prepared, written, (product, runs)),
        lambda: _places(prepared.options, 1, kept),
        lambda team: lead_runs(team, marks, limits, progress, _between_cuts(kept), kept),
        kept,
    )


def _kept(saving: Saving | None, options: SearchOptions) -> tuple[CutCheckpoints | None, SearchOptions]:
    """Where cuts are kept, if they are, and the search that is done then."""
    if saving is None:
        return None, options
    return CutCheckpoints(saving), for_cuts(options, saving.identity)


def _between_cuts(kept: CutCheckpoints | None) -> float:
    return BETWEEN_CUTS if kept is None else min(kept.every, BETWEEN_CUTS)


def threads_for(prepared: Preparation) -> int | None:
    """Of each partition; None: all that its machine has. Fragments have one stack, and large states are compressed by
    one thread, and by several are not."""
    options = prepared.options
    if options.workers is None and prepared.engine.compiled.layout.words > PLAIN_WORDS:
        return 1
    return 1 if options.search == "dfs" else options.workers


def _with_team(
    assignment: Assignment,
    places_of: Callable[[], Sequence[Place]],
    search: Callable[[RayTeam], Found],
    kept: CutCheckpoints | None = None,
) -> Found:
    # What a budget raises must not hit Ray while it starts.
    team = apart(lambda: RayTeam(assignment, places_of(), kept))
    hear_again()
    try:
        found = search(team)
    except BaseException:
        team.dismiss()
        raise
    team.release()
    return found


def _places(options: Options, threads: int | None, kept: CutCheckpoints | None) -> Sequence[Place]:
    """As many as there are, or as there were: the owner of a state depends on their number, and what is known of the
    way to it on that of their threads."""
    if kept is None or kept.last is None:
        return places(options, threads)
    had = kept.last.threads_of_all
    if options.local_workers not in (None, len(had)):
        raise MuleError(f"this run has {len(had)} workers: say --cluster local:{len(had)}, or the address of a cluster")
    if options.workers is not None and set(had) != {options.workers}:
        sizes = " or ".join(map(str, sorted(set(had))))
        raise MuleError(f"each worker of this run has {sizes} threads, and keeps them: leave out --workers")
    return places_again(options, had)


_searches = count(1)


def cut_folder() -> Path:
    """For the cuts of one search. Where it is not shared by all machines, the search goes on from there when a process
    is lost, but begins again when a machine is."""
    return Path(os.environ.get(FOLDER) or tempfile.gettempdir()) / f"mule-cluster-{uuid4().hex}"


class RayTeam:
    """The actors, as the leader sees them."""

    def __init__(self, assignment: Assignment, places: Sequence[Place], kept: CutCheckpoints | None = None) -> None:
        """`kept`: where cuts go that outlive the team, and where it begins."""
        self._ray = ray_module()
        self._assignment = assignment
        self._shelf = new_shelf(cut_folder()) if kept is None else kept.shelf
        if kept is None:
            folders.append(self._shelf.folder)
        self._machines = [place.machine for place in places]
        self._threads = tuple(place.threads for place in places)
        self._cpus = cpus_of(places)
        self._actors = [self._actor(part) for part in range(len(places))]
        self._without_model = set(range(len(places)))
        """Those that were not told the model: another one may be lost while they are."""
        try:
            self._prepare()
            self._begin(None if kept is None else kept.last)
        except LostError as error:
            self.dismiss()
            raise MuleError(f"the workers of the cluster could not be started: {error}") from error
        except BaseException:
            self.dismiss()
            raise

    @property
    def processes(self) -> list[int]:
        """Of the actors, in their order."""
        return self._ask([actor.process.remote() for actor in self._actors])

    def reports(self) -> Sequence[Report]:
        found: list[Report] = self._ask([actor.report.remote() for actor in self._actors], self._require_answers)
        return found

    def work(self, seconds: float) -> None:
        time.sleep(seconds)

    def stop(self, reason: str) -> None:
        self._ask([actor.stop.remote(reason) for actor in self._actors])

    def results(self) -> Sequence[PartResult]:
        found: list[PartResult] = self._ask([actor.result.remote() for actor in self._actors])
        return found

    def path_to(self, part: int, number: int) -> Way:
        actor = self._actors[partition_of(part, self._threads)]
        found: list[Way] = self._ask([actor.path_to.remote(part, number)])
        return found[0]

    @property
    def hosts(self) -> Sequence[str]:
        return self._ask([actor.host.remote() for actor in self._actors])

    def ask_all(self, question: str, *arguments: Any) -> Sequence[Any]:
        return self._ask([actor.call.remote(question, arguments) for actor in self._actors])

    def ask(self, part: int, question: str, *arguments: Any) -> Any:
        return self._ask([self._actors[part].call.remote(question, arguments)])[0]

    def pause(self, paused: bool) -> None:
        self._ask([actor.pause.remote(paused) for actor in self._actors])

    def save(self, number: int) -> Cut:
        saved: list[Saved] = self._ask([actor.save.remote(number) for actor in self._actors])
        for each in saved:
            if each.problem:
                raise UnwritableError(each.problem)
        return Cut(number, self._shelf.team, tuple(each.digest for each in saved), self._threads)

    def restore(self, cut: Cut | None) -> None:
        missing = {part for part, actor in enumerate(self._actors) if not self._answers(actor)}
        self._without_model |= missing
        for part in missing:
            machine = self._machines[part]
            if machine is not None and not is_there(machine):  # the others may have no CPUs to spare
                self._machines[part], self._cpus[part] = None, 0.0
            self._actors[part] = self._actor(part)
        self._prepare()
        try:
            self._begin(cut)
        except UnreadableError:
            if self._shelf.run:
                raise
            self._begin(None)

    def release(self) -> None:
        """The search is over: the actors may be of use to the next one."""
        try:
            self._ask([actor.forget.remote() for actor in self._actors])
        except LostError:
            self.dismiss()
        else:
            resting.extend(map(Resting, self._actors, self._machines, self._cpus))

    def dismiss(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor)
        if not self._shelf.run:
            shutil.rmtree(self._shelf.folder, ignore_errors=True)

    def _prepare(self) -> None:
        """The model, for workers that have none yet."""
        parts = sorted(self._without_model)
        hosts = self._ask([actor.host.remote() for actor in self._actors])
        here = Counter(hosts)
        problems = self._ask(
            [
                self._actors[part].prepare.remote(self._assignment, part, self._threads, here[hosts[part]], self._shelf)
                for part in parts
            ]
        )
        for problem in filter(None, problems):
            raise MuleError(problem)
        self._without_model.clear()

    def _begin(self, cut: Cut | None) -> None:
        """All of them, at a cut or at the beginning."""
        search = next(_searches)
        problems = self._ask([actor.load.remote(search, self._actors, cut) for actor in self._actors])
        for problem in filter(None, problems):
            raise UnreadableError(problem)
        self._ask([actor.begin.remote(search) for actor in self._actors])

    def _answers(self, actor: Any) -> bool:
        try:
            self._ray.get(actor.host.remote(), timeout=PATIENCE)
        except (self._ray.exceptions.RayError, TimeoutError):
            return False
        return True

    def _actor(self, part: int) -> Any:
        machine, cpus = self._machines[part], self._cpus[part]
        while (actor := rested_at(machine, cpus)) is not None:
            if self._answers(actor):
                return actor
        near = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        where = "SPREAD" if machine is None else near(machine, soft=True)
        remote = self._ray.remote(Worker)
        return remote.options(num_cpus=cpus, max_concurrency=THREADS, scheduling_strategy=where).remote()

    def _require_answers(self) -> None:
        """A LostError where a worker is there, but says nothing: its machine may stand still."""
        for actor in self._actors:
            if not self._answers(actor):
                self._ray.kill(actor)
                raise LostError("a worker does not answer")

    def _ask(self, questions: Sequence[Any], meanwhile: Callable[[], None] = lambda: None) -> list[Any]:
        """`meanwhile`: what is done now and then until all have answered."""
        try:
            return self._answers_to(list(questions), meanwhile)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, MemoryError):
                raise MemoryError from error
            said = f"a worker of the cluster failed: {first_line(error.cause or error)}"
            # What a worker expects, it says in its answer. Its disk or its installation may fail it; anything else is a
            # defect of Mule.
            its_machine = (OSError, ImportError, self._ray.exceptions.RayError)
            raise (MuleError if isinstance(error.cause, its_machine) else RuntimeError)(said) from error
        except self._ray.exceptions.RayError as error:
            raise LostError(first_line(error)) from error

    def _answers_to(self, questions: list[Any], meanwhile: Callable[[], None]) -> list[Any]:
        """However long that takes, while the cluster is there."""
        while True:
            require_cluster()
            try:
                return list(self._ray.get(questions, timeout=BETWEEN_LOOKS))
            except self._ray.exceptions.GetTimeoutError:
                meanwhile()
