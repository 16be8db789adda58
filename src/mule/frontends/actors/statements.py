"""Statements of Python, run on one path."""

from __future__ import annotations

import ast
from typing import Any

from mule.frontends.actors.calls import Calls
from mule.frontends.actors.frames import Frame, Shared
from mule.frontends.actors.paths import Infeasible
from mule.frontends.actors.processes import Process
from mule.frontends.actors.types import ListKind, SetKind
from mule.frontends.actors.values import (
    Closure,
    Failing,
    FieldList,
    FieldSet,
    Items,
    Members,
    Record,
    is_known,
    type_name,
)
from mule.model.expressions import FALSE, TRUE, Constant, Expression
from mule.model.simplify import binary

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
                    raise Failing(
                        f"assertion {ast.unparse(test)} is violated{self._told(message, frame)}", asserts=True
                    )
            case ast.Raise(exception):
                raise Failing("an exception is raised" if exception is None else f"raises {ast.unparse(exception)}")
            case ast.Match(subject, cases):
                self._match(self.evaluate(subject, frame), cases, frame)
            case ast.FunctionDef(name):
                frame.names[name] = Closure(node, frame)
            case _:
                hint = HINTS.get(type(node))
                raise self.error(hint or f"{type(node).__name__} cannot be compiled: see {self.reference} for what can")

    def _told(self, message: ast.expr | None, frame: Frame) -> str:
        """The message of an assertion; what it says about values is in the trail."""
        if message is None:
            return ""
        if isinstance(message, ast.JoinedStr):
            return f": {ast.unparse(message)[2:-1]}"
        return f": {self.evaluate(message, frame)}"

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
                for each, part in zip(targets, self.unpacked(value, len(targets)), strict=True):
                    self._assign(each, part, frame)
            case _:
                raise self.error(f"{ast.unparse(target)} cannot be assigned")

    def _store(self, owner: Any, name: str, value: Any) -> None:
        self.path.effect()
        if not isinstance(owner, Process):
            hint = ": messages do not change once they are made" if isinstance(owner, Record) else ""
            raise self.error(f"only fields of the process itself can be assigned{hint}")
        kind = self.world.kind(owner, name)
        what = f"{type(owner).__name__}.{name}"
        if isinstance(kind, ListKind):
            self.world.write(owner, name, self._new_list(name, value, kind, what))
        elif isinstance(kind, SetKind) and not kind.frozen:
            if isinstance(value, FieldSet):
                raise self.error("two fields would share one set: write set(…) for a copy")
            self.world.write(owner, name, FieldSet(self.coerced(value, kind, what).expression, kind))
        else:
            self.world.write(owner, name, self.coerced(value, kind, what))

    def _new_list(self, name: str, value: Any, kind: ListKind, what: str) -> FieldList:
        if isinstance(value, FieldList):
            raise self.error("two fields would share one list: write list(…) for a copy")
        if isinstance(value, Items):
            value = self.settled(value)
        if not isinstance(value, list) or isinstance(value, Shared) or len(value) != kind.length:
            raise self.error(f"{what} is a list of {kind.length} elements, and this is something else")
        return FieldList(name, kind.element, [self.coerced(each, kind.element, what) for each in value])

    def _store_element(self, owner: Any, index: Any, value: Any) -> None:
        self.path.effect()
        if isinstance(owner, Shared) or not isinstance(owner, FieldList | list | dict):
            raise self.error(f"the elements of {type_name(owner)} cannot be assigned: it is a constant, or no list")
        elements = owner.elements if isinstance(owner, FieldList) else owner
        if isinstance(owner, FieldList):
            value = self.coerced(value, owner.kind, f"{owner.name}[…]")
        if not is_known(index):
            number = self.position(index, len(elements))
            index = self._settled_position(number, len(elements))
        self.natively(elements.__setitem__, index, value)

    def _settled_position(self, number: Expression, length: int) -> int:
        for position in range(length):
            if self.path.decide(binary("==", number, Constant(position))):
                return position
        raise Infeasible

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
        symbols = {ast.BitOr: "|", ast.BitAnd: "&", ast.Sub: "-"}
        if isinstance(old, FieldSet | Members) and type(operator) in symbols:
            self.path.effect()
            self._change(old, symbols[type(operator)], value)
            return old
        if isinstance(old, list) and isinstance(operator, ast.Add):
            self.path.effect()
            if isinstance(old, Shared):
                raise self.error("this list is a constant: write a + b for a new one")
            old.extend(self.settled(value))
            return old
        return self.arithmetic(operator, old, value)

    # loops ------------------------------------------------------------------------------------------------------------

    def _for(self, node: ast.For, frame: Frame) -> None:
        try:
            for there, value in self.iterate(self.evaluate(node.iter, frame)):
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
            if not self.path.decide(self._matches(subject, case.pattern, frame)):
                continue
            if case.guard is None or self.path.decide(self.truth(self.evaluate(case.guard, frame))):
                self._block(case.body, frame)
                return

    def _matches(self, subject: Any, pattern: ast.pattern, frame: Frame) -> Expression:
        """Whether it matches; names are bound on the way."""
        match pattern:
            case ast.MatchValue(value):
                return self.equal(subject, self.evaluate(value, frame))
            case ast.MatchSingleton(value):
                return self.identical(subject, value)
            case ast.MatchOr(patterns):
                return self.any_of([self._matches(subject, each, frame) for each in patterns])
            case ast.MatchAs(inner, name):
                holds = TRUE if inner is None else self._matches(subject, inner, frame)
                if name is not None:
                    frame.names[name] = subject
                return holds
            case ast.MatchSequence(patterns) if isinstance(subject, tuple | list):
                if len(patterns) != len(subject):
                    return FALSE
                result: Expression = TRUE
                for each, part in zip(patterns, subject, strict=True):
                    result = binary("and", result, self._matches(part, each, frame))
                return result
            case ast.MatchClass(cls, patterns, names, inner_patterns) if not patterns:
                return self._matches_class(subject, self.evaluate(cls, frame), names, inner_patterns, frame)
        raise self.error("this pattern cannot be compiled: match values, None, tuples, or messages by their fields")

    def _matches_class(
        self, subject: Any, cls: Any, names: list[str], patterns: list[ast.pattern], frame: Frame
    ) -> Expression:
        if not (isinstance(subject, Record) and issubclass(subject.cls, cls)):
            return Constant(int(is_known(subject) and isinstance(subject, cls) and not names))
        result: Expression = TRUE
        for name, pattern in zip(names, patterns, strict=True):
            result = binary("and", result, self._matches(self.attribute(subject, name), pattern, frame))
        return result
