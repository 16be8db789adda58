"""A proposition that has no value in some state (an index out of range, a division by zero) is neither true nor false
there: before a temporal property is judged, its propositions are evaluated in every state.

What counts is the whole of what a formula says about one state: `i < 2 -> a[i] == 0` has a value wherever one of its
two sides decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from mule.driving import ProgressCallback
from mule.effects import limits_only
from mule.model import Model
from mule.model.expressions import FALSE, TRUE, Expression, Undefined
from mule.model.failures import may_fail
from mule.model.interpreter import Failure, Interpreter, State
from mule.model.simplify import binary, boolean, unary
from mule.model.value_analysis import compute_domains
from mule.options import Options
from mule.planning import Room
from mule.records import replace
from mule.results import Judgement, Result, Verdict, Violation, ViolationKind, judged
from mule.safety import check_invariants
from mule.temporal.looks import Look, is_met


@dataclass(frozen=True, slots=True)
class Statement:
    """What a formula says about one state."""

    text: str
    undefined: Expression
    """1 where it has no value."""
    atoms: tuple[tuple[str, Expression], ...]


def doubtful(model: Model, formula: Any, atoms: Mapping[str, Expression]) -> list[Statement]:
    """The parts of a formula (of LTL or CTL) that may have no value in some state."""
    if not any(_is_partial(each) for each in atoms.values()):
        return []
    domains = compute_domains(model)
    failing = {name for name, expression in atoms.items() if may_fail(expression, domains)}
    found: dict[str, Statement] = {}
    pending = [formula]
    while pending and failing:
        part = pending.pop()
        if not part.boolean:
            pending += part.args
            continue
        names = [name for name in part.atoms() if name in failing]
        if names:
            true, false = _sides(part, atoms, failing)
            undefined = unary("not", binary("or", true, false))
            text = " and ".join(dict.fromkeys(names))
            if text in found:
                undefined = binary("or", found[text].undefined, undefined)
            found[text] = Statement(text, undefined, tuple((name, atoms[name]) for name in names))
    return list(found.values())


def _is_partial(expression: Expression) -> bool:
    """Whether there is anything to look for; most propositions are over plain variables."""
    from mule.model.definedness import undefined_where

    return undefined_where(expression) != FALSE


def _sides(part: Any, atoms: Mapping[str, Expression], failing: set[str]) -> tuple[Expression, Expression]:
    """Where it is true, and where it is false: nowhere, if it has no value (Kleene's strong logic)."""
    match part.op.name:
        case "TRUE":
            return TRUE, FALSE
        case "FALSE":
            return FALSE, TRUE
        case "ATOM":
            expression = atoms[part.name]
            if part.name not in failing:
                return boolean(expression), unary("not", expression)
            defined = unary("not", Undefined(expression))
            return binary("and", defined, boolean(expression)), binary("and", defined, unary("not", expression))
        case "NOT":
            true, false = _sides(part.args[0], atoms, failing)
            return false, true
    sides = [_sides(each, atoms, failing) for each in part.args]
    both = part.op.name == "AND"
    true, false = sides[0]
    for more_true, more_false in sides[1:]:
        true = binary("and" if both else "or", true, more_true)
        false = binary("or" if both else "and", false, more_false)
    return true, false


NO_VALUE = "a proposition has no value in some state"


def evaluated(
    model: Model,
    statements: Sequence[Statement],
    options: Options,
    progress: ProgressCallback | None,
) -> Result:
    """Whether each of them has a value in every state."""
    meant = {each.text: unary("not", each.undefined) for each in statements}
    again = limits_only(options).but(por="none" if options.por == "none" else "auto", as_written=options.as_written)
    found = check_invariants(model, meant, again, progress)
    known = {each.property: each for each in found.judgements}
    judgements = tuple(_judged(model, each, known[f"invariant {each.text}"]) for each in statements)
    return replace(found, judgements=judgements, notes=())


def _judged(model: Model, statement: Statement, known: Judgement) -> Judgement:
    words = f"a value for {statement.text} in every state"
    if known.violation is None:
        return replace(known, property=words, kind=ViolationKind.MODEL_ERROR)
    trail = known.violation.trail
    message = _why(model, statement, trail.states[-1])
    shown = Violation(ViolationKind.MODEL_ERROR, words, message, trail, known.violation.shortest)
    return judged(words, ViolationKind.MODEL_ERROR, shown, None)


def _why(model: Model, statement: Statement, state: State) -> str:
    for text, expression in statement.atoms:
        try:
            Interpreter(model).evaluate(expression, state)
        except Failure as failure:
            return f"{text} cannot be evaluated here: {failure}"
    return f"{statement.text} cannot be evaluated here"


def with_values(
    room: Room,
    statements: Sequence[Statement],
    texts: Sequence[str],
    options: Options,
    progress: ProgressCallback | None,
    judge: Callable[[], Result],
    looks: Mapping[Look, Callable[[Options], Result]] = MappingProxyType({}),
) -> Result:
    """The answer to what is asked, if all that it speaks of has a value in every state; else that it has not. `texts`
    are the temporal properties among it, `looks` the automata, each with how to find out whether what it looks at has
    a value."""
    if not statements and not looks:
        return judge()
    stopped = room.cut_short
    asked = [*looks.values()]
    if statements:
        asked.insert(0, lambda left: evaluated(room.model, statements, left, progress))
    for ask in asked if stopped is None else ():
        before = ask(options)
        if before.violations:
            kind = ViolationKind.TEMPORAL
            rest = [judged(f"{kind.value} {text}", kind, None, NO_VALUE) for text in texts]
            return replace(before, judgements=(*rest, *before.judgements))
        stopped = stopped or before.stopped
    given = judge()
    return given if stopped is None else _doubted(given, statements, looks, stopped)


def _doubted(given: Result, statements: Sequence[Statement], looks: Iterable[Look], stopped: str) -> Result:
    """Where it is not known that all has a value, nothing holds, and a violation counts if its own states have one."""
    judgements = tuple(
        judged(each.property, each.kind, None, stopped)
        if each.kind is ViolationKind.TEMPORAL and not _is_sure(each, statements, looks)
        else each
        for each in given.judgements
    )
    return replace(given, judgements=judgements, stopped=given.stopped or stopped)


def _is_sure(judgement: Judgement, statements: Sequence[Statement], looks: Iterable[Look]) -> bool:
    if judgement.violation is None:
        return judgement.verdict is Verdict.INCOMPLETE
    if any(is_met(look, judgement) for look in looks):
        return False
    interpreter = Interpreter(judgement.violation.trail.model)
    states = judgement.violation.trail.states
    return not any(interpreter.evaluate(each.undefined, state) for each in statements for state in states)
