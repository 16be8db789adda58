"""Each partition in an actor of a Ray cluster: the only module that knows Ray."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import Any

from mule.cluster.assignment import Assignment, assignment_of, preparation_for
from mule.cluster.leading import lead
from mule.cluster.merging import PartResult, Way
from mule.cluster.partition import Partition, Report
from mule.cluster.workers import entry_bytes, part_result
from mule.driving import FIRST_STEP, ProgressCallback, next_step
from mule.engine import SearchOptions, SearchResult
from mule.errors import MuleError
from mule.memory import available_memory
from mule.options import Options
from mule.planning import Preparation
from mule.records import replace

THREADS = 4
"""In which an actor answers while another thread of it searches."""
IDLE = 0.02
"""Seconds for which a worker with nothing to do waits for a batch."""
OBJECT_STORE = 100 * 2**20
"""Bytes for Ray's own store on a local cluster: batches are small enough to travel without it."""
BEFORE_BETTER_CODE = 0.1
"""Seconds of search after which better code is made of the model."""


def search_on_ray(
    prepared: Preparation, options: SearchOptions, progress: ProgressCallback | None = None
) -> SearchResult:
    """The search that a preparation would do itself, on the cluster that its options name."""
    assignment = assignment_of(prepared, options)
    workers = connect(prepared.options)
    team = RayTeam(assignment, workers)
    try:
        found = lead(team, options, progress)
    except BaseException:
        team.dismiss()
        raise
    team.release()
    return found


def connect(options: Options) -> int:
    """How many workers there are."""
    ray = _ray()
    assert options.cluster is not None
    local = options.local_workers
    if not ray.is_initialized():
        settings: dict[str, Any] = {"address": options.cluster}
        if local is not None:
            settings = {"address": "local", "num_cpus": local, "object_store_memory": OBJECT_STORE}
            settings["include_dashboard"] = False
        try:
            ray.init(log_to_driver=False, logging_level=logging.ERROR, **settings)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise MuleError(f"the Ray cluster {options.cluster} does not answer: {_first_line(error)}") from error
    return local or max(1, int(ray.cluster_resources().get("CPU", 1)))


def disconnect() -> None:
    ray = _ray()
    _resting.clear()
    if ray.is_initialized():
        ray.shutdown()


_resting: list[Any] = []
"""Actors of earlier searches: a question may take several searches, and a process takes longer to start than many of
them."""
_searches = count(1)


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise MuleError("a cluster needs Ray: install it with pip install 'mule-checker[cluster]'") from error
    return ray


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]


class RayTeam:
    """The actors, as the leader sees them."""

    def __init__(self, assignment: Assignment, workers: int) -> None:
        self._ray = _ray()
        self._actors = [self._actor() for _ in range(workers)]
        search = next(_searches)
        try:
            hosts = self._ask([actor.host.remote() for actor in self._actors])
            here = Counter(hosts)
            problems = self._ask(
                [
                    actor.prepare.remote(assignment, search, part, self._actors, here[host])
                    for part, (actor, host) in enumerate(zip(self._actors, hosts, strict=True))
                ]
            )
            for problem in filter(None, problems):
                raise MuleError(problem)
            self._ask([actor.begin.remote() for actor in self._actors])
        except BaseException:
            self.dismiss()
            raise

    def reports(self) -> Sequence[Report]:
        found: list[Report] = self._ask([actor.report.remote() for actor in self._actors])
        return found

    def work(self, seconds: float) -> None:
        time.sleep(seconds)

    def stop(self, reason: str) -> None:
        self._ask([actor.stop.remote(reason) for actor in self._actors])

    def results(self) -> Sequence[PartResult]:
        found: list[PartResult] = self._ask([actor.result.remote() for actor in self._actors])
        return found

    def path_to(self, part: int, number: int) -> Way:
        found: list[Way] = self._ask([self._actors[part].path_to.remote(number)])
        return found[0]

    def release(self) -> None:
        """The search is over: the actors may be of use to the next one."""
        _resting.extend(self._actors)

    def dismiss(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor)

    def _actor(self) -> Any:
        if _resting:
            return _resting.pop()
        remote = self._ray.remote(Worker)
        return remote.options(num_cpus=1, max_concurrency=THREADS, scheduling_strategy="SPREAD").remote()

    def _ask(self, questions: Sequence[Any]) -> list[Any]:
        try:
            return list(self._ray.get(list(questions)))
        except self._ray.exceptions.RayTaskError as error:
            raise MuleError(f"a worker of the cluster failed: {_first_line(error.cause or error)}") from error
        except self._ray.exceptions.RayError as error:
            raise MuleError(f"a worker of the cluster was lost: {_first_line(error)}") from error


class Worker:
    """One actor: it owns a partition, which a thread of its own advances."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        """Held while the partition advances, and by whoever looks at it."""
        self._news = threading.Event()
        self._over = False
        self._search = 0
        """Which search it works at: batches of another one come too late."""

    def host(self) -> str:
        return socket.gethostname()

    def prepare(
        self, assignment: Assignment, search: int, part: int, peers: Sequence[Any], on_this_machine: int
    ) -> str | None:
        """What is wrong, if something is."""
        try:
            self._prepared = preparation_for(assignment)
        except MuleError as error:
            return f"{socket.gethostname()}: {error.message}"
        self._options = _within_memory(assignment.search, assignment.options, on_this_machine)
        self._peers = peers
        options = self._prepared.options
        reducer = None if options.por == "none" else self._prepared.reducer(options)
        exploration = self._prepared.engine.exploration(self._options, reducer, part, len(peers))
        size = entry_bytes(self._prepared, self._options)
        self._partition = Partition(exploration, part, len(peers), size, self)
        self._search = search
        self._over = False
        return None

    def begin(self) -> None:
        threading.Thread(target=self._advance, name="mule-partition", daemon=True).start()

    def take(self, search: int, source: int, states: bytes) -> None:
        if search == self._search:
            self._partition.deliver(source, states)
            self._news.set()

    def take_grant(self, search: int, source: int, batches: int) -> None:
        if search == self._search:
            self._partition.granted(source, batches)
            self._news.set()

    def report(self) -> Report:
        with self._turn:
            return self._partition.report()

    def stop(self, reason: str) -> None:
        with self._turn:
            self._over = True
            self._partition.search.stop(reason)

    def result(self) -> PartResult:
        with self._turn:
            self._over = True
            return part_result(self._prepared, self._partition, socket.gethostname())

    def path_to(self, number: int) -> Way:
        with self._turn:
            return Way.of(self._partition.search.path_to(number))

    def batch(self, to: int, states: bytes) -> None:
        """The partition's post."""
        self._peers[to].take.remote(self._search, self._partition.part, states)

    def grant(self, to: int, batches: int) -> None:
        self._peers[to].take_grant.remote(self._search, self._partition.part, batches)

    def _advance(self) -> None:
        states = FIRST_STEP
        began = time.perf_counter()
        while True:
            before = time.perf_counter()
            with self._turn:
                if self._over:
                    return
                self._news.clear()
                worked = self._partition.advance(states)
            now = time.perf_counter()
            if not worked:
                self._news.wait(IDLE)
                continue
            states = next_step(states, now - before)
            if now - began > BEFORE_BETTER_CODE:
                self._prepared.engine.optimise_in_background()


def _within_memory(search: SearchOptions, options: Options, on_this_machine: int) -> SearchOptions:
    """The limit is one for each machine, and the workers on it share it."""
    most = available_memory() if options.memory is None else options.memory
    return replace(search, max_bytes=most // on_this_machine, max_seconds=None)
