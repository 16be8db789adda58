"""Where the words of a command go. A device that is full or a descriptor that is closed changes nothing about what was
found: the exit status is that of the verdict, and standard error says, if it can, that words are missing."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TextIO


class Device(io.RawIOBase):
    """A file descriptor for writing. What it does not take is dropped; that nobody reads from a pipe any more is an
    error as ever, since there is no use in going on, unless it is standard error."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.problem: OSError | None = None

    def write(self, data: object) -> int:
        view = memoryview(data)  # type: ignore[arg-type]
        if self.problem is None:
            try:
                return os.write(self._descriptor, view)
            except OSError as error:
                if isinstance(error, BrokenPipeError) and self._descriptor == 1:
                    raise
                self.problem = error
        return view.nbytes

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        try:
            return os.isatty(self._descriptor)
        except OSError:
            return False


_devices: list[Device] = []


def guard() -> None:
    """Once, before anything is written."""
    sys.stdout = _guarded(sys.stdout, 1)
    sys.stderr = _guarded(sys.stderr, 2)


def _guarded(stream: TextIO | None, descriptor: int) -> TextIO:
    """Python has no stream where the descriptor was closed when it began."""
    device = Device(descriptor)
    if stream is None:
        device.problem = OSError("closed")
    elif stream.fileno() != descriptor:
        return stream
    _devices.append(device)
    encoding = "utf-8" if stream is None else stream.encoding
    at_once = descriptor == 2 or device.isatty()
    return io.TextIOWrapper(io.BufferedWriter(device), encoding, "backslashreplace", line_buffering=at_once)


def finish() -> None:
    """Write what is left, and say once if something could not be written."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    problem = _devices[0].problem if _devices else None
    if problem is not None and problem.errno is not None:
        with suppress(OSError, ValueError):
            sys.stderr.write(f"mule: the output could not be written: {problem.strerror}\n")
            sys.stderr.flush()
