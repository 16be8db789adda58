"""Expressions of a process, over the variables of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from typing import NoReturn

from mule.frontends.promela import syntax
from mule.frontends.promela.buffers import filled, first_of, is_large, matches, queried
from mule.frontends.promela.presence import (
    non_progress,
    number_compared,
    number_of_processes,
    stands_at_label,
)
from mule.frontends.promela.processes import Instance, MessageChannel
from mule.frontends.promela.scopes import CHAN, PREDEFINED, Leaf, Scope, Struct, Symbol
from mule.frontends.promela.system import System
from mule.model import Assign
from mule.model.expressions import (
    COMPARISONS,
    FALSE,
    MIRRORED,
    TRUE,
    Binary,
    Conditional,
    Constant,
    Expression,
    Read,
    variables_read,
)
from mule.model.forward import Forward, bounds, chosen
from mule.model.simplify import binary, boolean, joined, unary
from mule.records import Record

OPERATORS = {"&&": "and", "||": "or"}

NO_VALUE = Binary("/", Constant(1), Constant(0))
"""Undefined in every state."""


class View(Record, frozen=True):
    """Who reads: an instance (None: an observer from outside) in a scope."""

    scope: Scope
    instance: Instance | None
    starting: bool = False
    """The process is being started: its variables get their values."""

    def fail(self, message: str, at: int) -> NoReturn:
        self.scope.fail(message, at)


Possible = list[tuple[Expression, MessageChannel]]
"""The channels that an expression can mean, each with the condition under which it does."""


class Expressions:
    def __init__(self, system: System) -> None:
        self.system = system

    # values ---------------------------------------------------------------------------------------------------------

    def translate(self, tree: syntax.Tree, view: View) -> Expression:
        match tree:
            case syntax.Number(_, value):
                return Constant(value)
            case syntax.MtypeConstant(_, name):
                return Constant(self.system.program.mtypes[name])
            case syntax.Reference():
                return self.value(tree, view)
            case syntax.Unary(_, operator, operand):
                return unary("not" if operator == "!" else operator, self.translate(operand, view))
            case syntax.Binary(_, operator, left, right):
                if not view.starting and _compares_number_of_processes(operator, left, right):
                    return joined("or", self.numbers_compared(operator, left, right, view))
                first, second = self.translate(left, view), self.translate(right, view)
                return binary(OPERATORS.get(operator, operator), first, second)
            case syntax.Conditional(_, test, then, otherwise):
                decided = self.translate(test, view)
                if isinstance(decided, Constant):
                    return self.translate(then if decided.value else otherwise, view)
                return Conditional(decided, self.translate(then, view), self.translate(otherwise, view))
            case syntax.ChannelQuery(_, function, channel):
                return self.channel_query(function, channel, view)
            case syntax.Poll(_, channel, patterns, random):
                return self.poll(channel, patterns, random, view)
            case syntax.Timeout():
                return Read(self.system.timeout)
            case syntax.NonProgress():
                return non_progress(self.system)
            case syntax.RemoteLabel():
                return self.remote_label(tree, view)
            case syntax.RemoteVariable():
                return self.remote_variable(tree, view)
            case syntax.ProcessQuery(_, function, process):
                return self.process_query(function, process, view)
            case syntax.Evaluated(_, expression):
                return self.translate(expression, view)
            case syntax.Run(at):
                view.fail("`run` must stand alone, or on the right of an assignment", at)
        raise TypeError(f"not an expression: {tree!r}")

    def condition(self, tree: syntax.Tree, view: View) -> Expression:
        return boolean(self.translate(tree, view))

    def value(self, reference: syntax.Reference, view: View) -> Expression:
        name, at = reference.parts[0].name, reference.at
        match name:
            case "_pid":
                if view.instance is None:
                    view.fail("`_pid` has a value inside processes only", at)
                return Constant(view.instance.pid)
            case "_nr_pr":
                return self.number_at_start(view) or number_of_processes(self.system)
            case "_last":
                if self.system.last is None:
                    view.fail("`_last` is part of the state only where the program mentions it", at)
                return Read(self.system.last)
            case "_priority":
                return self.process_query("get_priority", syntax.Reference(at, (syntax.Part(at, "_pid"),)), view)
        return self.content(self.place(reference, view))

    def number_at_start(self, view: View) -> Expression | None:
        """`_nr_pr` when a process starts: the youngest is the process itself."""
        return Constant(view.instance.pid + 1) if view.starting and view.instance is not None else None

    def ways_to_hold(self, tree: syntax.Tree, view: View) -> list[Expression]:
        """A condition as conditions of which at most one holds: a reduction sees more in them than in the whole."""
        match tree:
            case syntax.Binary(_, operator, left, right) if _compares_number_of_processes(operator, left, right):
                return self.numbers_compared(operator, left, right, view)
        return [self.condition(tree, view)]

    def numbers_compared(self, operator: str, left: syntax.Tree, right: syntax.Tree, view: View) -> list[Expression]:
        """`_nr_pr` beside something: beside each number that this can be, as far as that makes a difference."""
        if not _is_number_of_processes(left):
            left, right, operator = right, left, MIRRORED[operator]
        other = self.translate(right, view)
        if isinstance(other, Constant):
            return [number_compared(self.system, operator, other.value)]
        most = self.system.highest_pid + 2
        beside = partial(number_compared, self.system, operator)
        cases = [binary("and", binary("<", other, Constant(0)), beside(-1))]
        cases += [binary("and", binary("==", other, Constant(number)), beside(number)) for number in range(most)]
        cases.append(binary("and", binary(">=", other, Constant(most)), beside(most)))
        return [case for case in cases if case != FALSE] or [FALSE]

    def content(self, place: Read) -> Expression:
        """What a place holds; that of a channel that nothing assigns to is no part of the state, except where an index
        says which one it is: that may be out of range."""
        if place.variable not in self.system.constant_channels:
            return place
        initial = self.system.constant_channels[place.variable]
        if place.index is None:
            return Constant(initial[0])
        if isinstance(place.index, Constant) and 0 <= place.index.value < len(initial):
            return Constant(initial[place.index.value])
        if self.system.is_complete:
            result: Expression = NO_VALUE
            for index in reversed(range(len(initial))):
                result = chosen(binary("==", place.index, Constant(index)), Constant(initial[index]), result)
            return result
        self.system.keep(place.variable)
        return place

    def place(self, reference: syntax.Reference, view: View) -> Read:
        """The variable or element that a reference means."""
        leaves = self.places(reference, view)
        if len(leaves) != 1 or len(leaves[0][1].path) != len(reference.parts) - 1:
            view.fail(f"`{spelled(reference)}` is a whole structure, expected one of its fields", reference.at)
        return leaves[0][0]

    def places(self, reference: syntax.Reference, view: View) -> list[tuple[Read, Leaf]]:
        """All scalars in what a reference means: several for a structure."""
        symbol = view.scope.lookup(reference.parts[0].name, reference.at)
        return self.places_of(symbol, reference.parts, reference.at, view)

    def places_of(self, symbol: Symbol, parts: Sequence[syntax.Part], at: int, view: View) -> list[tuple[Read, Leaf]]:
        path: list[str] = []
        indices: list[tuple[Expression, int]] = []
        current = symbol
        for position, part in enumerate(parts):
            if position > 0:
                if not isinstance(current.type, Struct):
                    view.fail(f"`{current.name}` is no structure: it has no field `{part.name}`", part.at)
                if part.name not in current.type.fields:
                    view.fail(f"the type `{current.type.name}` has no field `{part.name}`", part.at)
                current = current.type.fields[part.name]
                path.append(part.name)
            if current.length is not None:
                if part.index is None:
                    view.fail(f"`{current.name}` is an array: it needs an index", part.at)
                indices.append((self.translate(part.index, view), current.length))
            elif part.index is not None and self.translate(part.index, view) != Constant(0):
                view.fail(f"`{current.name}` is no array", part.at)
        found = []
        for leaf in symbol.leaves():
            if leaf.path[: len(path)] == tuple(path):
                variable = self.system.variable(symbol, leaf.path, view.instance, at)
                lengths = leaf.lengths[len(indices) :]
                for inner in product(*map(range, lengths)):
                    rest = [(Constant(index), length) for index, length in zip(inner, lengths, strict=True)]
                    found.append((Read(variable, flat_index([*indices, *rest])), leaf))
        return found

    # channels -------------------------------------------------------------------------------------------------------

    def channels(self, reference: syntax.Reference, view: View) -> Possible:
        """What a reference to a channel can mean; none of them: the variable holds no channel."""
        return self.possible(self.channel_place(reference, view))

    def channel_place(self, reference: syntax.Reference, view: View) -> Read:
        symbol = view.scope.lookup(reference.parts[0].name, reference.at)
        place = self.place(reference, view)
        if place.variable.type is not CHAN:
            view.fail(f"`{symbol.name}` is no channel", reference.at)
        return place

    def possible(self, place: Read) -> Possible:
        system, variable = self.system, place.variable
        if variable in system.constant_channels:
            numbers = system.constant_channels[variable]
            if place.index is None or isinstance(place.index, Constant):
                index = 0 if place.index is None else place.index.value
                number = numbers[index] if 0 <= index < len(numbers) else 0
                return [(TRUE, system.channels[number])] if number else []
            return [
                (Binary("==", place.index, Constant(index)), system.channels[number])
                for index, number in enumerate(numbers)
                if number
            ]
        held = sorted(system.holds(variable))
        channels = [system.channels[number] for number in held if number > 0]
        if len(channels) == len(held) == 1:
            return [(TRUE, channels[0])]
        return [(Binary("==", place, Constant(channel.number)), channel) for channel in channels]

    def by_channel(
        self, reference: syntax.Reference, view: View, function: Callable[[MessageChannel], Expression]
    ) -> Expression:
        """An expression that depends on which channel is meant; undefined where an index is out of range."""
        place = self.channel_place(reference, view)
        result: Expression | None = None
        for condition, channel in reversed(self.possible(place)):
            value = function(channel)
            if result is None or value == result or isinstance(condition, Constant):
                result = value
            else:
                result = Conditional(condition, value, result)
        value = Constant(0) if result is None else result
        if view.instance is None:
            value = self.where_there_is_one(place, value)
        fits = TRUE if place.index is None else inside(place.index, place.variable.size)
        return value if fits == TRUE else chosen(fits, value, self.content(place))

    def where_there_is_one(self, place: Read, value: Expression) -> Expression:
        """What an observer is told of a channel: undefined where a variable holds none. For a process this is an error
        of its statement (see `hazards`)."""
        none = self.system.without_channel(place)
        return value if none == FALSE else chosen(none, NO_VALUE, value)

    def channel_query(self, function: str, reference: syntax.Reference, view: View) -> Expression:
        return self.by_channel(reference, view, lambda channel: queried(function, channel))

    def poll(
        self, reference: syntax.Reference, patterns: Sequence[syntax.Pattern], random: bool, view: View
    ) -> Expression:
        def answer(channel: MessageChannel) -> Expression:
            if channel.length is None:
                if view.instance is None:
                    view.fail(f"{channel.name} is a rendezvous channel: it never holds a message", reference.at)
                return FALSE
            wanted = self.wanted(patterns, view)
            if random and is_large(channel):
                tests = [
                    binary("and", filled(channel, position), matches(channel, position, wanted))
                    for position in range(channel.capacity)
                ]
                return first_of(tests, [*(Constant(position + 1) for position in range(len(tests))), FALSE])
            result: Expression = FALSE
            for position in reversed(range(channel.capacity if random else 1)):
                here = binary("and", filled(channel, position), matches(channel, position, wanted))
                result = here if not random else chosen(here, Constant(position + 1), result)
            return result

        return self.by_channel(reference, view, answer)

    def wanted(self, patterns: Iterable[syntax.Pattern], view: View) -> list[Expression | None]:
        """For each field of a message the value it must have; None: any."""
        found: list[Expression | None] = []
        for pattern in patterns:
            if not isinstance(pattern, syntax.Reference):
                found.append(self.translate(pattern, view))
            elif pattern.parts[0].name == "_":
                found.append(None)
            else:
                found += [None] * len(self.places(pattern, view))
        return found

    def targets(self, patterns: Iterable[syntax.Pattern], view: View) -> list[Read | None]:
        """For each field of a message where it goes."""
        found: list[Read | None] = []
        for pattern in patterns:
            if isinstance(pattern, syntax.Reference) and pattern.parts[0].name != "_":
                found += [self.assignable(place, pattern, view) for place, _ in self.places(pattern, view)]
            else:
                found.append(None)
        return found

    def assignable(self, place: Read, reference: syntax.Reference, view: View) -> Read:
        return place

    def arguments(self, trees: Iterable[syntax.Tree], view: View) -> list[Expression]:
        """The values of a message; a structure gives one for each of its fields."""
        found: list[Expression] = []
        for tree in trees:
            if isinstance(tree, syntax.Reference) and tree.parts[0].name not in PREDEFINED:
                symbol = view.scope.lookup(tree.parts[0].name, tree.at)
                if isinstance(symbol.type, Struct):
                    found += [self.content(place) for place, _ in self.places(tree, view)]
                    continue
            found.append(self.translate(tree, view))
        return found

    # processes ------------------------------------------------------------------------------------------------------

    def remote(self, name: str, pid: syntax.Tree | None, at: int, view: View) -> list[tuple[Expression, Instance]]:
        """The instances that `P[pid]` can mean, each with the condition under which it does."""
        if name not in self.system.types:
            view.fail(f"there is no proctype `{name}`", at)
        instances = [instance for instance in self.system.instances if instance.type.name == name]
        if pid is None:
            return [(TRUE, instances[0])] if instances else []
        number = self.translate(pid, view)
        if isinstance(number, Constant):
            return [(TRUE, instance) for instance in instances if instance.pid == number.value]
        return [(Binary("==", number, Constant(instance.pid)), instance) for instance in instances]

    def remote_label(self, tree: syntax.RemoteLabel, view: View) -> Expression:
        result: Expression = FALSE
        for condition, instance in self.remote(tree.process, tree.pid, tree.at, view):
            labels = instance.type.graph.labels
            if tree.label not in labels:
                view.fail(f"there is no label `{tree.label}` in proctype `{tree.process}`", tree.at)
            test = binary("and", condition, stands_at_label(self.system, instance, labels[tree.label]))
            result = test if result == FALSE else binary("or", result, test)
        return result

    def remote_variable(self, tree: syntax.RemoteVariable, view: View) -> Expression:
        result: Expression = Constant(0)
        for condition, instance in self.remote(tree.process, tree.pid, tree.at, view):
            symbol = next((s for s in instance.type.scope.locals if s.name == tree.variable.name), None)
            if symbol is None:
                text = f"proctype `{tree.process}` has no variable `{tree.variable.name}`"
                view.fail(text, tree.at)
            index = None if tree.variable.index is None else self.translate(tree.variable.index, view)
            variable = self.system.variable(symbol, (), instance, tree.at)
            value = self.content(Read(variable, index))
            result = value if condition == TRUE else Conditional(condition, value, result)
        return result

    def process_query(self, function: str, process: syntax.Tree, view: View) -> Expression:
        number = self.translate(process, view)
        result: Expression = Constant(0)
        for instance in self.system.instances:
            condition = binary("==", number, Constant(instance.pid))
            if condition == FALSE:
                continue
            location = Read(self.system.location(instance))
            here = binary("and", condition, Binary("!=", location, Constant(0)))
            match function:
                case "pc_value":
                    value: Expression = location
                case "get_priority":
                    value = self.system.priority(instance)
                case _:
                    value = self.system.enabledness(instance)
            result = Conditional(here, value, result)
        return result


def first_value(expression: Expression) -> int | None:
    """The value of an expression before anything runs; None where it has none."""
    state = Forward()
    for variable in variables_read(expression):
        for index, value in enumerate(variable.initial):
            element = None if variable.length is None else Constant(index)
            state = state.after((Assign(Read(variable, element), Constant(value)),))
    result = state.expression(expression)
    return result.value if isinstance(result, Constant) else None


def _compares_number_of_processes(operator: str, left: syntax.Tree, right: syntax.Tree) -> bool:
    return operator in COMPARISONS and (_is_number_of_processes(left) or _is_number_of_processes(right))


def _is_number_of_processes(tree: syntax.Tree) -> bool:
    match tree:
        case syntax.Reference(_, (syntax.Part(_, "_nr_pr", None),)):
            return True
    return False


def flat_index(indices: Sequence[tuple[Expression, int]]) -> Expression | None:
    """One index into the flattened elements; out of range wherever one of the indices is."""
    if not indices:
        return None
    (result, _), *rest = indices
    for index, length in rest:
        scaled = binary("+", binary("*", result, Constant(length)), index)
        if isinstance(index, Constant):
            result = scaled if 0 <= index.value < length else Constant(-1)
        else:
            result = Conditional(inside(index, length), scaled, Constant(-1))
    return result


def inside(index: Expression, length: int) -> Expression:
    low, high = bounds(index)
    above = TRUE if low >= 0 else binary(">=", index, Constant(0))
    return above if high < length else binary("and", above, binary("<", index, Constant(length)))


def spelled(reference: syntax.Reference) -> str:
    return ".".join(part.name for part in reference.parts)
