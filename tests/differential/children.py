"""Questions that are answered in a process of their own: whoever asks survives if Mule dies, or does not end."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import Pipe, get_context
from typing import TypeVar

T = TypeVar("T")


class NoAnswerError(Exception):
    """What became of the child: `time`, or `death`, and more about it."""

    def __init__(self, about: str, more: str) -> None:
        super().__init__(f"{about}: {more}")
        self.about = about
        self.more = more


def answer_of_child(compute: Callable[[], T], seconds: float) -> T:
    here, there = Pipe(duplex=False)
    child = get_context("fork").Process(target=lambda: there.send(compute()), daemon=True)
    child.start()
    there.close()
    try:
        if here.poll(seconds):
            received: T = here.recv()
            return received
        raise NoAnswerError("time", f"nothing after {seconds} s")
    except EOFError:
        child.join()
        raise NoAnswerError("death", f"exit status {child.exitcode}") from None
    finally:
        child.kill()
        child.join()
