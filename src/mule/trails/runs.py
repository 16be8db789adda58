"""Infinite runs, and temporal properties: does this one trail violate them?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mule.ctl.formula import Formula, Op, negation_normal_form
from mule.errors import MuleError
from mule.frontends import can_be_read
from mule.graph.propositions import atoms_of, parse_ctl
from mule.model import Model
from mule.model.expressions import Expression
from mule.model.interpreter import Interpreter, State
from mule.options import Fairness
from mule.planning import Analysis
from mule.properties import ACCEPTANCE, PROGRESS
from mule.relations.derivation import derive
from mule.results import Trail, Violation, ViolationKind
from mule.temporal.checking import run_message
from mule.temporal.counterexample import accepts_run, goes_on
from mule.temporal.fairness import Requirements, requirements
from mule.temporal.questions import (
    Question,
    asked_about_acceptance,
    asked_about_progress,
    asked_by_claim,
    asked_by_file,
    asked_by_formula,
    asked_by_property_process,
)
from mule.temporal.shortening import always_true
from mule.trails.judging import Undecided, holds, is_inside_a_step
from mule.transform import prune, reset_dead_variables

TURNS = 64
"""How often a loop is followed to see whether it comes back to a state."""


def temporal_violation(trail: Trail, text: str, fairness: Fairness) -> Violation | None:
    model = trail.model
    question = question_about(model, text)
    if question is None:
        return _branching_violation(trail, text)
    if trail.taken and trail.taken[-1].failure is not None:
        raise Undecided("the run ends in an error, and nobody knows how it would go on")
    if trail.loop is None:
        return _beginning_violates(trail, question)
    if trail.loop == len(trail) and not question.finite_runs:
        return None
    fair = fairness != "none"
    # Of what is reset because nobody will read it, it is not known that it makes no difference to fairness.
    run = closed(trail, () if fair else question.atoms)
    if not accepts_run(model, question, *stem_and_loop(run)):
        return None
    if fair and not is_fair(run, fairness):
        return None
    return Violation(ViolationKind.TEMPORAL, text, run_message(run, fair), run)


def question_about(model: Model, text: str) -> Question | None:
    """What a property asks of the runs of a model; None: it is none of linear time."""
    for claim in model.claims:
        if text == claim.text:
            return asked_by_claim(model, claim)
    if model.property_process is not None and text == model.processes[model.property_process].name:
        return asked_by_property_process(model)
    if text in (PROGRESS, ACCEPTANCE):
        return asked_about_progress(model) if text == PROGRESS else asked_about_acceptance(model)
    if can_be_read(text):
        return asked_by_file(model, Path(text))
    try:
        return asked_by_formula(model, text)
    except MuleError:
        return None


def _beginning_violates(trail: Trail, question: Question) -> Violation | None:
    """Of a run that is not infinite: `[] p` is violated by a state without p."""
    always = always_true(question)
    if always is None:
        raise Undecided("the trail does not go on for ever, and the property is not of the form [] p")
    state = trail.states[-1]
    if is_inside_a_step(trail.model, state) or holds(trail.model, always, state):
        return None
    return Violation(ViolationKind.TEMPORAL, question.text, "here it is violated, whatever comes next", trail)


def stem_and_loop(trail: Trail) -> tuple[Sequence[State], Sequence[State]]:
    """The states that come once, and those that come for ever. Where nothing moves any more, the last one stays."""
    assert trail.loop is not None
    if trail.loop == len(trail):
        return trail.states, trail.states[-1:]
    return trail.states[: trail.loop], trail.states[trail.loop : -1]


def closed(trail: Trail, observed: Sequence[Expression] = ()) -> Trail:
    """The trail, if its loop leads back to where it began, or its loop so often that it does; else `Undecided`. With
    `observed`, the expressions that matter, variables that nobody will read again may differ."""
    assert trail.loop is not None
    interpreter = Interpreter(trail.model)
    if trail.loop == len(trail):
        if any(True for _ in interpreter.steps(trail.states[-1])):
            raise Undecided("the run is said to end, but something can still move")
        return trail
    states, steps = list(trail.states), list(trail.taken)
    turn = steps[trail.loop :]
    ends = [states[trail.loop], states[-1]]
    for _ in range(TURNS):
        if states[-1] in ends[:-1]:
            return Trail(trail.model, tuple(states), tuple(steps), trail.loop + len(turn) * ends.index(states[-1]))
        for step in turn:
            again = _again(interpreter, states[-1], step.transition, step.outcome)
            if again is None:
                raise Undecided("the loop does not come back to where it began, and cannot be repeated")
            states.append(again)
            steps.append(step)
        ends.append(states[-1])
    if observed and _closes_but_for_dead_variables(trail, observed):
        return trail
    changing = ", ".join(goes_on(trail.model, trail))
    raise Undecided(f"in {TURNS} turns the loop does not come back to where it began: it changes {changing}")


def _closes_but_for_dead_variables(trail: Trail, observed: Sequence[Expression]) -> bool:
    """Whether the loop closes in the model in which what nobody will read again is reset."""
    analysis = Analysis(trail.model)
    small = reset_dead_variables(prune(analysis.model, analysis.domains), analysis.domains, observed)
    numbers = {(each.origins or (number,))[0]: number for number, each in enumerate(small.transitions)}
    interpreter = Interpreter(small)
    state, entrance = interpreter.initial, None
    for position, step in enumerate(trail.taken):
        if position == trail.loop:
            entrance = state
        after = _again(interpreter, state, numbers[step.transition], step.outcome)
        if after is None:
            return False
        state = after
    return state == entrance


def _again(interpreter: Interpreter, state: State, transition: int, outcome: int) -> State | None:
    if not interpreter.enabled(interpreter.model.transitions[transition], state):
        return None
    fired = (step for step in interpreter.fire(transition, state) if step.outcome == outcome and step.failure is None)
    found = next(fired, None)
    return None if found is None else found.target


def is_fair(trail: Trail, fairness: Fairness) -> bool:
    """Whether a run that goes on for ever treats everybody as it should (see `mule.temporal.fairness`)."""
    model, loop = trail.model, trail.loop
    assert loop is not None
    relations = derive(model, Analysis(model).domains) if fairness == "F" else None
    required = requirements(fairness, model, relations)
    if required is None or loop == len(trail):
        return True
    raised = idle = met = 0
    for state, step in zip(trail.states[loop:-1], trail.taken[loop:], strict=True):
        met |= required.meeting[step.transition]
        if not is_inside_a_step(model, state):
            now = _raised(model, required, state)
            raised |= now
            idle |= ~now
    return not raised & ~met & (-1 if required.compassion else ~idle)


def _raised(model: Model, required: Requirements, state: State) -> int:
    raised = 0
    for step in Interpreter(model).steps(state):
        raised |= required.raising[step.transition]
    return raised


def _branching_violation(trail: Trail, text: str) -> Violation:
    """For a formula of branching time: a run is evidence against it where that is all that its outermost operators ask
    for. It is never evidence for it."""
    model = trail.model
    try:
        parsed = parse_ctl(model, text)
        meaning = {each.text: each.expression for each in atoms_of(model, parsed)}
    except MuleError as error:
        raise Undecided(f"the property cannot be read in this model: {error.message}") from None
    run = trail if trail.loop is None else closed(trail)
    shown = _Shown(run, meaning)
    if not shown.begins_with(negation_normal_form(parsed.formula, negated=True)):
        raise Undecided("a single run cannot show that a formula of branching time is violated, or this one does not")
    return Violation(ViolationKind.TEMPORAL, text, "this run shows that the property is violated", run)


class _Shown:
    """What a run shows of formulas in negation normal form."""

    def __init__(self, trail: Trail, meaning: Mapping[str, Expression]) -> None:
        self.model, self.meaning = trail.model, meaning
        positions = range(len(trail.states) if trail.loop in (None, len(trail)) else len(trail.states) - 1)
        judged = [number for number in positions if not is_inside_a_step(self.model, trail.states[number])]
        self.states = [trail.states[number] for number in judged]
        self.loop = None if trail.loop is None else sum(number < trail.loop for number in judged)
        if trail.loop == len(trail):
            self.loop = len(self.states) - 1

    def begins_with(self, formula: Formula) -> bool:
        return bool(self.states) and self._at(formula, 0)

    def _after(self, position: int) -> list[int]:
        """The positions that come, this one first; all that come at all."""
        first = position if self.loop is None else min(position, self.loop)
        return [*range(position, len(self.states)), *range(first, position)]

    def _at(self, formula: Formula, position: int) -> bool:
        match formula.op:
            case Op.TRUE | Op.FALSE:
                return formula.op is Op.TRUE
            case Op.ATOM:
                return holds(self.model, self.meaning[formula.name], self.states[position])
            case Op.NOT:
                return not self._at(formula.args[0], position)
            case Op.AND:
                return all(self._at(each, position) for each in formula.args)
            case Op.OR:
                return any(self._at(each, position) for each in formula.args)
            case Op.EX:
                following = self._after(position)[1:2] or ([] if self.loop is None else [position])
                return any(self._at(formula.args[0], each) for each in following)
            case Op.EF:
                return any(self._at(formula.args[0], each) for each in self._after(position))
            case Op.EG:
                return self.loop is not None and all(self._at(formula.args[0], each) for each in self._after(position))
            case Op.EU | Op.EW:
                return self._until(formula.args[0], formula.args[1], position, formula.op is Op.EW)
            case Op.ER:
                both = Formula(Op.AND, formula.args)
                return self._until(formula.args[1], both, position, True)
        return False  # for all runs: no single one shows it

    def _until(self, before: Formula, goal: Formula, position: int, weak: bool) -> bool:
        for each in self._after(position):
            if self._at(goal, each):
                return True
            if not self._at(before, each):
                return False
        return weak and self.loop is not None
