"""What a claim or an automaton in a file looks at must have a value wherever it looks.

A formula is judged as a whole (see `evaluable`). An automaton looks at the conditions on the edges of its state,
so one without a value counts only in the states of the system that the automaton meets there, as in SPIN's verifier. To
find them, the automaton gets one more state, to which what has no value leads, and only that state accepts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mule.ltl.automaton import Automaton, Edge
from mule.ltl.letters import MOST_ATOMS, everything, positive
from mule.model import Model
from mule.model.definedness import undefined_where
from mule.model.expressions import FALSE, Expression
from mule.model.failures import may_fail
from mule.model.interpreter import Failure, Interpreter, State
from mule.model.printer import format_expression, locations_of
from mule.model.simplify import joined
from mule.model.value_analysis import compute_domains
from mule.results import Judgement, Trail, Verdict, Violation, ViolationKind, judged
from mule.temporal.questions import Question, about_automaton


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """An automaton that may look at what has no value."""

    asked: Question
    """The property."""
    undefined: dict[int, Expression]
    """By state of its automaton: 1 where a condition there has no value."""

    @property
    def words(self) -> str:
        return f"a value for the conditions of {self.asked.text} wherever they are looked at"


def doubtful_looks(model: Model, questions: Iterable[Question]) -> list[Look]:
    """The automata with conditions that may have no value in some state."""
    return [look for question in questions if (look := _doubtful_look(model, question)) is not None]


def _doubtful_look(model: Model, question: Question) -> Look | None:
    partial = [(state, _partial(out)) for state, out in enumerate(question.looks)]
    if not any(conditions for _, conditions in partial):
        return None
    domains = compute_domains(model)
    undefined: dict[int, Expression] = {}
    for state, conditions in partial:
        failing = [undefined_where(each) for each in conditions if may_fail(each, domains)]
        if failing:
            undefined[state] = joined("or", failing)
    return Look(question, undefined) if undefined else None


def _partial(conditions: Sequence[Expression]) -> list[Expression]:
    return [each for each in conditions if undefined_where(each) != FALSE]


def without_value(look: Look) -> Question:
    """Is there a run on which the automaton looks at what has no value? Where this takes more propositions than an
    automaton may have, all its states look at everything."""
    assert look.asked.written is not None
    automaton, undefined = look.asked.written, dict(look.undefined)
    room = MOST_ATOMS - len(automaton.atoms)
    if len(set(undefined.values())) > room:
        undefined = dict.fromkeys(range(automaton.states), joined("or", list(dict.fromkeys(undefined.values()))))
    kinds = list(dict.fromkeys(undefined.values()))
    known = automaton.atoms if len(kinds) <= room else ()
    count, sink = len(known) + len(kinds), automaton.states
    edges = []
    for state, out in enumerate(automaton.edges):
        labels = [
            (_widened(edge.label, len(known), count) if known else everything(count), edge.target) for edge in out
        ]
        found = [Edge(label, target, 0) for label, target in labels]
        if state in undefined:
            found.append(Edge(positive(count, len(known) + kinds.index(undefined[state])), sink, 1))
        edges.append(found)
    edges.append([Edge(everything(count), sink, 1)])
    names = (*known, *(f"no value {number}" for number in range(len(kinds))))
    atoms = (*(look.asked.atoms if known else ()), *kinds)
    return about_automaton(look.words, Automaton(names, edges, automaton.initial, 1), atoms)


def _widened(label: int, before: int, after: int) -> int:
    """The same letters, whatever the value of further atoms is."""
    for count in range(before, after):
        label |= label << (1 << count)
    return label


def judged_look(look: Look, violation: Violation | None, stopped: str | None) -> Judgement:
    """`violation` is that of the question whether there is such a run."""
    if violation is not None:
        model, trail = violation.trail.model, violation.trail
        message = "a condition has no value in a state of this run"
        found = _first(look, model, trail.states)
        if found is not None:
            taken, conditions = found
            message = _why(model, conditions, trail.states[taken])
            trail = Trail(model, trail.states[: taken + 1], trail.taken[:taken])
        violation = Violation(ViolationKind.MODEL_ERROR, look.words, message, trail)
    return judged(look.words, ViolationKind.MODEL_ERROR, violation, stopped)


def is_met(look: Look, judgement: Judgement) -> bool:
    """Whether the violation of a property goes through a state where a condition has no value."""
    if judgement.verdict is not Verdict.VIOLATED or judgement.violation is None:
        return False
    trail = judgement.violation.trail
    return _first(look, trail.model, trail.states) is not None


def _first(look: Look, model: Model, states: Sequence[State]) -> tuple[int, tuple[Expression, ...]] | None:
    """Where on a run the automaton first looks at what has no value, and all that it looks at there."""
    assert look.asked.written is not None
    interpreter, automaton = Interpreter(model), look.asked.written
    current = {automaton.initial}
    for number, state in enumerate(states):
        if model.transient is not None and interpreter.evaluate(model.transient, state):
            continue
        for place in sorted(current & look.undefined.keys()):
            if interpreter.evaluate(look.undefined[place], state):
                return number, look.asked.looks[place]
        letter = sum(_holds(interpreter, atom, state) << bit for bit, atom in enumerate(look.asked.atoms))
        current = {edge.target for place in current for edge in automaton.edges[place] if edge.label >> letter & 1}
    return None


def _holds(interpreter: Interpreter, atom: Expression, state: State) -> bool:
    try:
        return interpreter.evaluate(atom, state) != 0
    except Failure:
        return False


def _why(model: Model, conditions: Sequence[Expression], state: State) -> str:
    for condition in conditions:
        try:
            Interpreter(model).evaluate(condition, state)
        except Failure as failure:
            text = format_expression(condition, locations_of(model.processes))
            return f"{text} cannot be evaluated here: {failure}"
    raise AssertionError("every condition has a value")
