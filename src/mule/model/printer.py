"""Models in readable text, for `mule show`, for guards and for reports.

Parentheses appear only where they are needed, or where a reader would have to look up a precedence table: bitwise
operators and a mix of `and` and `or` are always grouped. So the text means the same in every input language.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mule.model.expressions import (
    EXACT,
    Binary,
    Conditional,
    Constant,
    Expression,
    Read,
    Unary,
    Undefined,
)
from mule.model.model import Assign, Model, Outcome, Process, Receive, Send, Statement, Transition
from mule.model.variables import Channel, Role, Variable

Locations = dict[Variable, Process]

MOST_PARTS = 2_000
"""Of an expression with more parts only the first ones are written: where parts are shared, the text has no bounds."""

_CONDITIONAL, _OR, _AND, _COMPARISON, _BITS, _SUM, _PRODUCT, _UNARY, _ATOM = range(9)
_LEVEL = {"or": _OR, "and": _AND, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "%": _PRODUCT}
_LEVEL |= dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), _COMPARISON)
_LEVEL |= dict.fromkeys(("&", "|", "^", "<<", ">>"), _BITS)
_ASSOCIATIVE = frozenset({"or", "and", "+", "*", "&", "|", "^"})


def locations_of(processes: Sequence[Process]) -> Locations:
    """Which variable is the control location of which process."""
    return {process.location: process for process in processes}


def format_expression(expression: Expression, locations: Locations | None = None) -> str:
    """An expression on one line. `locations` lets control locations be called by their names."""
    return _Writer(locations or {}).write(expression)[0]


def format_statement(statement: Statement, locations: Locations | None = None) -> str:
    known = locations or {}
    match statement:
        case Assign(Read(variable, None), Constant(value)) if variable in known:
            return f"{variable.name} goes to {known[variable].locations[value]}"
        case Assign(target, value):
            return f"{format_expression(target, known)} = {format_expression(value, known)}"
        case Send(channel, values):
            return f"{channel.name} ! " + ", ".join(format_expression(value, known) for value in values)
        case Receive(channel, targets):
            names = ("_" if target is None else format_expression(target, known) for target in targets)
            return f"{channel.name} ? " + ", ".join(names)
    raise TypeError(f"not a statement: {statement!r}")


def format_outcome(outcome: Outcome, locations: Locations | None = None) -> str:
    text = "; ".join(format_statement(statement, locations) for statement in outcome.statements) or "nothing"
    if outcome.condition is None:
        return text
    return f"if {format_expression(outcome.condition, locations)}: {text}"


def format_guard(model: Model, guard: int) -> str:
    return f"g{guard}  {model.guards[guard].text}"


def format_transition(model: Model, transition: Transition, label: str = "") -> str:
    """A transition with its guards and what it does, on a few lines."""
    return "\n".join(_transition_lines(model, transition, label))


def _transition_lines(model: Model, transition: Transition, label: str) -> Iterator[str]:
    locations = locations_of(model.processes)
    line = transition.place.line if transition.place else None
    yield f"{label}  {transition.name}{'' if line is None else f'    line {line}'}".lstrip()
    if transition.text:
        yield f"      {transition.text}"
    guards = ", ".join(model.guards[guard].text for guard in transition.guards)
    yield f"      when {guards or 'always'}"
    word = "does" if len(transition.outcomes) == 1 else "one of"
    for outcome in transition.outcomes:
        yield f"      {word} {format_outcome(outcome, locations)}"
        word = "    or"


def format_variable(variable: Variable) -> str:
    shape = "" if variable.length is None else f"[{variable.length}]"
    return f"{variable.type.name} {variable.name}{shape}{_initial(variable)}"


def _initial(variable: Variable) -> str:
    if not any(variable.initial):
        return ""
    if variable.length is None:
        return f" = {variable.initial[0]}"
    return " = {" + ", ".join(map(str, variable.initial)) + "}"


def format_channel(channel: Channel) -> str:
    types = ", ".join(field.type.name for field in channel.fields)
    return f"channel {{{types}}} {channel.name}[{channel.capacity}]"


def format_process(process: Process) -> str:
    """A process with its locations; `>` marks where it starts, `*` accepting and `!` committed ones."""
    names = []
    for number, name in enumerate(process.locations):
        start = ">" if process.location.initial[0] == number else ""
        marks = ("*" if number in process.accepting else "") + ("!" if number in process.committed else "")
        names.append(f"{start}{name}{marks}")
    return f"{process.name}: " + " ".join(names)


def format_model(model: Model) -> str:
    """The whole model, as `mule show` prints it."""
    return "\n".join(_model_lines(model))


def _model_lines(model: Model) -> Iterator[str]:
    data = [variable for variable in model.variables if variable.role in (Role.DATA, Role.SCRATCH)]
    yield (
        f"{model.name} ({model.language}): {len(model.processes)} processes, {model.slots} slots, "
        f"{len(model.guards)} guards, {len(model.transitions)} transitions"
    )
    yield from _section("variables", [format_variable(variable) for variable in data])
    yield from _section("channels", [format_channel(channel) for channel in model.channels])
    yield from _section("bags", [format_variable(count) for bag in model.bags for count, _ in bag.counts])
    yield from _section("processes", [format_process(process) for process in model.processes])
    yield from _section("guards", [format_guard(model, guard) for guard in range(len(model.guards))])
    yield from _section("transitions", _numbered(model, model.transitions, "t"))
    yield from _section("property", _numbered(model, model.property_transitions, "p"))
    locations = locations_of(model.processes)
    texts = [
        f"{assertion.name}: {format_expression(assertion.expression, locations)}" for assertion in model.assertions
    ]
    yield from _section("assertions", texts)


def _numbered(model: Model, transitions: Sequence[Transition], letter: str) -> list[str]:
    return [
        format_transition(model, transition, f"{letter}{number}").replace("\n", "\n  ")
        for number, transition in enumerate(transitions)
    ]


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield title
        for line in lines:
            yield f"  {line}"


def _level(operator: str) -> int:
    return _LEVEL[EXACT.get(operator, operator)]


class _Writer:
    """Writes an expression and says how tightly its outermost operator binds."""

    def __init__(self, locations: Locations) -> None:
        self.locations = locations
        self.parts = 0

    def write(self, expression: Expression) -> tuple[str, int]:
        self.parts += 1
        if self.parts > MOST_PARTS:
            return "…", _ATOM
        match expression:
            case Constant(value):
                return str(value), _ATOM if value >= 0 else _UNARY
            case Read(variable, None):
                return variable.name, _ATOM
            case Read(variable, index):
                assert index is not None
                return f"{variable.name}[{self.write(index)[0]}]", _ATOM
            case Unary(operator, operand):
                return self.write_unary(operator, operand)
            case Binary("==" | "!=" as operator, Read(variable, None), Constant(value)) if variable in self.locations:
                return self.write_location_test(operator, variable, value)
            case Binary("-!", Constant(0), operand):
                return self.write_unary("-", operand)
            case Binary(operator, left, right):
                return self.write_binary(operator, left, right)
            case Conditional(test, then, otherwise):
                parts = [self.grouped(part, _OR) for part in (test, then, otherwise)]
                return f"{parts[0]} ? {parts[1]} : {parts[2]}", _CONDITIONAL
            case Undefined(operand):
                return f"undefined({self.write(operand)[0]})", _ATOM
        raise TypeError(f"not an expression: {expression!r}")

    def write_location_test(self, operator: str, variable: Variable, value: int) -> tuple[str, int]:
        names = self.locations[variable].locations
        name = names[value] if 0 <= value < len(names) else str(value)
        return f"{variable.name} {'at' if operator == '==' else 'not at'} {name}", _COMPARISON

    def write_unary(self, operator: str, operand: Expression) -> tuple[str, int]:
        text = self.grouped(operand, _ATOM)
        return f"{operator}{' ' if operator == 'not' else ''}{text}", _UNARY

    def write_binary(self, operator: str, left: Expression, right: Expression) -> tuple[str, int]:
        level = _level(operator)
        left_text = self.operand(operator, left, level, first=True)
        right_text = self.operand(operator, right, level, first=False)
        return f"{left_text} {EXACT.get(operator, operator)} {right_text}", level

    def operand(self, parent: str, expression: Expression, level: int, first: bool) -> str:
        own = expression.operator if isinstance(expression, Binary) else None
        if own == parent and (parent in _ASSOCIATIVE or (first and level >= _SUM)):
            return self.write(expression)[0]
        if own is not None and (parent in ("and", "or")) and own in ("and", "or"):
            return f"({self.write(expression)[0]})"
        if level == _BITS:
            return self.grouped(expression, _UNARY)
        if own is not None and _level(own) == _BITS:
            return self.grouped(expression, _UNARY)
        if own is not None and first and level >= _SUM:
            return self.grouped(expression, level)
        return self.grouped(expression, level + 1)

    def grouped(self, expression: Expression, least: int) -> str:
        """The text, in parentheses where it binds less tightly than `least`."""
        text, level = self.write(expression)
        return text if level >= least else f"({text})"
