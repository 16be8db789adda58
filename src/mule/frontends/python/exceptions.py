"""Exceptions while a model runs: classes with a number each, and which of them a model can catch."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field

from mule.frontends.actors.values import Failing

Class = type[BaseException]

_RAISED: dict[str, Class] = {
    cls.__name__: cls
    for cls in (
        ValueError,
        IndexError,
        KeyError,
        ZeroDivisionError,
        AttributeError,
        TypeError,
        RuntimeError,
        asyncio.QueueFull,
        asyncio.QueueEmpty,
    )
}


def class_of(failing: Failing) -> Class | None:
    """What Python would raise; None: this is an error of the model, and nothing can catch it."""
    if failing.exception is not None:
        return failing.exception
    if failing.asserts:
        return AssertionError
    named = re.match(r"\w+", failing.text)
    return None if named is None or "out of range for" in failing.text else _RAISED.get(named[0])


def failing(cls: Class, text: str = "") -> Failing:
    raised = Failing(text or f"raises {cls.__name__}", asserts=cls is AssertionError)
    raised.exception = cls
    return raised


@dataclass
class Exceptions:
    """The classes that were met so far; a variable holds the position of one."""

    classes: list[Class] = field(default_factory=list)

    def number(self, cls: Class) -> int:
        if cls not in self.classes:
            self.classes.append(cls)
        return self.classes.index(cls)
