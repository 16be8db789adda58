"""Each partition in an actor of a Ray cluster: the only module that knows Ray."""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import socket
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from math import floor
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from mule.budget import apart
from mule.checkpoints import Saving
from mule.cluster.assignment import Assignment, assignment_of, preparation_for, product_for
from mule.cluster.cuts import Cut, CutCheckpoints, Cuts, Shelf, UnreadableError, new_shelf, why_not_shared
from mule.cluster.leading import BETWEEN_CUTS, LostError, UnwritableError, lead
from mule.cluster.merging import PartResult, Way
from mule.cluster.partition import Explorer, Partition, Report
from mule.cluster.runs import lead_runs, marks_of
from mule.cluster.workers import entry_bytes, for_cuts, for_partition, part_result, product_entry_bytes, reducer_of
from mule.driving import FIRST_STEP, Limits, ProgressCallback, next_step
from mule.engine import SearchOptions, SearchResult
from mule.errors import MuleError
from mule.memory import available_memory
from mule.options import Options
from mule.planning import Preparation
from mule.records import Record, replace
from mule.temporal.product import Product, ProductResult, Runs, Share

Found = TypeVar("Found")

THREADS = 4
"""In which an actor answers while another thread of it searches."""
LONGEST_STEP = 2**15
"""States of one turn: others wait for what it finds."""
FOR_ASKERS = 0.001
"""Seconds between two turns where somebody wants to look at the partition."""
IDLE = 0.02
"""Seconds for which a worker with nothing to do waits for a batch."""
OBJECT_STORE = 100 * 2**20
"""Bytes for Ray's own store on a local cluster: batches are small enough to travel without it."""
PATIENCE = 20.0
"""Seconds after which a worker that does not say who it is counts as lost."""
FOLDER = "MULE_CLUSTER_DIR"
"""The environment variable that names a folder which all machines share, where there is one."""
RAY_FRACTION = 10_000
"""Ray counts CPUs in ten thousandths."""
BEFORE_BETTER_CODE = 0.1
"""Seconds of search after which better code is made of the model."""


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
        prepared.options,
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
        prepared.options,
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


def _with_team(
    assignment: Assignment, options: Options, search: Callable[[RayTeam], Found], kept: CutCheckpoints | None = None
) -> Found:
    # What a budget raises must not hit Ray while it starts.
    team = apart(lambda: RayTeam(assignment, _workers(options, kept), kept))
    _hear_again()
    try:
        found = search(team)
    except BaseException:
        team.dismiss()
        raise
    team.release()
    return found


def _hear_again() -> None:
    """Ray has a handler of its own for SIGTERM, below that of Python: it prints where the program is."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGTERM))


def _workers(options: Options, kept: CutCheckpoints | None) -> int:
    """As many as there are, or as there were: the owner of a state depends on their number."""
    if kept is None or kept.last is None:
        return connect(options)
    had = len(kept.last.digests)
    if options.local_workers not in (None, had):
        raise MuleError(f"this run has {had} workers: say --cluster local:{had}, or the address of a cluster")
    connect(options)
    return had


def connect(options: Options) -> int:
    """How many workers there are: those of a local cluster, or one for each CPU that is free."""
    ray = _ray()
    assert options.cluster is not None
    if _connected and _connected != [options.cluster]:
        disconnect()
    if not ray.is_initialized():
        _start(ray, options.cluster, options.local_workers)
        _connected.append(options.cluster)
    free = int(ray.available_resources().get("CPU", 0)) + len(_resting)
    wanted = options.local_workers or max(1, free)
    if wanted > free and not _connected:
        raise MuleError(f"this program has connected Ray itself, to a cluster with {free} free CPUs, not {wanted}")
    if free == 0:
        raise MuleError(f"the Ray cluster {options.cluster} has no CPU that is free")
    return wanted


def _start(ray: Any, cluster: str, local: int | None) -> None:
    settings: dict[str, Any] = {"address": cluster}
    if local is not None:
        settings = {"address": "local", "num_cpus": local, "object_store_memory": OBJECT_STORE}
        settings["include_dashboard"] = False
    elif match := re.fullmatch(r"([^:/]+):(\d+)", cluster):
        _require_answer(cluster, match[1], int(match[2]))
    logging.getLogger("ray").setLevel(logging.ERROR)  # it would say that a thread cannot handle signals
    starter = _Starter(lambda: ray.init(log_to_driver=False, logging_level=logging.ERROR, **settings))
    _starters.append(starter)
    try:
        starter.wait()
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise MuleError(f"the Ray cluster {cluster} does not answer: {_first_line(error)}") from error


class _Starter:
    """A thread that starts Ray and then stays: Linux ends the processes of a local cluster when the thread that started
    them ends, not only when its process does. In a thread of its own Ray takes no signals, either."""

    def __init__(self, start: Callable[[], object]) -> None:
        self._start = start
        self._problem: Exception | None = None
        self._has_started = threading.Event()
        self._may_end = threading.Event()
        threading.Thread(target=self._run, name="mule-ray", daemon=True).start()

    def wait(self) -> None:
        self._has_started.wait()
        if self._problem is not None:
            raise self._problem

    def end(self) -> None:
        self._may_end.set()

    def _run(self) -> None:
        try:
            self._start()
        except Exception as error:
            self._problem = error
            return
        finally:
            self._has_started.set()
        self._may_end.wait()


def _require_answer(cluster: str, host: str, port: int) -> None:
    """Ray itself takes minutes to give up."""
    try:
        socket.create_connection((host, port), timeout=PATIENCE).close()
    except OSError as error:
        raise MuleError(f"the Ray cluster {cluster} does not answer: {error}") from error


def disconnect() -> None:
    """Also where Ray is not installed: then there is nothing to leave."""
    if _connected and _ray().is_initialized():
        dismiss_resting()
        _ray().shutdown()
    _connected.clear()
    while _starters:
        _starters.pop().end()


def leave() -> None:
    """At the end of the program: Ray's farewell takes seconds, and what is still being started cannot be told to end.
    So the processes of a local cluster, which are all that come from this one, are killed. Other clusters end the
    workers of a program that is gone."""
    stopped: set[int] = set()
    while new := set(found := _descendants(os.getpid())) - stopped:  # who is stopped starts no others
        _send(signal.SIGSTOP, new)
        stopped |= new
    _send(signal.SIGKILL, found)
    for folder in _cut_folders:
        shutil.rmtree(folder, ignore_errors=True)


def _send(number: int, processes: Iterable[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)


def _descendants(root: int) -> list[int]:
    """The processes that come from another one, parents behind their children."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found = [root]
    for process in found:
        found += children.get(process, ())
    return found[:0:-1]


def dismiss_resting() -> None:
    """End the processes that wait for another search."""
    while _resting:
        _ray().kill(_resting.pop())


_connected: list[str] = []
"""The cluster that was connected here; none where the program has connected Ray itself, or nobody has."""
_starters: list[_Starter] = []
_resting: list[Any] = []
"""Actors of earlier searches: a question may take several searches, and a process takes longer to start than many of
them."""
_searches = count(1)
_cut_folders: list[Path] = []


def cut_folder() -> Path:
    """For the cuts of one search. Where it is not shared by all machines, the search goes on from there when a process
    is lost, but begins again when a machine is."""
    return Path(os.environ.get(FOLDER) or tempfile.gettempdir()) / f"mule-cluster-{uuid4().hex}"


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_TQDM_PATCH_PRINT", "0")  # Ray would put a function of its own in the place of `print`
    try:
        import ray
    except ImportError as error:
        raise MuleError("a cluster needs Ray: install it with pip install 'mule-checker[cluster]'") from error
    return ray


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]


def _share_of(workers: int) -> float:
    """The share of a CPU that each worker takes. A run that goes on has as many workers as before, also where there are
    fewer CPUs by now."""
    free = float(_ray().available_resources().get("CPU", 0)) + len(_resting)
    if workers <= free:
        return 1
    dismiss_resting()
    return floor(free / workers * RAY_FRACTION) / RAY_FRACTION


class Saved(Record, frozen=True):
    """What came of writing a part of a cut."""

    digest: str = ""
    problem: str = ""


class RayTeam:
    """The actors, as the leader sees them."""

    def __init__(self, assignment: Assignment, workers: int, kept: CutCheckpoints | None = None) -> None:
        """`kept`: where cuts go that outlive the team, and where it begins."""
        self._ray = _ray()
        self._assignment = assignment
        self._shelf = new_shelf(cut_folder()) if kept is None else kept.shelf
        if kept is None:
            _cut_folders.append(self._shelf.folder)
        self._share = _share_of(workers)
        self._actors = [self._actor() for _ in range(workers)]
        self._without_model = set(range(workers))
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
        return Cut(number, self._shelf.team, tuple(each.digest for each in saved))

    def restore(self, cut: Cut | None) -> None:
        missing = {part for part, actor in enumerate(self._actors) if not self._answers(actor)}
        self._without_model |= missing
        for part in missing:
            self._actors[part] = self._actor()
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
            _resting.extend(self._actors)

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
                self._actors[part].prepare.remote(self._assignment, part, here[hosts[part]], self._shelf)
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

    def _actor(self) -> Any:
        while _resting:
            actor = _resting.pop()
            if self._answers(actor):
                return actor
        remote = self._ray.remote(Worker)
        return remote.options(num_cpus=self._share, max_concurrency=THREADS, scheduling_strategy="SPREAD").remote()

    def _ask(self, questions: Sequence[Any]) -> list[Any]:
        try:
            return list(self._ray.get(list(questions)))
        except self._ray.exceptions.RayTaskError as error:
            raise MuleError(f"a worker of the cluster failed: {_first_line(error.cause or error)}") from error
        except self._ray.exceptions.RayError as error:
            raise LostError(_first_line(error)) from error


class Worker:
    """One actor: it owns a partition, which a thread of its own advances."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        """Held while the partition advances, and by whoever looks at it."""
        self._askers: list[None] = []
        """One for each of those who want to look: Python's locks have no queue, and the next turn would begin first."""
        self._news = threading.Event()
        self._over = False
        self._failed: Exception | None = None
        """What the thread that advances came to grief with."""
        self._search = 0
        """Which search it works at: batches of another one come too late."""

    def host(self) -> str:
        return socket.gethostname()

    def process(self) -> int:
        return os.getpid()

    def prepare(self, assignment: Assignment, part: int, on_this_machine: int, shelf: Shelf) -> str | None:
        """The model; what is wrong, if something is."""
        if shelf.run and (problem := why_not_shared(shelf)):
            return f"{socket.gethostname()}: {problem}"
        try:
            self._prepared = preparation_for(assignment)
        except MuleError as error:
            return f"{socket.gethostname()}: {error.message}"
        self._product, self._runs = None, assignment.runs
        if assignment.runs is not None:
            try:
                self._product = product_for(assignment, self._prepared)
            except MuleError as error:
                return f"{socket.gethostname()}: {error.message}"
        self._options = _within_memory(assignment.search, assignment.options, on_this_machine)
        self._most_states = assignment.search.max_states if assignment.search.sets_aside else None
        self._part = part
        self._shelf = shelf
        return None

    def load(self, search: int, peers: Sequence[Any], cut: Cut | None) -> str | None:
        """The partition as it was at a cut, or at the beginning; what is wrong, if it is not to be had any more."""
        with self._between_turns():
            self._search = search
            self._peers = peers
            self._over, self._failed = False, None
            try:
                found, size = self._begun(len(peers), cut)
            except UnreadableError as error:
                return f"{socket.gethostname()}: {error}"
            self._partition: Partition[Any] = Partition(found, self._part, len(peers), size, self, self._most_states)
            return None

    def _begun(self, parts: int, cut: Cut | None) -> tuple[Explorer, int]:
        """What the partition advances, and the size of its entries."""
        cuts = Cuts(self._shelf, self._part)
        if self._product is not None:
            assert self._runs is not None
            share = Share(self._part, parts, self._options.max_bytes, self._options.identity)
            written = partial(self._product.read_partition, self._runs, share)
            found = self._product.partition(self._runs, share) if cut is None else cuts.read(cut, written)
            return found, product_entry_bytes(self._product)
        engine, reducer = self._prepared.engine, reducer_of(self._prepared)
        size = entry_bytes(self._prepared, self._options)
        if cut is None:
            return engine.exploration(self._options, reducer, self._part, parts), size
        return cuts.read(cut, lambda path: engine.read_exploration(self._options, path, reducer)), size

    def begin(self, search: int) -> None:
        threading.Thread(target=self._run, args=(search,), name="mule-partition", daemon=True).start()

    def pause(self, paused: bool) -> None:
        with self._between_turns():
            self._partition.paused = paused
        self._news.set()

    def call(self, question: str, arguments: Sequence[Any]) -> Any:
        """Of the part of a product."""
        with self._between_turns():
            found = getattr(self._partition.search, question)(*arguments)
        self._news.set()
        return found

    def save(self, number: int) -> Saved:
        with self._between_turns():
            try:
                return Saved(digest=Cuts(self._shelf, self._part).write(self._partition, number))
            except (OSError, RuntimeError) as error:
                return Saved(problem=f"{socket.gethostname()}: {error}")

    def forget(self) -> None:
        """The search is over."""
        if not self._shelf.run:
            shutil.rmtree(self._shelf.folder, ignore_errors=True)
        with self._between_turns():
            self._search = 0
            del self._partition, self._prepared, self._product, self._peers

    def take(self, search: int, source: int, states: bytes) -> None:
        if search == self._search:
            self._partition.deliver(source, states)
            self._news.set()

    def take_grant(self, search: int, source: int, batches: int) -> None:
        if search == self._search:
            self._partition.granted(source, batches)
            self._news.set()

    def report(self) -> Report:
        with self._between_turns():
            if self._failed is not None:
                raise self._failed
            return self._partition.report()

    def stop(self, reason: str) -> None:
        with self._between_turns():
            self._over = True
            self._partition.search.stop(reason)

    def result(self) -> PartResult:
        with self._between_turns():
            self._over = True
            return part_result(self._prepared, self._partition, socket.gethostname())

    def path_to(self, number: int) -> Way:
        with self._between_turns():
            return Way.of(self._partition.search.path_to(number))

    def batch(self, to: int, states: bytes) -> None:
        """The partition's post."""
        self._peers[to].take.remote(self._search, self._partition.part, states)

    def grant(self, to: int, batches: int) -> None:
        self._peers[to].take_grant.remote(self._search, self._partition.part, batches)

    @contextmanager
    def _between_turns(self) -> Iterator[None]:
        self._askers.append(None)
        try:
            with self._turn:
                yield
        finally:
            self._askers.pop()

    def _run(self, search: int) -> None:
        try:
            self._advance(search)
        except Exception as error:
            self._failed = error

    def _advance(self, search: int) -> None:
        states = FIRST_STEP
        began = time.perf_counter()
        while True:
            before = time.perf_counter()
            with self._turn:
                if self._over or self._search != search:
                    return
                self._news.clear()
                worked = self._partition.advance(states)
                explored = self._partition.explored
            now = time.perf_counter()
            if self._askers:
                time.sleep(FOR_ASKERS)
            if not worked:
                self._news.wait(IDLE)
                continue
            if explored:
                states = min(next_step(states, now - before), LONGEST_STEP)
            if now - began > BEFORE_BETTER_CODE:
                (self._product or self._prepared).engine.optimise_in_background()


def _within_memory(search: SearchOptions, options: Options, on_this_machine: int) -> SearchOptions:
    """The limit is one for each machine, and the workers on it share it."""
    most = available_memory() if options.memory is None else options.memory
    return replace(for_partition(search), max_bytes=most // on_this_machine)
