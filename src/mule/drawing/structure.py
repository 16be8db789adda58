"""Pictures of what a model says: its processes, and what interferes with what."""

from __future__ import annotations

from mule.drawing.picture import Picture, cut, escaped
from mule.errors import MuleError
from mule.model import Kind, Model
from mule.relations import Relations, members

MOST = 400
"""Nodes; Graphviz needs long for more, and nobody sees anything in it."""


def process_automata(model: Model) -> Picture:
    """The control locations of each process, and the steps between them."""
    picture = Picture(model.name, {"rankdir": "TB"})
    count = sum(len(process.locations) for process in model.processes)
    if not model.processes or not any(transition.moves for transition in model.transitions):
        raise MuleError(f"{model.language} models have no processes with locations: draw --of states or interference")
    if count > MOST:
        raise MuleError(f"the processes have {count:,} locations: too many for a picture")
    used = {
        (move.process, at) for each in model.transitions for move in each.moves for at in (move.source, move.target)
    }
    for number, process in enumerate(model.processes):
        start = model.initial_state[model.slot_of[process.location]]
        for at, name in enumerate(process.locations):
            if (number, at) in used:
                picture.node(
                    f"{number}.{at}",
                    process.name,
                    label=escaped(name),
                    penwidth="3" if at == start else "1.2",
                    peripheries="2" if at in process.ends or at in process.accepting else "1",
                )
    for transition in model.transitions:
        for move in transition.moves:
            wrong = {"color": "#c62828", "fontcolor": "#c62828"} if transition.kind is Kind.ERROR else {}
            picture.edge(
                f"{move.process}.{move.source}",
                f"{move.process}.{move.target}",
                label=escaped(cut(transition.text)),
                **wrong,
            )
    picture.notes.append("bold: where a process begins; two lines: where it may stop, or is accepting")
    return picture


def interference(model: Model, relations: Relations) -> Picture:
    """Which steps do not accord: the order of the two may make a difference."""
    picture = Picture(model.name, {"rankdir": "LR"})
    steps = [number for number, each in enumerate(model.transitions) if each.kind is Kind.STEP]
    if len(steps) > MOST:
        raise MuleError(f"the model has {len(steps):,} steps: too many for a picture. mule relations prints the matrix")
    for number in steps:
        transition = model.transitions[number]
        group = model.processes[transition.moves[0].process].name if transition.moves else None
        picture.node(
            f"t{number}",
            group,
            label=escaped(cut(transition.text or transition.name)),
            tooltip=escaped(transition.name),
        )
    shown = set(steps)
    owner = {number: _owner(model, number) for number in steps}
    for number in steps:
        for other in members(relations.do_not_accord[number]):
            if other in shown and number < other and (owner[number] is None or owner[number] != owner[other]):
                picture.edge(f"t{number}", f"t{other}", dir="none")
    picture.notes.append("a line: the order of the two may make a difference; those of one process are left out")
    return picture


def _owner(model: Model, number: int) -> int | None:
    moves = model.transitions[number].moves
    return moves[0].process if moves else None
