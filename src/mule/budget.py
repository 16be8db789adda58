"""What a command may take: one deadline, one limit on memory and one interruption, from reading the file to the trail.

A budget is entered once, by whoever asks; all that happens inside it can ask for the `current` one. Searches look at it
between two steps (`polling`). Everything else is Python code that knows nothing of budgets, in any room and in
libraries: there the end comes as an exception, `Ended`, which a thread of the budget raises in the thread that spends
it. What was known by then stays known: `unless_ended` says what the answer is without the work that was not finished.
Native calls that take long and cannot be asked to stop are left to themselves (`apart`, `in_a_process`).
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, Token
from mmap import mmap
from types import TracebackType
from typing import NoReturn, TypeVar

from mule.memory import address_space_limit, left_memory, require_room, used_memory

Outcome = TypeVar("Outcome")

BETWEEN_LOOKS = 0.05
"""Seconds between two looks at the clock and the memory."""
FOR_THE_REST = 0.4
"""Seconds of the processor to tell what is known, before it is raised again."""
ON_A_BUSY_MACHINE = 4
"""Times as many seconds of the clock are waited for them."""
ONCE_MORE = 0.25
"""Seconds after which it is raised again if nobody has heard it: Python drops what is raised while an object is
finalised."""
BESIDE = 256 * 2**20
"""Bytes that the program itself may take beside what the limit on memory allows: code, libraries, the compiler."""
OF_WHAT_IS_LEFT = 0.95
"""The program ends before the machine, a control group or `ulimit -v` ends it."""
RESERVE = 8 * 2**20
"""Bytes of address space, where it is limited, that are given back when there are no others, to tell what is known."""
FOR_A_THREAD = 32 * 2**20
"""Bytes of address space. Python waits for ever for a thread that has no memory to begin."""


class Ended(BaseException):
    """The current budget is used up, for the reason that it tells. Not an `Exception`: nobody may take it for a defect
    of a model."""


class Budget:
    """Seconds and bytes from `started` on (a time of `time.perf_counter`); None: no limit."""

    def __init__(self, seconds: float | None = None, memory: int | None = None, started: float | None = None) -> None:
        began = time.perf_counter() if started is None else started
        self._deadline = None if seconds is None else began + seconds
        self._most_bytes = None if memory is None else _most_bytes(memory)
        self._most_space = _most_space() if memory is not None else None
        self._reserve: mmap | None = None
        self._reason: str | None = None
        self._lock = threading.Lock()
        """Held by whoever changes or relies on the next four."""
        self._raises = False
        self._raised = False
        self._polling = 0
        self._quiet = 0.0, 0.0, 0.0
        """Nothing is raised before the first time, nor before the second one while the spender has used less of the
        processor than the third."""
        self._spender = 0
        self._spending = threading.Lock()
        """Held from entering to leaving: a lock is waited for without memory, and a `threading.Event` is not."""
        self._hook = sys.unraisablehook
        self._token: Token[Budget] | None = None

    @property
    def limited(self) -> bool:
        """Whether anything is raised when it ends."""
        return self._deadline is not None or self._most_bytes is not None

    @property
    def ended(self) -> str | None:
        """Why there is nothing left: "time", "memory" or "interrupted"."""
        if self._reason is None:
            if self._deadline is not None and time.perf_counter() > self._deadline:
                self._reason = "time"
            elif self._most_bytes is not None and self._takes_too_much(self._most_bytes):
                self._reason = "memory"
        return self._reason

    def _takes_too_much(self, most_bytes: int) -> bool:
        space, resident = used_memory()
        return resident > most_bytes or (self._most_space is not None and space > self._most_space)

    def spend(self, work: Callable[[], Outcome], otherwise: Callable[[str], Outcome]) -> Outcome:
        """What comes out of the work, or the answer for the reason why it could not be finished."""
        try:
            with self:
                self.check()
                return work()
        except Ended:
            pass
        except MemoryError:
            self.run_short()
        return otherwise(self.ended or "interrupted")

    def heard(self) -> None:
        """Somebody has caught `Ended` and says what is known: time for that."""
        with self._lock:
            self._give_back()
            self._be_quiet()

    def run_short(self) -> None:
        """Somebody has caught a `MemoryError`."""
        self._give_back()
        self._reason = self._reason or "memory"

    def _give_back(self) -> None:
        if self._reserve is not None:
            self._reserve.close()
            self._reserve = None

    def _be_quiet(self, seconds: float = FOR_THE_REST) -> None:
        now = time.perf_counter()
        self._quiet = now + seconds, now + seconds * ON_A_BUSY_MACHINE, _processor_seconds(self._spender) + seconds

    def _is_quiet(self) -> bool:
        now, (least, most, used) = time.perf_counter(), self._quiet
        return now < least or (now < most and _processor_seconds(self._spender) < used)

    def check(self) -> None:
        if self.ended is not None:
            raise Ended

    def interrupt(self) -> None:
        """From a signal handler of the thread that spends the budget."""
        self._reason = self._reason or "interrupted"
        if self._raises and not self._polling:
            raise Ended

    @contextmanager
    def polling(self) -> Iterator[None]:
        """Inside it nothing is raised: who polls looks at `ended` many times a second."""
        with self._lock:
            self._polling += 1
        try:
            yield
        finally:
            with self._lock:
                self._polling -= 1
                if self._reason is not None:
                    self._be_quiet()

    def start(self, thread: threading.Thread) -> None:
        """Nothing is raised meanwhile: until it runs, CPython takes a new thread for the one that starts it, and would
        raise in it."""
        with self._lock:
            start(thread)

    def __enter__(self) -> Budget:
        self._spender = threading.get_ident()
        self._spending.acquire()
        self._token = _current.set(self)
        self._hook, sys.unraisablehook = sys.unraisablehook, self._unraisable
        try:
            if self._most_space is not None:
                self._reserve = mmap(-1, RESERVE)
            if self.limited:
                start(threading.Thread(target=self._watch, name="mule-budget", daemon=True))
        except (MemoryError, OSError):
            self.run_short()
        self._raises = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            with self._lock:
                self._raises = False
            if self._raised:
                self._catch_up()
        finally:
            self._spending.release()
            self._give_back()
            sys.unraisablehook = self._hook
            assert self._token is not None
            _current.reset(self._token)

    def _catch_up(self) -> None:
        """Take what was raised and has not come yet: Python delivers it where a loop begins again. It cannot be called
        back (`PyThreadState_SetAsyncExc` with no exception leaves the interpreter looking for one for ever, which costs
        every later loop its speed)."""
        with suppress(Ended):
            for _ in range(100):
                pass

    def _unraisable(self, dropped: sys.UnraisableHookArgs) -> None:
        """Where Python cannot pass an exception on, it prints it: ours is raised again."""
        if not issubclass(dropped.exc_type, Ended):
            self._hook(dropped)

    def _watch(self) -> None:
        """Until the spender leaves. No exception may end this thread: where there is no memory, CPython 3.11 does not
        survive telling it, or never stops trying."""
        while True:
            try:
                if self._spending.acquire(timeout=self._next_look()):
                    return
                self._look()
            except MemoryError:  # which the spender comes to know, too; waiting takes no memory
                if self._spending.acquire(True, BETWEEN_LOOKS):
                    return

    def _look(self) -> None:
        if self.ended is not None:
            with self._lock:
                if self._raises and not self._polling and not self._is_quiet():
                    self._raised = True
                    _raise_in(self._spender)
                    self._be_quiet(ONCE_MORE)

    def _next_look(self) -> float:
        if self._deadline is None or self._most_bytes is not None:
            return BETWEEN_LOOKS
        left = self._deadline - time.perf_counter()
        return min(left, threading.TIMEOUT_MAX) if left > 0 else BETWEEN_LOOKS


_UNLIMITED = Budget()
_current: ContextVar[Budget] = ContextVar("budget", default=_UNLIMITED)


def current() -> Budget:
    return _current.get()


def unless_ended(work: Callable[[], Outcome], otherwise: Callable[[str], Outcome]) -> Outcome:
    """What comes out of the work, or the answer for the reason why it could not be finished."""
    budget = current()
    try:
        budget.check()
        return work()
    except Ended:
        pass
    except MemoryError:
        if budget is _UNLIMITED:
            raise
        budget.run_short()
    budget.heard()
    return otherwise(budget.ended or "interrupted")


def spend(
    seconds: float | None, memory: int | None, work: Callable[[], Outcome], otherwise: Callable[[str], Outcome]
) -> Outcome:
    """The same within limits of its own, unless there is a budget already."""
    if current() is not _UNLIMITED:
        return unless_ended(work, otherwise)
    return Budget(seconds, memory).spend(work, otherwise)


def apart(work: Callable[[], Outcome]) -> Outcome:
    """A native call that releases Python's lock, in a thread of its own, which is left behind when the budget ends."""
    budget = current()
    if not budget.limited:
        return work()
    budget.check()
    found: list[Outcome] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, name="mule-apart")
    budget.start(thread)
    while thread.is_alive():  # and here `Ended` may be raised
        thread.join(BETWEEN_LOOKS)
    if failed:
        raise failed[0]
    return found[0]


def in_a_process(work: Callable[[], str]) -> str:
    """A native call that keeps Python's lock, in a process of its own, which is killed when the budget ends."""
    if not current().limited or not hasattr(os, "fork"):
        return work()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(work, writing)
    os.close(writing)
    parts: list[bytes] = []
    try:
        while not parts or parts[-1]:  # and here `Ended` may be raised
            if select.select([reading], [], [], BETWEEN_LOOKS)[0]:
                parts.append(os.read(reading, 2**16))
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    told = b"".join(parts)
    return told[:-1].decode() if told.endswith(_DONE) else work()  # which fails here as it did there


_DONE = b"\0"
"""After an answer that is complete."""


def _answer(work: Callable[[], str], writing: int) -> NoReturn:
    """What a child process does with its life."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # its parent hears Ctrl-C, too
        with open(writing, "wb") as file:
            file.write(work().encode() + _DONE)
    finally:
        os._exit(0)


def _most_bytes(memory: int) -> int:
    """What the process may hold: the limit, but no more than there is."""
    return used_memory()[1] + min(memory + BESIDE, int(left_memory() * OF_WHAT_IS_LEFT))


def _most_space() -> int | None:
    limit = address_space_limit()
    return None if limit is None else int(limit * OF_WHAT_IS_LEFT)


def start(thread: threading.Thread) -> None:
    require_room(FOR_A_THREAD)
    try:
        thread.start()
    except RuntimeError:  # there is no memory for its stack
        raise MemoryError from None


def _processor_seconds(thread: int) -> float:
    """What a thread has used of the processor, if the system can tell."""
    if not thread or not hasattr(time, "pthread_getcpuclockid"):
        return time.perf_counter()
    return time.clock_gettime(time.pthread_getcpuclockid(thread))


def _raise_in(thread: int) -> None:
    """Raise `Ended` between two instructions of another thread."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Ended))
