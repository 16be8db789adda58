"""Programs that come with a model, while they run: what they raise, print and change is not Mule's."""

from __future__ import annotations

import io
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from traceback import walk_tb
from types import CodeType
from typing import TextIO

from mule.budget import Ended
from mule.errors import MuleError, Place, printable, said

OURS = Ended, KeyboardInterrupt
"""What ends Mule, whatever is running."""
TIMERS = signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF
LIMITS = {
    name: getattr(resource, name)
    for name in (
        "RLIMIT_AS",
        "RLIMIT_CPU",
        "RLIMIT_DATA",
        "RLIMIT_FSIZE",
        "RLIMIT_NOFILE",
        "RLIMIT_NPROC",
        "RLIMIT_STACK",
    )
}
"""Those under which Mule may fail."""


@contextmanager
def refusing(what: str, place: Callable[[BaseException], Place | None] = lambda _: None) -> Iterator[None]:
    """What goes wrong meanwhile is wrong with the program: also that it ends, or raises what is no `Exception`."""
    try:
        yield
    except MuleError as error:
        error.place = error.place or place(error)
        raise
    except OURS:
        raise
    except BaseException as error:
        raise MuleError(f"{what}{said(error)}", place(error)) from error


@contextmanager
def running(file: str, what: str = "") -> Iterator[None]:
    """While a program from this file runs, which may do what it likes."""
    with _lent(), refusing(what, lambda error: _last_line(error, file)):
        yield


def compiled(text: str, file: str, known_as: str) -> CodeType:
    """The program in a file, whose functions say that they come from the file `known_as`."""
    try:
        return compile(text, known_as, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise MuleError(f"this is not Python: {error.msg}", Place(file, error.lineno, error.offset)) from None
    except (MemoryError, RecursionError):
        raise MuleError("something in it is nested too deeply", Place(file)) from None


def _last_line(error: BaseException, file: str) -> Place:
    """The last one of the file that was running."""
    names = file, str(Path(file).absolute())
    lines = [number for frame, number in walk_tb(error.__traceback__) if frame.f_code.co_filename in names]
    return Place(file, lines[-1] if lines else None)


@contextmanager
def _lent() -> Iterator[None]:
    """What it prints goes to standard error, since the answer is on standard output. How deep calls may go, where the
    command is, what it hears and what it may use is put back."""
    streams, deepest, folder = (sys.stdout, sys.stderr), sys.getrecursionlimit(), _folder()
    watching = sys.gettrace(), sys.getprofile()
    is_main = threading.current_thread() is threading.main_thread()
    handlers = {each: signal.getsignal(each) for each in signal.valid_signals()} if is_main else {}
    idle = [each for each in TIMERS if signal.getitimer(each)[0] == 0]  # others are of whoever calls Mule
    limits = {name: resource.getrlimit(number) for name, number in LIMITS.items()}
    sys.stdout = sys.stderr = _Words(sys.stderr)
    try:
        yield
    finally:
        sys.settrace(watching[0])
        sys.setprofile(watching[1])
        sys.setrecursionlimit(deepest)
        sys.stdout, sys.stderr = streams
        for timer in idle:
            signal.setitimer(timer, 0)
        for each, handler in handlers.items():
            if signal.getsignal(each) != handler:
                signal.signal(each, handler)
        _restore(limits)
        if folder is not None and _folder() != folder:
            with suppress(OSError):
                os.chdir(folder)


def _restore(limits: Mapping[str, tuple[int, int]]) -> None:
    for name, before in limits.items():
        if resource.getrlimit(LIMITS[name]) != before:
            try:
                resource.setrlimit(LIMITS[name], before)
            except (OSError, ValueError):
                raise MuleError(f"it has limited Mule, too ({name}), and that cannot be taken back") from None


def _folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it is no longer there
        return None


class _Words(io.TextIOBase):
    """A stream for a program, which may close it."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._stream is not None:
            self._stream.write(printable(text))
        return len(text)

    def flush(self) -> None:
        if self._stream is not None:
            self._stream.flush()
