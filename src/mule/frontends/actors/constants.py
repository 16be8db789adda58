"""Lists, sets and dicts that were there before the run: constants of the model."""

from __future__ import annotations

from typing import Any


class Shared(list[Any]):
    """A list that was there before the run: nobody may change it."""

    origin = 0
    """Which object it stands for."""


class SharedSet(set[Any]):
    """A set that was there before the run."""

    origin = 0


class SharedDict(dict[Any, Any]):
    """A dict that was there before the run."""

    origin = 0


CONSTANT = (Shared, SharedSet, SharedDict)


def frozen(value: Any) -> Any:
    """A constant of the model as handlers may see it: what they could change is marked, so that nobody does."""
    found: Shared | SharedSet | SharedDict
    if type(value) is list:
        found = Shared(value)
    elif type(value) is dict:
        found = SharedDict(value)
    elif type(value) is set:
        found = SharedSet(value)
    elif isinstance(value, tuple) and any(frozen(each) is not each for each in value):
        parts = [frozen(each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    else:
        return value
    found.origin = id(value)
    return found


def is_strange(value: Any) -> bool:
    """Whether it is a list, a set or a dict that does more than those of Python, as a defaultdict does."""
    return isinstance(value, list | set | dict) and type(value) not in (list, set, dict, *CONSTANT)
