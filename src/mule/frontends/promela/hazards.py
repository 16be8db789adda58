"""What goes wrong while a statement is evaluated, beyond what the expressions of the model tell themselves.

An index out of range is a part of the model's expressions as long as their values are used. Here is the rest of what
SPIN's verifier looks at: values that nobody uses, such as those that `printf` prints, and channels that are asked for
what they cannot tell. As in C, the right side of `&&` and `||` and a branch of a conditional count only where they are
evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mule.frontends.promela import syntax
from mule.frontends.promela.expressions import Expressions, View
from mule.frontends.promela.graph import Action
from mule.frontends.promela.scopes import nodes_of
from mule.model.definedness import undefined_where
from mule.model.expressions import FALSE, TRUE, Binary, Expression, Read, subexpressions
from mule.model.simplify import binary, is_total, unary

Hazard = tuple[Expression, str]
"""Where something goes wrong, and what."""


class Hazards:
    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions

    def of(self, action: Action, view: View) -> Iterator[Hazard]:
        translate = self.expressions.translate
        match action:
            case syntax.Send(_, channel, arguments, _):
                if _asks(action):
                    yield from self.asked(arguments, self.expressions.channel_query("nfull", channel, view), view)
                    yield from self.asked(channel, TRUE, view)
                yield from self.handed_over(action, view)
                return
            case syntax.Receive(_, channel, patterns, _, keep):
                if keep:
                    yield from self.never_filled(channel, TRUE, view)
                if _asks(action):
                    yield from self.asked(patterns, self.expressions.channel_query("nempty", channel, view), view)
                    yield from self.asked(channel, TRUE, view)
                return
            case syntax.Print(_, _, arguments):
                yield from undefined(translate(each, view) for each in arguments)
            case syntax.PrintMtype(_, value):
                yield from undefined([translate(value, view)])
            case syntax.Assignment(_, target, value) if target.parts[0].name == "_":
                yield from undefined([translate(value, view)])
            case syntax.SetPriority(_, process, priority):
                yield from undefined([translate(process, view), translate(priority, view)])
        yield from self.asked(action, TRUE, view)

    def handed_over(self, send: syntax.Send, view: View) -> Iterator[Hazard]:
        """The values of a message that is offered on a rendezvous channel, whether or not anybody takes it."""
        values = self.expressions.arguments(send.arguments, view)
        for where, what in undefined(values):
            for condition, channel in self.expressions.channels(send.channel, view):
                if channel.is_rendezvous:
                    yield binary("and", condition, where), what

    def asked(self, node: object, reached: Expression, view: View) -> Iterator[Hazard]:
        """The channels that are asked in an expression, where it is evaluated."""
        match node:
            case syntax.ChannelQuery(_, _, channel):
                yield from self.nothing_to_ask(channel, reached, view)
                yield from self.asked(channel, reached, view)
            case syntax.Poll(_, channel, patterns, random):
                yield from self.nothing_to_ask(channel, reached, view)
                yield from self.never_filled(channel, reached, view)
                yield from self.asked(channel, reached, view)
                if random:
                    wanted = self.expressions.wanted(patterns, view)
                    for where, what in undefined(each for each in wanted if each is not None):
                        yield binary("and", reached, where), what
            case syntax.Binary(_, "&&" | "||" as operator, left, right):
                yield from self.asked(left, reached, view)
                if _asks(right):
                    decided = self.expressions.condition(left, view)
                    goes_on = decided if operator == "&&" else unary("not", decided)
                    yield from self.asked(right, binary("and", reached, goes_on), view)
            case syntax.Conditional(_, test, then, otherwise):
                yield from self.asked(test, reached, view)
                if _asks(then) or _asks(otherwise):
                    decided = self.expressions.condition(test, view)
                    yield from self.asked(then, binary("and", reached, decided), view)
                    yield from self.asked(otherwise, binary("and", reached, unary("not", decided)), view)
            case syntax.Node():
                for name in node.__struct_fields__:
                    yield from self.asked(getattr(node, name), reached, view)
            case tuple():
                for part in node:
                    yield from self.asked(part, reached, view)

    def nothing_to_ask(self, channel: syntax.Reference, reached: Expression, view: View) -> Iterator[Hazard]:
        for where, what in self.no_channel(channel, view, "asked"):
            yield binary("and", reached, where), what

    def no_channel(self, reference: syntax.Reference, view: View, what: str) -> Iterator[Hazard]:
        """Where a variable holds no channel."""
        place, system = self.expressions.place(reference, view), self.expressions.system
        none = system.without_channel(place)
        if none != FALSE:
            yield none, f"{place.variable.name} holds no channel that could be {what}"

    def never_filled(self, reference: syntax.Reference, reached: Expression, view: View) -> Iterator[Hazard]:
        for condition, channel in self.expressions.channels(reference, view):
            if channel.is_rendezvous:
                text = f"{channel.name} is a rendezvous channel: it never holds a message that could be polled"
                yield binary("and", reached, condition), text


def undefined(values: Iterable[Expression]) -> Iterator[Hazard]:
    for value in values:
        where = FALSE if is_total(value) else undefined_where(value)
        if where != FALSE:
            yield where, _reason(value)


def _reason(value: Expression) -> str:
    arrays = {
        part.variable.name: None for part in subexpressions(value) if isinstance(part, Read) and part.index is not None
    }
    if not arrays:
        return "division by zero"
    divides = any(isinstance(part, Binary) and part.operator in ("/", "%") for part in subexpressions(value))
    return f"the index of {' or '.join(arrays)} is out of range" + (", or a division by zero" if divides else "")


def _asks(node: object) -> bool:
    return any(isinstance(each, syntax.ChannelQuery | syntax.Poll) for each in nodes_of(node))
