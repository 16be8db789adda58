"""Who judges which part of a question: a room is imported only if something is asked of it, because a check of a small
model takes no longer than loading all of them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol, cast

from mule.driving import ProgressCallback
from mule.model import Model
from mule.options import Options
from mule.properties import Part, Properties
from mule.results import Result

ROOMS: dict[Part, str] = {"runs": "mule.temporal.part", "trees": "mule.graph.part"}
"""In the order in which they answer, after what can be seen in single states."""


class Asked(Protocol):
    """A property, read."""

    @property
    def text(self) -> str: ...


class Asking(NamedTuple):
    model: Model
    wanted: Properties
    asked: Sequence[Any]
    """What `read` has made of the properties, for this model."""
    options: Options
    progress: ProgressCallback | None
    has_room: bool
    """No guessed bound of the model is in the way of its runs."""
    errors_known: bool
    """Somebody else looks for steps without a meaning."""


class Room(Protocol):
    def read(self, model: Model, wanted: Properties, options: Options) -> Sequence[Asked]: ...

    def options_for(self, options: Options) -> Options:
        """Those of a command that are meant for such properties."""

    def judge(self, asking: Asking) -> Result: ...


def room_of(part: Part) -> Room:
    return cast(Room, import_module(ROOMS[part]))
