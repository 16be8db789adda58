"""Ray itself: how it is started, found, and left."""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from math import floor
from pathlib import Path
from typing import Any

from mule.errors import MuleError
from mule.options import Options

OBJECT_STORE = 100 * 2**20
"""Bytes for Ray's own store on a local cluster: batches are small enough to travel without it."""
PATIENCE = 20.0
"""Seconds after which who does not answer counts as lost."""
RAY_FRACTION = 10_000
"""Ray counts CPUs in ten thousandths."""


def connect(options: Options) -> int:
    """How many workers there are: those of a local cluster, or one for each CPU that is free."""
    ray = ray_module()
    assert options.cluster is not None
    if _connected and _connected != [options.cluster]:
        disconnect()
    if not ray.is_initialized():
        _start(ray, options.cluster, options.local_workers)
        _connected.append(options.cluster)
    free = int(ray.available_resources().get("CPU", 0)) + len(resting)
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
        require_answer(cluster, match[1], int(match[2]))
    logging.getLogger("ray").setLevel(logging.ERROR)  # it would say that a thread cannot handle signals
    starter = _Starter(lambda: ray.init(log_to_driver=False, logging_level=logging.ERROR, **settings))
    _starters.append(starter)
    try:
        starter.wait()
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise MuleError(f"the Ray cluster {cluster} does not answer: {first_line(error)}") from error


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


def disconnect() -> None:
    """Also where Ray is not installed: then there is nothing to leave."""
    if _connected and ray_module().is_initialized():
        dismiss_resting()
        ray_module().shutdown()
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
    for folder in folders:
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
    while resting:
        ray_module().kill(resting.pop())


def hear_again() -> None:
    """Ray has a handler of its own for SIGTERM, below that of Python: it prints where the program is."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGTERM))


_connected: list[str] = []
"""The cluster that was connected here; none where the program has connected Ray itself, or nobody has."""
_starters: list[_Starter] = []
resting: list[Any] = []
"""Actors of earlier searches: a question may take several searches, and a process takes longer to start than many of
them."""
folders: list[Path] = []
"""To be removed when the program ends."""


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


def share_of(workers: int) -> float:
    """The share of a CPU that each worker takes. A run that goes on has as many workers as before, also where there are
    fewer CPUs by now."""
    free = float(ray_module().available_resources().get("CPU", 0)) + len(resting)
    if workers <= free:
        return 1
    dismiss_resting()
    return floor(free / workers * RAY_FRACTION) / RAY_FRACTION
