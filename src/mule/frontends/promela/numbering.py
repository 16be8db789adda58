"""The numbers that SPIN gives to the statements of a program: its trails name statements by them.

SPIN counts the elements of its control graphs in the order in which it makes them: a statement when it is added to the
sequence that it stands in, so what is inside a statement comes before it. A selection has two elements, itself and the
place where its options meet; a loop has one more, the place that `break` leads to. A loop over a range is first spelled
out in simpler statements.
"""

from __future__ import annotations

from collections.abc import Iterator

from mule.errors import Place
from mule.frontends.files import reading
from mule.frontends.promela import syntax
from mule.frontends.promela.graph import Action, Declare, Finish, Join
from mule.frontends.promela.lexer import Source
from mule.frontends.promela.parser import Parser
from mule.frontends.promela.printing import statement_text
from mule.frontends.promela.scopes import nodes_of
from mule.model.source import Source as Read
from mule.records import Record

INIT, NEVER = "init", "never"
"""What a model calls what has no name."""


class Shown(Record, frozen=True):
    """A statement as the steps of a model show it."""

    place: Place
    text: str | None
    """None: whatever stands there."""


class Numbered(Record, frozen=True):
    declaration: str
    """The proctype that it stands in; empty for a claim."""
    shown: tuple[Shown, ...]
    """What a step begins with that SPIN calls by this number: of a `d_step` one of the statements that it can begin
    with."""
    idle: bool = False
    """Whether it only leads elsewhere: the steps of a model may have nothing for it."""


class Numbers(Record, frozen=True):
    """What SPIN's numbers mean in a program."""

    statements: dict[int, Numbered]
    claims: dict[int, str]
    """The names of the claims: SPIN counts them with the proctypes, and those of `ltl` come after all others."""


def numbers_of(source: Read) -> Numbers:
    with reading(dict(source.others)):
        parser = Parser(Source(source.text, source.file, source.defines))
        parser.keeps_skips = True
        program = parser.program()
        return Numbers(_Numbering(program).found, _claims(program))


def _claims(program: syntax.Program) -> dict[int, str]:
    bodies = [unit for unit in program.units if isinstance(unit, _BODIES)]
    found = {number: unit.name or NEVER for number, unit in enumerate(bodies) if isinstance(unit, syntax.NeverClaim)}
    formulas = [unit for unit in program.units if isinstance(unit, syntax.LtlProperty)]
    nameless = 0
    for number, unit in enumerate(formulas, len(bodies)):
        found[number] = unit.name or f"ltl_{nameless}"
        nameless += unit.name is None
    return found


_BODIES = (syntax.ProcessDeclaration, syntax.InitDeclaration, syntax.NeverClaim, syntax.TraceAssertion)


class _Numbering:
    def __init__(self, program: syntax.Program) -> None:
        self.program = program
        self.found: dict[int, Numbered] = {}
        self.next = 0
        self.declaration = ""
        nodes = (node for unit in program.units for node in nodes_of(unit))
        declared = (node for node in nodes if isinstance(node, syntax.VariableDeclaration) and node.type == "chan")
        self.channels = {variable.name for each in declared for variable in each.variables}
        for unit in program.units:
            match unit:
                case syntax.ProcessDeclaration(name=name, body=body, end=end):
                    self.body(name, body, end)
                case syntax.InitDeclaration(body=body, end=end):
                    self.body(INIT, body, end)
                case syntax.NeverClaim(body=body) | syntax.TraceAssertion(body=body):
                    self.body("", body, unit.at)

    def body(self, declaration: str, body: syntax.Sequence, end: int) -> None:
        self.declaration = declaration
        self.sequence(body, top=True)
        self.element(Finish(end))

    def element(self, *actions: Action) -> None:
        if actions:
            idle = all(isinstance(action, syntax.Goto | syntax.Break | Join) for action in actions)
            self.found[self.next] = Numbered(self.declaration, tuple(map(self.shown, actions)), idle)
        self.next += 1

    def shown(self, action: Action) -> Shown:
        return Shown(self.program.place(action.at), None if _is_vague(action) else statement_text(action))

    def sequence(self, steps: syntax.Sequence, top: bool = False) -> None:
        """What is declared before the first statement of a body is set when the process starts."""
        for step in steps:
            if isinstance(step, syntax.VariableDeclaration):
                for variable in () if top else step.variables:
                    if not isinstance(variable.initial, syntax.ChannelInitializer):
                        self.element(Declare(variable.at, variable))
            elif isinstance(step, syntax.Statement):
                top = False
                self.inside(step)
                self.add(step)

    def inside(self, step: syntax.Statement) -> None:
        """What is numbered while a statement is read."""
        match step:
            case syntax.Labelled(_, _, statement):
                self.inside(statement)
            case syntax.If(_, options) | syntax.Do(_, options):
                for option in options:
                    self.sequence(option)
            case syntax.Atomic(_, body) | syntax.DStep(_, body) | syntax.Block(_, body):
                self.sequence(body)
            case syntax.InlineCall(body=block):
                self.sequence(block.body)
            case syntax.For() | syntax.ForEach():
                self.range(step)
            case syntax.Select():
                self.selection(step)
            case syntax.Unless(_, body, escape):
                self.inside(body)
                self.inside(escape)
                if not isinstance(escape, syntax.Block | syntax.InlineCall):
                    self.add(escape)
                if _is_labelled_block(body):
                    self.meeting(step)
                elif not isinstance(body, syntax.Block | syntax.InlineCall):
                    self.add(body)

    def range(self, step: syntax.For | syntax.ForEach) -> None:
        at, variable = step.at, step.variable
        over_channel = isinstance(step, syntax.ForEach) and step.container.parts[0].name in self.channels
        low = step.low if isinstance(step, syntax.For) else syntax.Number(at, 0)
        high = step.high if isinstance(step, syntax.For) else _unknown(at)
        if over_channel:
            variable = _unknown(at)
        self.element(syntax.Assignment(at, variable, low))
        self.element(syntax.Condition(at, syntax.Binary(at, "<=", variable, high)))
        if over_channel:
            assert isinstance(step, syntax.ForEach)
            self.element(syntax.Receive(at, step.container, (step.variable,), False, False))
            self.element(syntax.Send(at, step.container, (step.variable,), False))
        self.sequence(step.body)
        self.element(syntax.Increment(at, variable, 1))
        self.element(syntax.Else(at))
        self.element(syntax.Break(at))

    def selection(self, step: syntax.Select) -> None:
        at, variable = step.at, step.variable
        values = _values(step)
        if values is not None:
            for value in values:
                self.element(syntax.Assignment(at, variable, syntax.Number(at, value)))
            return
        self.element(syntax.Assignment(at, variable, step.low))
        self.element(syntax.Condition(at, syntax.Binary(at, "<", variable, step.high)))
        self.element(syntax.Increment(at, variable, 1))
        self.element(syntax.Break(at))

    def meeting(self, step: syntax.Statement) -> None:
        """A statement of several branches, and the place where they meet."""
        self.element()
        self.element(Join(step.at))

    def add(self, step: syntax.Statement) -> None:
        """What is numbered when a statement is added to its sequence."""
        match step:
            case syntax.Labelled(_, label, statement):
                self.add_labelled(label, statement)
            case syntax.If():
                self.meeting(step)
            case syntax.Select() if _values(step) is not None:
                self.meeting(step)
            case syntax.Do() | syntax.For() | syntax.ForEach() | syntax.Select():
                self.meeting(step)
                self.element(syntax.Break(step.at))
            case syntax.Unless(_, body, _):
                if _is_labelled_block(body):
                    self.element()
                else:
                    self.meeting(step)
            case syntax.Atomic() | syntax.Block() | syntax.InlineCall():
                self.element()
            case syntax.DStep():
                self.element(*_first(step))
            case _:
                self.element(step)

    def add_labelled(self, label: str, statement: syntax.Statement) -> None:
        """A jump with a label that says something about its place stands behind a `skip`, which SPIN makes later."""
        labels = [label]
        while isinstance(statement, syntax.Labelled):
            labels.append(statement.label)
            statement = statement.statement
        self.add(statement)
        meaningful = any(each.startswith(syntax.MEANINGFUL_LABELS) for each in labels)
        if meaningful and isinstance(statement, syntax.Goto | syntax.Break):
            self.element(syntax.Condition(statement.at, syntax.Number(statement.at, 1, "skip")))


def _unknown(at: int) -> syntax.Reference:
    return syntax.Reference(at, (syntax.Part(at, ""),))


def _is_vague(action: Action) -> bool:
    """Whether only a scope would tell what exactly it says."""
    nodes = nodes_of(action) if isinstance(action, syntax.Node) else ()
    return any(isinstance(node, syntax.Part) and not node.name for node in nodes)


def _is_labelled_block(body: syntax.Statement) -> bool:
    inner = body.statement if isinstance(body, syntax.Labelled) else None
    return isinstance(inner, syntax.Block | syntax.InlineCall | syntax.Atomic | syntax.DStep)


def _values(step: syntax.Select) -> range | None:
    """The values of a selection that SPIN writes as one option for each."""
    if not step.unrolled or not isinstance(step.low, syntax.Number) or not isinstance(step.high, syntax.Number):
        return None
    few = step.high.value - step.low.value <= 32
    return range(step.low.value, step.high.value + 1) if few else None


def _first(step: syntax.Step) -> Iterator[Action]:
    """The statements that a statement can begin with."""
    match step:
        case syntax.Labelled(_, _, statement):
            yield from _first(statement)
        case syntax.If(_, options) | syntax.Do(_, options):
            for option in options:
                yield from _first(_begin(option))
        case syntax.Atomic(_, body) | syntax.DStep(_, body) | syntax.Block(_, body):
            yield from _first(_begin(body))
        case syntax.InlineCall(body=block):
            yield from _first(block)
        case syntax.Unless(_, body, escape):
            yield from _first(body)
            yield from _first(escape)
        case syntax.For(at) | syntax.ForEach(at):
            yield syntax.Assignment(at, _unknown(at), syntax.Number(at, 0))
        case syntax.Select(at):
            yield syntax.Assignment(at, _unknown(at), syntax.Number(at, 0))
        case syntax.VariableDeclaration(_, _, _, _, variables):
            yield Declare(variables[0].at, variables[0])
        case syntax.Statement():
            yield step


def _begin(steps: syntax.Sequence) -> syntax.Step:
    return next(step for step in steps if not isinstance(step, syntax.ExclusiveUse))
