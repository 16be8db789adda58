"""A model that travels: its source, and a fingerprint by which those who make it again know that it is the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import blake2b
from typing import Any

from msgspec import Struct

from mule import __version__
from mule.errors import MuleError, Place
from mule.model.model import Model
from mule.model.source import Source
from mule.records import Record


class Recipe(Record, frozen=True):
    """A value that can be pickled, or written as JSON; `mule.frontends.rebuild` makes the model of it."""

    source: Source
    version: str
    """Of the Mule that read the source: another one may translate it differently."""
    fingerprint: str


def recipe_of(model: Model) -> Recipe:
    if model.source is None:
        raise MuleError(
            f"{model.name} was built by a program, and only a model that was read from a file or a text can be made "
            "again elsewhere: put its system() into a file and load that"
        )
    return Recipe(model.source, __version__, fingerprint(model))


def fingerprint(model: Model) -> str:
    """A digest of all that a model means. Where its parts were written is no part of that: on another machine the file
    may lie elsewhere."""
    numbers = {id(variable): number for number, variable in enumerate(model.variables)}
    digests: dict[int, bytes] = {}
    todo: list[Any] = [model]
    while todo:
        node = todo[-1]
        parts = _parts(node)
        missing = [part for part in parts if not _is_leaf(part) and id(part) not in digests]
        if missing:
            todo.extend(missing)
            continue
        todo.pop()
        found: Iterable[bytes] = (_leaf(part) if _is_leaf(part) else digests[id(part)] for part in parts)
        if isinstance(node, frozenset):
            found = sorted(found)
        head = f"{_name(node)}{numbers.get(id(node), '')};".encode()
        digests[id(node)] = blake2b(head + b"".join(found), digest_size=16).digest()
    return digests[id(model)].hex()


def _parts(node: Any) -> Iterable[Any]:
    if isinstance(node, tuple | frozenset):
        return node
    if isinstance(node, Struct):
        return [getattr(node, name) for name in node.__struct_fields__]
    assert is_dataclass(node), type(node)
    return [getattr(node, each.name) for each in fields(node) if each.compare]


def _name(node: Any) -> str:
    return f"{type(node).__name__}{len(node) if isinstance(node, tuple | frozenset) else ''}:"


def _is_leaf(part: Any) -> bool:
    return part is None or isinstance(part, str | int | Enum | Place)


def _leaf(part: Any) -> bytes:
    if isinstance(part, Place):
        return b"@"
    text = part.name if isinstance(part, Enum) else str(part)
    return f"{type(part).__name__}={len(text)}={text};".encode()
