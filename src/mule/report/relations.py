"""The relations of a model by name, and their JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from mule.model import Model
from mule.records import Record

Axis = Literal["transitions", "guards"]


class Relations(Protocol):
    """Each relation is one bit set (an int) a row; bit i stands for column i."""

    @property
    def do_not_accord(self) -> Sequence[int]: ...
    @property
    def do_not_left_accord(self) -> Sequence[int]: ...
    @property
    def enabling(self) -> Sequence[int]: ...
    @property
    def disabling(self) -> Sequence[int]: ...
    @property
    def never_coenabled(self) -> Sequence[int]: ...


class Matrix(Record, frozen=True):
    name: str
    meaning: str
    """What a mark says, in words."""
    rows: Axis
    columns: Axis
    bits: Sequence[int]


def matrices(relations: Relations) -> list[Matrix]:
    return [
        Matrix(
            "do_not_accord",
            "where both are enabled, row and column may get in each other's way",
            "transitions",
            "transitions",
            relations.do_not_accord,
        ),
        Matrix(
            "do_not_left_accord",
            "row may not be able to move before column",
            "transitions",
            "transitions",
            relations.do_not_left_accord,
        ),
        Matrix("enabling", "column may make the guard true", "guards", "transitions", relations.enabling),
        Matrix("disabling", "column may make the guard false", "guards", "transitions", relations.disabling),
        Matrix(
            "never_coenabled", "the two guards are never true together", "guards", "guards", relations.never_coenabled
        ),
    ]


def members(bits: int) -> list[int]:
    """The elements of a bit set, ascending."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found


def relations_object(model: Model, relations: Relations) -> dict[str, Any]:
    """What `mule relations --json` prints."""
    return {
        "model": model.name,
        "language": model.language,
        "guards": [{"number": number, "text": guard.text} for number, guard in enumerate(model.guards)],
        "transitions": [
            {"number": number, "name": transition.name, "guards": list(transition.guards)}
            for number, transition in enumerate(model.transitions)
        ],
        "relations": {matrix.name: [members(row) for row in matrix.bits] for matrix in matrices(relations)},
    }
