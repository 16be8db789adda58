"""Ray itself: how it is started, found, and left."""

from __future__ import annotations

import atexit
import logging
import os
import re
import shutil
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from math import floor
from pathlib import Path
from typing import Any, NamedTuple

from mule.cluster.places import Place, places_here, places_like, places_on
from mule.errors import MuleError
from mule.options import Options

OBJECT_STORE = 100 * 2**20
"""Bytes for Ray's own store on a local cluster: batches are small enough to travel without it."""
PATIENCE = 20.0
"""Seconds after which who does not answer counts as lost."""
RAY_FRACTION = 10_000
"""Ray counts CPUs in ten thousandths."""
BETWEEN_LOOKS = 5.0
"""Seconds between two looks whether the cluster is still there. Ray ends the whole program a minute after its head is
gone, with status 1, which is that of a violation: Mule has to be first."""
LONGEST_FOLDER = 25
"""Characters of the name of a folder below which Ray's sockets can be made: their names have room for 107."""


def connect(options: Options) -> None:
    """To the cluster that is asked for, if nobody has yet."""
    ray = ray_module()
    assert options.cluster is not None
    if _connected and _connected != [options.cluster]:
        disconnect()
    if not ray.is_initialized():
        _start(ray, options.cluster, options.local_workers)
        _head.is_there()
        _connected.append(options.cluster)


def places(options: Options, threads: int | None) -> list[Place]:
    """Where partitions may go: those of a local cluster, or what there is room for. `threads`: for each of them, if
    somebody says."""
    connect(options)
    if options.local_workers is None:
        return places_on(_free_by_machine(options), threads)
    free = int(_free_cpus())
    if options.local_workers > free and not _connected:
        raise MuleError(
            f"this program has connected Ray itself, to a cluster with {free} free CPUs, not {options.local_workers}"
        )
    return places_here(options.local_workers, threads)


def places_again(options: Options, threads: Sequence[int]) -> list[Place]:
    """The same for partitions that had so many threads each."""
    connect(options)
    return places_like(threads, _free_by_machine(options) if options.local_workers is None else {})


def _free_cpus() -> float:
    """With those of actors that wait."""
    held = sum(each.cpus for each in resting)
    return float(ray_module().available_resources().get("CPU", 0)) + held


def _free_by_machine(options: Options) -> dict[str, int]:
    found = {
        machine: int(resources.get("CPU", 0)) + int(sum(each.cpus for each in resting if each.machine == machine))
        for machine, resources in ray_module()._private.state.available_resources_per_node().items()
    }
    if not any(found.values()):
        raise MuleError(f"the Ray cluster {options.cluster} has no CPU that is free")
    return dict(sorted(found.items()))


def is_there(machine: str) -> bool:
    """Whether the machine is still one of the cluster."""
    return machine in ray_module()._private.state.available_resources_per_node()


def _start(ray: Any, cluster: str, local: int | None) -> None:
    settings: dict[str, Any] = {"address": cluster}
    if local is not None:
        settings = {"address": "local", "num_cpus": local, "object_store_memory": OBJECT_STORE}
        settings |= {"include_dashboard": False, "_temp_dir": str(_folder_for_ray())}
    elif match := re.fullmatch(r"([^:/]+):(\d+)", cluster):
        require_answer(cluster, match[1], int(match[2]))
    ray._private.worker.listen_error_messages = lambda *_: None  # it would print what is lost to standard output
    logging.getLogger("ray").setLevel(logging.ERROR)  # it would say that a thread cannot handle signals
    starter = _Starter(lambda: ray.init(log_to_driver=False, logging_level=logging.ERROR, **settings))
    _starters.append(starter)
    try:
        starter.wait()
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise MuleError(f"the Ray cluster {cluster} does not answer: {first_line(error)}") from error


def _folder_for_ray() -> Path:
    """Of its own for each local cluster: what Ray writes there, and does not remove, goes when the program ends."""
    usual = os.environ.get("RAY_TMPDIR") or tempfile.gettempdir()
    try:
        folder = Path(tempfile.mkdtemp(prefix="mule-ray-", dir=usual if len(usual) <= LONGEST_FOLDER else "/tmp"))
    except OSError as error:
        raise MuleError(f"Ray has no folder for temporary files: {error}") from error
    folders.append(folder)
    return folder


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


def require_answer(cluster: str, host: str, port: int) -> None:
    """Ray itself takes minutes to give up."""
    try:
        socket.create_connection((host, port), timeout=PATIENCE).close()
    except OSError as error:
        raise MuleError(f"the Ray cluster {cluster} does not answer: {error}") from error


class _Head:
    """The process of Ray that knows of all others of a cluster."""

    def __init__(self) -> None:
        self._looked_at = self._there_at = 0.0

    def is_there(self) -> None:
        self._looked_at = self._there_at = time.perf_counter()

    def require(self) -> None:
        now = time.perf_counter()
        if now - self._looked_at < BETWEEN_LOOKS:
            return
        self._looked_at = now
        host, _, port = ray_module().get_runtime_context().gcs_address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=BETWEEN_LOOKS).close()
        except OSError as error:
            if now - self._there_at > PATIENCE:
                raise MuleError(f"the Ray cluster {_connected[0]} does not answer any more: {error}") from error
            return
        self._there_at = now
        if not any(node["Alive"] for node in ray_module().nodes()):  # whoever waits for a worker would wait for ever
            raise MuleError(f"the Ray cluster {_connected[0]} has no machine any more")


def require_cluster() -> None:
    """A MuleError where the cluster has not been there for a while. It is looked for now and then only, and not where
    the program has connected Ray itself."""
    if _connected:
        _head.require()


def disconnect() -> None:
    """Also where Ray is not installed: then there is nothing to leave."""
    if _connected and ray_module().is_initialized():
        dismiss_resting()
        ray_module().shutdown()
    _connected.clear()
    while _starters:
        _starters.pop().end()
    _remove_folders()


def leave() -> None:
    """At the end of the program: Ray's farewell takes seconds, and what is still being started cannot be told to end.
    So the processes of a local cluster, which are all that come from this one, are killed. Other clusters end the
    workers of a program that is gone."""
    stopped: set[int] = set()
    while new := set(found := _descendants(os.getpid())) - stopped:  # who is stopped starts no others
        _send(signal.SIGSTOP, new)
        stopped |= new
    _send(signal.SIGKILL, found)
    _remove_folders()


def _remove_folders() -> None:
    while folders:
        shutil.rmtree(folders.pop(), ignore_errors=True)


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
    while resting:
        ray_module().kill(resting.pop().actor)


def rested_at(machine: str | None, cpus: float) -> Any | None:
    """An actor of an earlier search that is good for a partition there, if there is one."""
    for each in resting:
        if (each.machine, each.cpus) == (machine, cpus):
            resting.remove(each)
            return each.actor
    return None


def hear_again() -> None:
    """Ray has a handler of its own for SIGTERM, below that of Python: it prints where the program is."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGTERM))


class Resting(NamedTuple):
    """An actor of an earlier search."""

    actor: Any
    machine: str | None
    """As in its place."""
    cpus: float


_connected: list[str] = []
"""The cluster that was connected here; none where the program has connected Ray itself, or nobody has."""
_starters: list[_Starter] = []
resting: list[Resting] = []
"""A question may take several searches, and a process takes longer to start than many of them."""
folders: list[Path] = []
"""To be removed when the program ends."""
atexit.register(_remove_folders)  # before Ray registers its own end, and so after it
_head = _Head()


def ray_module() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_TQDM_PATCH_PRINT", "0")  # Ray would put a function of its own in the place of `print`
    try:
        import ray
    except ImportError as error:
        raise MuleError("a cluster needs Ray: install it with pip install 'mule-checker[cluster]'") from error
    return ray


def first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]


def cpus_of(places: Sequence[Place]) -> list[float]:
    """What each partition takes of the CPUs that Ray counts: one for each thread on a machine that has them for it. A
    run that goes on has as many workers as before, also where there are fewer CPUs by now: then these share what there
    is, as those of a local cluster do, whose CPUs Ray does not know."""
    free = _free_cpus()
    share = 1.0 if len(places) <= free else floor(free / len(places) * RAY_FRACTION) / RAY_FRACTION
    wanted = [share if place.machine is None else float(place.threads) for place in places]
    fitting = {(place.machine, cpus) for place, cpus in zip(places, wanted, strict=True)}
    if any((each.machine, each.cpus) not in fitting for each in resting):
        dismiss_resting()  # those who come need the CPUs
    return wanted
