"""Commands in processes that are forked from one in which everything is imported already.

A process runs one case after another for as long as they are refused. After one that is judged it ends, since that
leaves threads behind and machine code. A case that breaks the rule is tried again in a process of its own, and what
comes of that counts."""

from __future__ import annotations

import faulthandler
import os
import pickle
import resource
import select
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import NoReturn

from mule.cli.interrupts import hold_back
from mule.cli.main import main
from mule.cli.output import finish, guard
from tests.fuzz.cases import Case, case, written
from tests.fuzz.rule import MOST_SECONDS, Outcome, broken
from tests.fuzz.saved import Saved
from tests.fuzz.seeds import read_all

Tried = tuple[Case, Outcome, str | None]
"""What came of a case, and which part of the rule that breaks."""

MOST_ADDRESSES = 6 * 10**9
MOST_FILE_BYTES = 10**8
PATIENCE = 60.0
"""Seconds by the clock until a process is killed that says nothing."""
SHOWN = 200_000
"""Bytes of the output that are kept."""
IMPORTED = (
    *("mule.cli.check", "mule.cli.explore", "mule.cli.show", "mule.cli.simulate", "mule.cli.trail"),
    *("mule.cli.validate", "mule.cli.compare", "mule.cli.relations", "mule.cli.automaton", "mule.checking"),
    *("mule.comparison", "mule.graph", "mule.frontends.dve", "mule.frontends.promela", "mule.frontends.pnml"),
    *("mule.frontends.actors", "mule.frontends.python", "mule.simulation", "mule.trails.replaying"),
    *("mule.report.text", "mule.report.json", "mule.report.replayed", "mule.codegen", "mule.ltl.translate"),
    *("mule.lpor", "mule.actors", "mule.processes", "mule.validation"),
)


class Runner:
    """Runs cases in a scratch folder; good files are written with it, too."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        os.environ["MULE_CACHE_DIR"] = str(folder / "cache")
        for name in IMPORTED:
            import_module(name)
        read_all()
        self.saved = Saved(self._plain)
        self.saved.write_all()

    def another(self) -> Runner:
        """For another process, with a folder of its own and the same good files."""
        new = copy(self)
        new._folder = Path(tempfile.mkdtemp(dir=self._folder))
        return new

    def case(self, kind: str, seed: str) -> Case:
        return case(kind, Random(seed), self.saved)

    def try_all(self, chosen: Sequence[tuple[str, str]]) -> Iterator[Tried]:
        """The cases that kinds and seeds stand for."""
        done = 0
        while done < len(chosen):
            for tried in self._batch(chosen[done:]):
                done += 1
                yield tried if tried[2] is None else self.alone(tried[0])

    def alone(self, made: Case, *more: str) -> Tried:
        outcome = self._run((*made.arguments, *more), lambda folder: written(made, folder))
        return made, outcome, broken(outcome, made.arguments[0], made.names)

    def _batch(self, chosen: Sequence[tuple[str, str]]) -> Iterator[Tried]:
        """Those that one process tries: at least one."""
        reading, writing = os.pipe()
        child = _forked(lambda: self._try_in_turn(chosen, writing))
        os.close(writing)
        told = 0
        with open(reading, "rb") as pipe:
            while True:
                if not select.select([pipe], [], [], PATIENCE)[0]:
                    os.kill(child, 9)
                try:
                    tried: Tried = pickle.load(pipe)
                except EOFError:
                    break
                told += 1
                yield tried
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status != 0:
            made = self.case(*chosen[told])
            yield made, Outcome(status, "", "", 0, 0), "the process has ended"

    def _try_in_turn(self, chosen: Sequence[tuple[str, str]], writing: int) -> None:
        with open(writing, "wb", buffering=0) as pipe:
            self._become_command(self._folder)
            for kind, seed in chosen:
                made = self.case(kind, seed)
                outcome = self._in_this_process(made.arguments, partial(written, made))
                pipe.write(pickle.dumps((made, outcome, broken(outcome, made.arguments[0], made.names))))
                if outcome.status != 2 or threading.active_count() > 1:
                    return

    def _plain(self, folder: Path, arguments: tuple[str, ...]) -> tuple[int, str]:
        def copied(here: Path) -> None:
            shutil.copytree(folder, here, dirs_exist_ok=True)

        outcome = self._run(arguments, copied, folder)
        return outcome.status, outcome.out

    def _run(self, arguments: tuple[str, ...], prepare: Callable[[Path], None], back: Path | None = None) -> Outcome:
        """In a process of its own."""
        result, traceback = self._folder / "result", self._folder / "traceback"  # of one process at a time
        result.unlink(missing_ok=True)

        def work() -> None:
            self._become_command(self._folder)
            faulthandler.register(signal.SIGXCPU, traceback.open("w"), all_threads=False, chain=True)
            result.write_bytes(pickle.dumps(self._in_this_process(arguments, prepare, back)))

        status = os.waitstatus_to_exitcode(os.waitpid(_forked(work), 0)[1])
        if not result.exists():
            return Outcome(status, "", traceback.read_text(), 0, 0)
        found: Outcome = pickle.loads(result.read_bytes())
        return found

    def _become_command(self, folder: Path) -> None:
        """What the shell and `mule.__main__` do before a command."""
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for descriptor in (1, 2):
            file, path = tempfile.mkstemp(dir=folder)
            os.dup2(file, descriptor)
            os.unlink(path)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(each, how, closefd=False) for each, how in enumerate("rww"))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE_BYTES, MOST_FILE_BYTES))
        hold_back()
        guard()

    def _in_this_process(
        self, arguments: tuple[str, ...], prepare: Callable[[Path], None], back: Path | None = None
    ) -> Outcome:
        for descriptor in (1, 2):
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
        before = _seconds()
        resource.setrlimit(resource.RLIMIT_CPU, (round(before + 2 * MOST_SECONDS), resource.RLIM_INFINITY))
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            prepare(Path(folder))
            os.chdir(folder)
            status = main(arguments)
            finish()
            os.chdir(self._folder)
            if back is not None:
                shutil.copytree(folder, back, dirs_exist_ok=True)
        out, err = (os.pread(descriptor, SHOWN, 0).decode(errors="replace") for descriptor in (1, 2))
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return Outcome(status, out, err, _seconds() - before, most)


def _forked(work: Callable[[], None]) -> int:
    """A process that does the work and ends, as commands do, without what Python does at the end."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return child
    _ended(work)


def _ended(work: Callable[[], None]) -> NoReturn:
    status = 99
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@contextmanager
def runner() -> Iterator[Runner]:
    folder = Path(tempfile.mkdtemp(prefix="mule-fuzz-"))
    try:
        yield Runner(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
