"""A model as data: what it is made of, written so that reading it again runs nothing.

A table of nodes, each after those that it is made of. Texts, numbers and None stand for themselves; everything else is
a list of the name of its kind and the places of its parts. What a model can do beyond that (`parse_expression` and
`wider`) is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from mule.errors import Place
from mule.model import expressions, variables
from mule.model import model as parts
from mule.model.expressions import Expression, Read, subexpressions
from mule.model.model import Model, Transition, outcome_expressions
from mule.records import Record

_LEFT_OUT = frozenset({"wider", "deeper", "source", "facts", "parse_expression", "parse_number"})
_MAPPING = "value_names"
"""The one part of a model that is a mapping."""
_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for module in (expressions, variables, parts)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Record | Enum | Model)
} | {"Place": Place, "tuple": tuple, "frozenset": frozenset}

DEEPEST, LARGEST = 10_000, 10_000_000
"""Expressions beyond that come from nobody who means well."""

Node = None | str | int | list[Any]


def encoded(root: Any) -> list[Node]:
    """The table of a model, or of a tuple with models and expressions: the last node is the root."""
    places: dict[int, int] = {}
    table: list[Node] = []
    kept: list[Any] = []  # so that no two parts have the same identity
    todo: list[tuple[Any, tuple[Any, ...] | None]] = [(root, None)]
    while todo:
        node, inside = todo.pop()
        if id(node) in places:
            continue
        if inside is None:
            inside = tuple(_parts(node))
            todo.append((node, inside))
            todo.extend((part, None) for part in inside)
            continue
        kept.append((node, inside))
        places[id(node)] = len(table)
        table.append(node if _is_leaf(node) else [type(node).__name__, *(places[id(part)] for part in inside)])
    return table


def decoded(table: Any) -> Any:
    """What was encoded; ValueError if it cannot have been."""
    if not isinstance(table, list) or not table:
        raise ValueError("no table")
    made: list[Any] = []
    measures: list[tuple[int, int]] = []
    for node in table:
        made.append(node if _is_leaf(node) else _made(node, made))
        measures.append(_measure(node, made[-1], measures))
    return made[-1]


def _measure(node: Node, made: Any, known: list[tuple[int, int]]) -> tuple[int, int]:
    """How deep an expression is, and how large if nothing in it were shared; ValueError where that is too much."""
    if not isinstance(made, Expression) or not isinstance(node, list):
        return 0, 0
    inside = [known[place] for place in node[1:]]
    depth, size = 1 + max((each for each, _ in inside), default=0), 1 + sum(each for _, each in inside)
    if depth > DEEPEST or size > LARGEST:
        raise ValueError("an expression that nobody can evaluate")
    return depth, size


def _is_leaf(node: Any) -> bool:
    return node is None or isinstance(node, str) or (isinstance(node, int) and not isinstance(node, Enum))


def _parts(node: Any) -> Iterator[Any]:
    if _is_leaf(node):
        return
    if isinstance(node, Enum):
        yield node.name
    elif isinstance(node, tuple):
        yield from node
    elif isinstance(node, frozenset):
        yield from sorted(node)
    else:
        for name in _fields(type(node).__name__):
            value = getattr(node, name)
            yield tuple((key, tuple(inner.items())) for key, inner in value.items()) if name == _MAPPING else value


@cache
def _fields(name: str) -> tuple[str, ...]:
    kind = _KINDS[name]
    if issubclass(kind, Struct):
        return kind.__struct_fields__
    assert is_dataclass(kind), kind
    return tuple(each.name for each in fields(kind) if each.name not in _LEFT_OUT)


def _made(node: Any, made: list[Any]) -> Any:
    if not isinstance(node, list) or not node or node[0] not in _KINDS:
        raise ValueError("no part of a model")
    kind = _KINDS[node[0]]
    if not all(type(place) is int and 0 <= place < len(made) for place in node[1:]):
        raise ValueError("a part that is not there")
    inside = [made[place] for place in node[1:]]
    if kind in (tuple, frozenset):
        return kind(inside)
    if issubclass(kind, Enum):
        return kind[inside[0]]
    names = _fields(kind.__name__)
    if len(names) != len(inside):
        raise ValueError("too many parts, or too few")
    given = dict(zip(names, inside, strict=True))
    if kind is Model:
        given[_MAPPING] = {key: dict(inner) for key, inner in given[_MAPPING]}
    hints = _hints(kind.__name__)
    if not all(_fits(value, hints[name]) for name, value in given.items()):
        raise ValueError(f"no {kind.__name__}")
    found = kind(**given)
    if isinstance(found, Model):
        _require_sense(found)
    return found


@cache
def _hints(name: str) -> dict[str, Any]:
    return get_type_hints(_KINDS[name])


def _fits(value: Any, hint: Any) -> bool:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, each) for each in inner)
    if origin is tuple and inner[-1] is Ellipsis:
        return isinstance(value, tuple) and all(_fits(each, inner[0]) for each in value)
    if origin is tuple:
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(_fits, value, inner))
    if origin is frozenset:
        return isinstance(value, frozenset) and all(_fits(each, inner[0]) for each in value)
    if origin is not None and issubclass(origin, Mapping):
        return all(_fits(key, inner[0]) and _fits(each, inner[1]) for key, each in value.items())
    return value is None if hint in (None, NoneType) else isinstance(value, hint)


def _require_sense(model: Model) -> None:
    """Nothing in a model speaks of what is not there."""
    known = set(model.variables)
    steps = (*model.transitions, *model.property_transitions)
    sensible = (
        all(each.type.low <= each.type.high and len(each.initial) == each.size for each in known)
        and (model.start is None or len(model.start) == model.slots)
        and all(each.location in known for each in model.processes)
        and all(_is_sensible(each, model) for each in steps)
        and all(each.variable in known for each in _reads(model, steps))
    )
    if not sensible:
        raise ValueError("a model that speaks of what is not there")


def _is_sensible(transition: Transition, model: Model) -> bool:
    return all(0 <= guard < len(model.guards) for guard in transition.guards) and all(
        0 <= move.process < len(model.processes)
        and 0 <= move.source < len(model.processes[move.process].locations)
        and 0 <= move.target < len(model.processes[move.process].locations)
        for move in transition.moves
    )


def _reads(model: Model, steps: tuple[Transition, ...]) -> Iterator[Read]:
    for expression in _expressions(model, steps):
        yield from (each for each in subexpressions(expression) if isinstance(each, Read))


def _expressions(model: Model, steps: tuple[Transition, ...]) -> Iterator[Expression]:
    yield from (guard.expression for guard in model.guards)
    yield from (expression for _, expression in model.told)
    yield from (
        expression for each in steps for outcome in each.outcomes for expression in outcome_expressions(outcome)
    )
    if model.transient is not None:
        yield model.transient
