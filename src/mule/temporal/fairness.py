"""Fairness: which infinite runs count, and which dependencies keep a reduction from losing those.

Peled, "Combining partial order reductions with on-the-fly model-checking", section 3.1. An *agent* is a process; a
transition without one is an agent of its own.

F       whatever is enabled, something that depends on it runs later (or it does itself)
weak    no agent can start a step from some time on and never moves (process justice)
strong  no agent can take part in a step again and again and from some time on never moves (process compassion)

Each assumption implies those above it, transitions of one agent taken for dependent. A step of several processes is
started by the first of them, a rendezvous by the sender: so SPIN sees it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mule.model import Model
from mule.model.expressions import FALSE, TRUE, Expression, Unary, Undefined
from mule.model.model import Transition
from mule.model.simplify import binary, is_total
from mule.options import Fairness
from mule.records import replace
from mule.relations import Relations
from mule.relations.accesses import members
from mule.relations.visibility import visible


@dataclass(frozen=True, slots=True)
class Requirements:
    """Each is raised where certain transitions are enabled, outside of transient states, and met when certain ones run.
    Bit sets of requirements, one a transition."""

    count: int
    compassion: bool
    """What is raised again and again is met again and again; else: what is raised for ever is."""
    raising: tuple[int, ...]
    meeting: tuple[int, ...]


def agents(model: Model) -> tuple[int, ...]:
    """For each transition the agents that take part in it, as a bit set. The instances of a transition that was split
    are one agent."""
    alone: dict[tuple[int, ...], int] = {}
    result = []
    for number, transition in enumerate(model.transitions):
        if transition.moves:
            result.append(_bits(move.process for move in transition.moves))
        else:
            key = transition.origins or (-1 - number,)
            result.append(1 << alone.setdefault(key, len(model.processes) + len(alone)))
    return tuple(result)


def requirements(fairness: Fairness, model: Model, relations: Relations | None) -> Requirements | None:
    """What a run must do to count; only F asks for the relations."""
    if fairness == "none":
        return None
    if fairness == "F":
        assert relations is not None
        numbers = range(len(model.transitions))
        met = tuple(dependent(relations))
        return Requirements(len(model.transitions), True, tuple(1 << number for number in numbers), met)
    moving = agents(model)
    count = max((bits.bit_length() for bits in moving), default=0)
    return Requirements(count, fairness == "strong", _able(fairness, model), moving)


def _able(fairness: Fairness, model: Model) -> tuple[int, ...]:
    """For each transition the agents of whom it says that they can move. A process that is yet to be created is not
    among them."""
    result = []
    for transition, moving in zip(model.transitions, agents(model), strict=True):
        moves = transition.moves[:1] if fairness == "weak" else transition.moves
        present = (move.process for move in moves if move.source != model.processes[move.process].absent)
        result.append(_bits(present) if moves else moving)
    return tuple(result)


def dependent(relations: Relations) -> list[int]:
    """For each transition those that depend on it: they do not accord, or have an agent in common."""
    moving = agents(relations.model)
    together: dict[int, int] = {}
    for number, own in enumerate(moving):
        for agent in members(own):
            together[agent] = together.get(agent, 0) | 1 << number
    rows = list(relations.do_not_accord)
    for number, own in enumerate(moving):
        for agent in members(own):
            rows[number] |= together[agent]
    return rows


def with_fair_dependencies(relations: Relations, fairness: Fairness) -> Relations:
    """The relations under which every fair run has one like it in the reduced graph that is fair as well.

    F is the same for all runs that differ in the order of independent transitions only. Whether an agent can move is
    not: what others do to that must keep its order."""
    if fairness == "none":
        return relations
    sharper = replace(relations, do_not_accord=dependent(relations))
    if fairness == "F":
        return sharper
    return with_groups(sharper, _deciding_who_moves(relations, fairness))


def with_groups(relations: Relations, groups: Iterable[int]) -> Relations:
    """The transitions of each group depend on each other."""
    rows = list(relations.do_not_accord)
    for group in groups:
        for number in members(group):
            rows[number] |= group
    return replace(relations, do_not_accord=rows)


def _deciding_who_moves(relations: Relations, fairness: Fairness) -> list[int]:
    """For each agent the transitions of others that can change whether it can move. States inside a step do not count,
    so where those are matters too. An agent that moves again and again is treated fairly whatever the others do."""
    model = relations.model
    able, moving = _able(fairness, model), agents(model)
    inside = 0 if model.transient is None else visible(relations, [model.transient])
    groups = []
    for agent in range(max((bits.bit_length() for bits in able), default=0)):
        steps = [model.transitions[number] for number, bits in enumerate(able) if bits >> agent & 1]
        if steps:
            own = _bits(number for number, bits in enumerate(moving) if bits >> agent & 1)
            groups.append((visible(relations, _ability(relations, steps)) | inside) & ~own)
    return groups


def _ability(relations: Relations, own: Sequence[Transition]) -> Iterator[Expression]:
    """Predicates one of which changes wherever it changes whether some of these transitions is enabled: one for each
    first guard, as a rule that of a location."""
    model = relations.model
    rest: dict[Expression, Expression] = {}
    for transition in own:
        tests = [_total(model.guards[guard].expression) for guard in transition.guards]
        conditions = [outcome.condition for outcome in transition.outcomes]
        if transition.outcomes and None not in conditions:
            possible: Expression = FALSE
            for condition in conditions:
                assert condition is not None
                possible = binary("or", possible, binary("or", Undefined(condition), condition))
            tests.append(possible)
        first = tests[0] if tests else TRUE
        others: Expression = TRUE
        for test in tests[1:]:
            others = binary("and", others, test)
        rest[first] = binary("or", rest.get(first, FALSE), others)
    for first, others in rest.items():
        yield binary("and", first, others)


def _total(guard: Expression) -> Expression:
    """A guard that is false where it is undefined."""
    return guard if is_total(guard) else binary("and", Unary("not", Undefined(guard)), guard)


def _bits(numbers: Iterable[int]) -> int:
    bits = 0
    for number in numbers:
        bits |= 1 << number
    return bits
