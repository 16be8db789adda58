"""Which statements of a model a search came to: what SPIN lists as "unreached" is what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mule.errors import Place
from mule.model import Kind, Model, Transition
from mule.results import Unreached


def unreached(model: Model, searched: Model, fired: bytes, taken: Iterable[int] = ()) -> tuple[Unreached, ...]:
    """The statements of the model as written of which no transition was ever enabled, by place.

    `fired` is about the transitions of the model as it was searched, `taken` are those that ran before. Processes of
    one declaration share their statements, and one of them is enough to reach a statement."""
    reached: set[Unreached] = set()
    for number, transition in enumerate(searched.transitions):
        if fired[number]:
            for origin in transition.origins or (number,):
                reached.update(_statements(model, model.transitions[origin]))
    for number in taken:
        reached.update(_statements(model, model.transitions[number]))
    missed: dict[Unreached, None] = {}
    for transition in model.transitions:
        if transition.kind is Kind.STEP:
            missed.update((each, None) for each in _statements(model, transition) if each not in reached)
    return tuple(sorted(missed, key=lambda each: (each.process, _position(each.place))))


def _statements(model: Model, transition: Transition) -> Iterator[Unreached]:
    initiator = transition.moves[0].process if transition.moves else None
    if not transition.actions:
        yield Unreached(_declaration(model, initiator), transition.text or transition.name, transition.place)
    for action in transition.actions:
        process = initiator if action.process is None else action.process
        yield Unreached(_declaration(model, process), action.text, action.place)


def _declaration(model: Model, process: int | None) -> str:
    if process is None:
        return ""
    return model.processes[process].declaration or model.processes[process].name


def _position(place: Place | None) -> tuple[str, int, int]:
    return ("", 0, 0) if place is None else (place.file, place.line or 0, place.column or 0)
