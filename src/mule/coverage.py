"""Which statements of a model a search came to: what SPIN lists as "unreached" is what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mule.errors import Place
from mule.model import Kind, Model, Transition
from mule.results import Unreached


def unreached(model: Model, searched: Model, fired: bytes, taken: Iterable[int] = ()) -> tuple[Unreached, ...]:
    """The statements of the model as written of which no transition was ever enabled, or that have none, by place.

    `fired` is about the transitions of the model as it was searched, `taken` are those that ran before. Processes of
    one declaration share their statements, and one of them is enough to reach a statement. The end of a process is
    reached by one that comes there, even if it cannot cease to exist."""
    run = dict.fromkeys(taken)
    for number, transition in enumerate(searched.transitions):
        if fired[number]:
            run.update(dict.fromkeys(transition.origins or (number,)))
    reached = {each for number in run for each in _statements(model, model.transitions[number])}
    visited = {
        (_declaration(model, move.process), move.target) for number in run for move in model.transitions[number].moves
    }
    visited.update((_declaration(model, i), process.location.initial[0]) for i, process in enumerate(model.processes))
    # Where steps tell what they are made of, one of nothing and from nowhere is no statement: a process only waits.
    told = any(transition.actions for transition in model.transitions)
    missed: dict[Unreached, None] = {}
    for transition in model.transitions:
        is_statement = bool(transition.actions or transition.place or not told)
        if transition.kind is Kind.STEP and is_statement and _end(model, transition) not in visited:
            missed.update((each, None) for each in _statements(model, transition) if each not in reached)
    written = (Unreached(*statement) for statement in model.statements)
    missed.update((each, None) for each in written if each not in reached)
    return tuple(sorted(missed, key=lambda each: (each.process, _position(each.place))))


def _end(model: Model, transition: Transition) -> tuple[str, int] | None:
    """The declaration and the location that a transition is the end of, if it is nothing but the end of a process."""
    if len(transition.moves) != 1 or len(transition.actions) > 1:
        return None
    (move,) = transition.moves
    at_end = move.target == model.processes[move.process].absent
    return (_declaration(model, move.process), move.source) if at_end else None


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
