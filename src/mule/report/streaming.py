"""JSON piece by piece: a trail can have 300,000 steps, and is never held as a whole text nor as a whole object."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any


class Streamed:
    """A list whose elements are made when they are written, one after the other."""

    def __init__(self, elements: Callable[[], Iterable[Any]]) -> None:
        self.elements = elements


def pieces(value: Any) -> Iterator[str]:
    """What `json.dumps` gives, in pieces."""
    match value:
        case Streamed():
            yield from _enclosed("[", value.elements(), _written, "]")
        case dict() if _has_streamed(value.values()):
            yield from _enclosed("{", value.items(), lambda item: _member(*item), "}")
        case list() if _has_streamed(value):
            yield from _enclosed("[", value, pieces, "]")
        case _:
            yield from _written(value)


def _has_streamed(values: Iterable[Any]) -> bool:
    return any(
        isinstance(each, Streamed)
        or (isinstance(each, dict) and _has_streamed(each.values()))
        or (isinstance(each, list) and _has_streamed(each))
        for each in values
    )


def _enclosed(start: str, elements: Iterable[Any], told: Callable[[Any], Iterator[str]], end: str) -> Iterator[str]:
    yield start
    for position, element in enumerate(elements):
        if position:
            yield ", "
        yield from told(element)
    yield end


def _member(key: str, value: Any) -> Iterator[str]:
    yield f"{_dumped(key)}: "
    yield from pieces(value)


def _written(value: Any) -> Iterator[str]:
    yield _dumped(value)


def _dumped(value: Any) -> str:
    """Characters are themselves, unless one of them could command a terminal."""
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else json.dumps(value)
