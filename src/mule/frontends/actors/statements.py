"""Statements of Python, run on one path."""

from __future__ import annotations

import ast
from typing import Any

from mule.errors import MuleError
from mule.frontends.actors.calls import Calls
from mule.frontends.actors.constants import CONSTANT, Shared, SharedSet
from mule.frontends.actors.frames import Frame
from mule.frontends.actors.operators import elements_of, is_frozen, is_set
from mule.frontends.actors.processes import Process
from mule.frontends.actors.scalars import with_article
from mule.frontends.actors.types import DictKind, ListKind, OptionalKind, ProcessKind, SetKind
from mule.frontends.actors.values import (
    Failing,
    FieldDict,
    FieldList,
    FieldSet,
    Items,
    Members,
    Record,
    Symbol,
    has_parts,
    is_known,
    printed,
    type_name,
)
from mule.model import Printed
from mule.model.expressions import FALSE, TRUE, Expression
from mule.model.model import formatted
from mule.model.simplify import binary
from mule.records import replace

MOST_ROUNDS = 1000

HINTS: dict[type[ast.AST], str] = {
    ast.Try: "exceptions cannot be caught here: an exception is an error of the model. Use if",
    ast.With: "`with` cannot be compiled: a handler is atomic, it needs no lock and no resource",
    ast.AsyncFunctionDef: "a handler runs in one step: write def, without async",
    ast.AsyncFor: "a handler runs in one step: write for, without async",
    ast.AsyncWith: "a handler runs in one step: it needs no `async with`",
    ast.Global: "variables of the module are constants here: make it a field of a process",
    ast.Nonlocal: "variables of another function are constants here: make it a field of a process",
    ast.Import: "import at the top of the module",
    ast.ImportFrom: "import at the top of the module",
    ast.ClassDef: "define classes at the top of the module",
    ast.Delete: "nothing can be deleted: assign None, or discard from a set",
}


class _Return(Exception):  # noqa: N818 - control flow
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class _Break(Exception):  # noqa: N818 - control flow
    pass


class _Continue(Exception):  # noqa: N818 - control flow
    pass


class Evaluator(Calls):
    """Runs functions of a model on one path."""

    def unsupported(self, node: ast.AST) -> MuleError:
        hint = HINTS.get(type(node))
        return self.error(hint) if hint else super().unsupported(node)

    def run(self, body: list[ast.stmt], frame: Frame) -> Any:
        try:
            self._block(body, frame)
        except _Return as returned:
            return returned.value
        return None

    def _block(self, body: list[ast.stmt], frame: Frame) -> None:
        for statement in body:
            self._execute(statement, frame)

    def _execute(self, node: ast.stmt, frame: Frame) -> None:
        with self.at(node, frame):
            self._statement(node, frame)

    def _statement(self, node: ast.stmt, frame: Frame) -> None:
        match node:
            case ast.Expr(value):
                self.evaluate(value, frame)
            case ast.Assign(targets, value):
                found = self.evaluate(value, frame)
                for target in targets:
                    self._assign(target, found, frame)
            case ast.AnnAssign(target, _, value):
                if value is not None:
                    self._assign(target, self.evaluate(value, frame), frame)
            case ast.AugAssign(target, operator, value):
                self._augment(target, operator, value, frame)
            case ast.If(test, body, otherwise):
                taken = self.path.decide(self.truth(self.evaluate(test, frame)))
                self._block(body if taken else otherwise, frame)
            case ast.For():
                self._for(node, frame)
            case ast.While():
                self._while(node, frame)
            case ast.Return(value):
                raise _Return(None if value is None else self.evaluate(value, frame))
            case ast.Break():
                raise _Break
            case ast.Continue():
                raise _Continue
            case ast.Pass():
                pass
            case ast.Assert(test, message):
                if not self.path.decide(self.truth(self.evaluate(test, frame))):
                    told = self._told(message, frame)
                    raise Failing(f"assertion {ast.unparse(test)} is violated", asserts=True, message=told)
            case ast.Raise(exception):
                raise Failing("an exception is raised" if exception is None else f"raises {ast.unparse(exception)}")
            case ast.Match(subject, cases):
                self._match(self.evaluate(subject, frame), cases, frame)
            case ast.FunctionDef(name):
                if node.decorator_list:
                    raise self.error("a decorator inside a function cannot be compiled: call it by its name")
                frame.names[name] = self.closure(node, frame)
            case _:
                raise self.unsupported(node)

    def _told(self, message: ast.expr | None, frame: Frame) -> list[str | Printed]:
        """The message of an assertion; values in it are those of the run."""
        match message:
            case None:
                return []
            case ast.JoinedStr(values):
                return [": ", *(self._part(value, frame) for value in values)]
            case _:
                value = self.evaluate(message, frame)
                return [": ", ast.unparse(message) if has_parts(value) else printed(value)]

    def _part(self, part: ast.expr, frame: Frame) -> str | Printed:
        match part:
            case ast.Constant(str() as text):
                return text
            case ast.FormattedValue(expression, _, None | ast.JoinedStr([ast.Constant(str())]) as spec):
                value = self.evaluate(expression, frame)
                if has_parts(value):  # what has no short form is named; its value is in the trail
                    return f"{{{ast.unparse(expression)}}}"
                told = printed(value)
                if spec is None:
                    return told
                written = spec.values[0].value  # type: ignore[attr-defined]
                return replace(told, spec=written) if isinstance(told, Printed) else formatted(value, told, written)
        return ast.unparse(part)

    # assignment -------------------------------------------------------------------------------------------------------

    def _assign(self, target: ast.expr, value: Any, frame: Frame) -> None:
        match target:
            case ast.Name():
                self.bind(target, value, frame)
            case ast.Attribute(owner, name):
                self._store(self.evaluate(owner, frame), name, value)
            case ast.Subscript(owner, index):
                self._store_element(self.evaluate(owner, frame), self.evaluate(index, frame), value)
            case ast.Tuple(targets) | ast.List(targets):
                for each, part in self.spread(targets, value):
                    self._assign(each, part, frame)
            case _:
                raise self.error(f"{ast.unparse(target)} cannot be assigned")

    def _store(self, owner: Any, name: str, value: Any) -> None:
        self.path.effect()
        if isinstance(owner, Symbol) and isinstance(owner.kind, OptionalKind):
            owner = self.unwrapped(owner, f"AttributeError: None has no attribute {name}")
        if isinstance(owner, Symbol) and isinstance(owner.kind, ProcessKind):
            owner = self.settled_value(owner)
        if not isinstance(owner, Process):
            hint = ": messages do not change once they are made" if isinstance(owner, Record) else ""
            raise self.error(f"only fields of the process itself can be assigned{hint}")
        kind = self.world.kind(owner, name)
        what = f"{type(owner).__name__}.{name}"
        if isinstance(kind, ListKind):
            new_list = self._new_list(name, value, kind, what)
            new_list.stored = self.place
            self.world.write(owner, name, new_list)
        elif isinstance(kind, DictKind):
            new_dict = self.new_dict(name, value, kind, what)
            new_dict.stored = self.place
            self.world.write(owner, name, new_dict)
        elif isinstance(kind, SetKind) and not kind.frozen:
            new_set = self._new_set(value, kind, what)
            new_set.stored = self.place
            self.world.write(owner, name, new_set)
        else:
            self.world.write(owner, name, self.coerced(value, kind, what))

    def _new_set(self, value: Any, kind: SetKind, what: str) -> FieldSet:
        """The very object that is assigned: who has it by another name sees what becomes of it, as in Python."""
        if is_set(value) and is_frozen(value):
            raise self.error(f"{what} is a set, and this is a frozenset: write set(…)")
        if isinstance(value, SharedSet):
            raise self.error(f"{what} would be a constant that others see, too: write set(…) for a copy")
        if isinstance(value, FieldSet) and value.kind == kind:
            return value
        mask = self.coerced(value, kind, what).expression
        if isinstance(value, FieldSet):
            value.mask, value.kind = mask, kind
            return value
        found = FieldSet(mask, kind)
        if isinstance(value, Members):
            value.became = found
        return found

    def _new_list(self, name: str, value: Any, kind: ListKind, what: str) -> FieldList:
        """The very object that is assigned, as with sets."""
        elements = value.elements if isinstance(value, FieldList) else value
        if isinstance(value, Items) and value.what == "list":
            elements = self.settled(value)
        fits = isinstance(elements, list) and not isinstance(elements, Shared)
        if not fits or (len(elements) != kind.length and not kind.grows):
            wanted = "a list that grows" if kind.grows else f"a list of {kind.length} elements"
            copied = ": write list(…) for a copy" if isinstance(elements, Shared) else ""
            raise self.error(f"{what} is {wanted}, and this is something else{copied}")
        elements[:] = [self.coerced(each, kind.element, what) for each in elements]
        found = FieldList(name, kind.element, elements, most=kind.length if kind.grows else None)
        self.require_room(found)
        self.attached[id(elements)] = found
        if isinstance(value, Items):
            value.became = found
        return found

    def _store_element(self, owner: Any, index: Any, value: Any) -> None:
        self.path.effect()
        if isinstance(owner, list):
            owner = self.attached.get(id(owner), owner)
        if isinstance(owner, FieldDict):
            self.put(owner, index, value)
            return
        if isinstance(owner, CONSTANT) or not isinstance(owner, FieldList | list | dict):
            raise self.error(f"the elements of {type_name(owner)} cannot be assigned: it is a constant, or no list")
        if isinstance(owner, dict):
            owner[self.key(index)] = value
            return
        elements = owner.elements if isinstance(owner, FieldList) else owner
        if not is_known(index):
            number = self.position(index, len(elements))
            index = self.settled_position(number, len(elements))
        if isinstance(index, slice):
            raise self.error("a slice cannot be assigned: assign the elements, or the whole list")
        if isinstance(owner, FieldList):
            self.natively(lambda: elements[self._plain(index, "as an index")])
            value = self.coerced(value, owner.kind, f"{owner.name}[…]")
        self.natively(elements.__setitem__, self._plain(index, "as an index"), value)

    def settled_position(self, number: Expression, length: int) -> int:
        return self.path.settled(number, range(length))

    def _augment(self, target: ast.expr, operator: ast.operator, value: ast.expr, frame: Frame) -> None:
        match target:
            case ast.Name(name):
                old = self.evaluate(ast.copy_location(ast.Name(name, ast.Load()), target), frame)
                self.bind(target, self._augmented(old, operator, self.evaluate(value, frame)), frame)
            case ast.Attribute(owner, name):
                process = self.evaluate(owner, frame)
                old = self.attribute(process, name)
                new = self._augmented(old, operator, self.evaluate(value, frame))
                if new is not old:
                    self._store(process, name, new)
            case ast.Subscript(owner, index):
                container, position = self.evaluate(owner, frame), self.evaluate(index, frame)
                old = self.element(container, position)
                new = self._augmented(old, operator, self.evaluate(value, frame))
                self._store_element(container, position, new)

    def _augmented(self, old: Any, operator: ast.operator, value: Any) -> Any:
        """The new value; the old object, changed, where Python changes it in place."""
        symbol = {ast.BitOr: "|", ast.BitAnd: "&", ast.Sub: "-", ast.BitXor: "^"}.get(type(operator))
        if isinstance(old, CONSTANT):
            raise self.error(f"this {type_name(old)} is a constant: write a + b or a | b for a new one")
        if is_set(old) and not is_frozen(old) and symbol is not None:
            self.path.effect()
            if not is_set(value):
                raise Failing(f"TypeError: {symbol}= between a set and {with_article(type_name(value))}")
            self._change(old, symbol, value)
            return old
        if isinstance(old, FieldDict) and symbol == "|":
            self.field_dict_method(old, "update", [value])
            return old
        if isinstance(old, dict) and symbol == "|":
            self.path.effect()
            old.update(self._dict(value))
            return old
        if isinstance(old, list) and isinstance(operator, ast.Add | ast.Mult):
            return self._grown(old, operator, value)
        if isinstance(old, FieldList):
            return self._longer(old, operator, value)
        return self.arithmetic(operator, old, value)

    def _longer(self, old: FieldList, operator: ast.operator, value: Any) -> FieldList:
        if not isinstance(operator, ast.Add):
            raise self.error("the list in a field can only be added to: assign a new one")
        self._operation(old, "extend", [value], {})
        return old

    def _grown(self, old: list[Any], operator: ast.operator, value: Any) -> list[Any]:
        if id(old) in self.attached:
            self._longer(self.attached[id(old)], operator, value)
            return old
        self.path.effect()
        if isinstance(operator, ast.Add):
            old.extend(self.settled(value))
        else:
            old[:] = self.arithmetic(operator, old, value)
        return old

    # loops ------------------------------------------------------------------------------------------------------------

    def _for(self, node: ast.For, frame: Frame) -> None:
        try:
            for there, value in self.stream(self.evaluate(node.iter, frame), not _only_sends(node)):
                if self.path.decide(there):
                    self.bind(node.target, value, frame)
                    try:
                        self._block(node.body, frame)
                    except _Continue:
                        continue
        except _Break:
            return
        self._block(node.orelse, frame)

    def _while(self, node: ast.While, frame: Frame) -> None:
        rounds = 0
        try:
            while self.path.decide(self.truth(self.evaluate(node.test, frame))):
                rounds += 1
                if rounds > MOST_ROUNDS:
                    raise self.error(f"more than {MOST_ROUNDS} rounds of this loop: {self.bounded}")
                try:
                    self._block(node.body, frame)
                except _Continue:
                    continue
        except _Break:
            return
        self._block(node.orelse, frame)

    # match ------------------------------------------------------------------------------------------------------------

    def _match(self, subject: Any, cases: list[ast.match_case], frame: Frame) -> None:
        for case in cases:
            captured: dict[str, Any] = {}
            if not self.path.decide(self._matches(subject, case.pattern, frame, captured)):
                continue
            for name, value in captured.items():
                frame.names[name] = self.tamed(value)
            if case.guard is None or self.path.decide(self.truth(self.evaluate(case.guard, frame))):
                self._block(case.body, frame)
                return

    def _matches(self, subject: Any, pattern: ast.pattern, frame: Frame, captured: dict[str, Any]) -> Expression:
        """Whether it matches; `captured` gets the names that are bound if it does."""
        match pattern:
            case ast.MatchValue(value):
                return self.equal(subject, self.evaluate(value, frame))
            case ast.MatchSingleton(value):
                return self.identical(subject, value)
            case ast.MatchOr(patterns):
                return self._matches_one(subject, patterns, frame, captured)
            case ast.MatchAs(inner, name):
                holds = TRUE if inner is None else self._matches(subject, inner, frame, captured)
                if name is not None:
                    captured[name] = subject
                return holds
            case ast.MatchSequence(patterns) if isinstance(subject, tuple | list | FieldList):
                if any(isinstance(each, ast.MatchStar) for each in patterns):
                    raise self.error("this pattern cannot be compiled: name each element, or use len and indices")
                if len(patterns) != len(elements_of(subject)):
                    return FALSE
                result: Expression = TRUE
                for each, part in zip(patterns, elements_of(subject), strict=True):
                    result = binary("and", result, self._matches(part, each, frame, captured))
                return result
            case ast.MatchClass(cls, patterns, names, inner_patterns) if not patterns:
                return self._matches_class(subject, self.evaluate(cls, frame), names, inner_patterns, frame, captured)
        raise self.error("this pattern cannot be compiled: match values, None, tuples, or messages by their fields")

    def _matches_one(
        self, subject: Any, patterns: list[ast.pattern], frame: Frame, captured: dict[str, Any]
    ) -> Expression:
        """One of several patterns: where they bind names, the first that matches does."""
        found: list[Expression] = []
        for each in patterns:
            bound: dict[str, Any] = {}
            holds = self._matches(subject, each, frame, bound)
            if bound and self.path.decide(holds):
                captured |= bound
                return TRUE
            found.append(FALSE if bound else holds)
        return self.any_of(found)

    def _matches_class(
        self,
        subject: Any,
        cls: Any,
        names: list[str],
        patterns: list[ast.pattern],
        frame: Frame,
        captured: dict[str, Any],
    ) -> Expression:
        if not self._isinstance(subject, cls):
            return FALSE
        result: Expression = TRUE
        for name, pattern in zip(names, patterns, strict=True):
            result = binary("and", result, self._matches(self.attribute(subject, name), pattern, frame, captured))
        return result


def _only_sends(loop: ast.For) -> bool:
    """Whether all that a loop does is to send something to each of those it goes through: then the order in which they
    come, if they are in a set, means nothing."""
    match loop:
        case ast.For(
            target=ast.Name(name),
            body=[ast.Expr(ast.Call(ast.Name("send"), [ast.Name(to), message], []))],
            orelse=[],
        ):
            return name == to and not any(
                isinstance(node, ast.Call) and not isinstance(node.func, ast.Name) for node in ast.walk(message)
            )
    return False
