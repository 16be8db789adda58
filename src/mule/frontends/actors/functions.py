"""The functions of Python that handlers can call with values that only the run knows."""

from __future__ import annotations

import ast
from typing import Any

from mule.frontends.actors.expressions import Expressions
from mule.frontends.actors.frames import Frame
from mule.frontends.actors.intervals import interval
from mule.frontends.actors.iteration import sequence
from mule.frontends.actors.types import BOOL, HIGH, INT, SetKind
from mule.frontends.actors.values import Failing, FieldSet, Items, Record, Symbol, is_known
from mule.model.expressions import FALSE, TRUE, Conditional, Constant, Expression
from mule.model.simplify import binary, boolean, unary

_ABSENT = object()


class Functions(Expressions):
    def _quantified(self, disjunction: bool, node: ast.GeneratorExp, frame: Frame) -> Any:
        """any and all: an element is evaluated only where those before it do not decide."""
        open_so_far: Expression = TRUE
        for condition, inner in self.bindings(node.generators, frame):
            here = binary("and", open_so_far, condition)
            found = self.under(here, lambda inner=inner: self.truth(self.evaluate(node.elt, inner)))  # type: ignore[misc]
            if found is None:
                continue
            settles = found[1] if disjunction else unary("not", found[1])
            if found[0] == TRUE and here != TRUE:
                open_so_far = TRUE  # it was decided that all before leave it open
            reached = binary("and", condition, settles) if found[0] != TRUE else settles
            open_so_far = binary("and", open_so_far, unary("not", reached))
            if self.path.truth(open_so_far) is False:
                return disjunction
        return self.boolean(unary("not", open_so_far) if disjunction else open_so_far)

    def _any(self, values: Any) -> Any:
        return self.boolean(self.any_of([binary("and", c, self.truth(each)) for c, each in self.iterate(values)]))

    def _all(self, values: Any) -> Any:
        false = [binary("and", there, unary("not", self.truth(each))) for there, each in self.iterate(values)]
        return self.boolean(unary("not", self.any_of(false)))

    def _len(self, value: Any) -> Any:
        if is_known(value):
            return self.natively(len, value)
        return self._sum(Items(tuple((there, 1) for there, _ in self.iterate(value))))

    def _sum(self, values: Any, start: Any = 0) -> Any:
        total = start
        for there, each in self.iterate(values):
            if there == TRUE:
                total = self.arithmetic(ast.Add(), total, each)
            elif is_known(each) and each == 1:
                total = self.arithmetic(ast.Add(), total, Symbol(boolean(there), BOOL))
            else:
                found = self.under(there, lambda each=each: self.number(each, "in sum"))  # type: ignore[misc]
                if found is not None:
                    counted = found[1] if found[0] == TRUE else Conditional(found[0], found[1], Constant(0))
                    total = self.arithmetic(ast.Add(), total, Symbol(counted, INT))
        return total

    def _max(self, *values: Any, key: Any = None, default: Any = _ABSENT) -> Any:
        return self._extreme(ast.Gt(), "max", values, key, default)

    def _min(self, *values: Any, key: Any = None, default: Any = _ABSENT) -> Any:
        return self._extreme(ast.Lt(), "min", values, key, default)

    def _extreme(self, order: ast.cmpop, name: str, values: tuple[Any, ...], key: Any, default: Any) -> Any:
        """The first of those that no other beats, as in Python."""
        items = self.iterate(values[0]) if len(values) == 1 else [(TRUE, each) for each in values]
        found: Expression = FALSE
        best: Any = None
        best_rank: Any = None
        for condition, value in items:
            ranked = self.under(
                condition,
                lambda value=value: value if key is None else self.apply(key, [value], {}),  # type: ignore[misc]
            )
            if ranked is None:
                continue
            there, rank = ranked
            if found == FALSE:
                found, best, best_rank = there, value, rank
                continue
            both = binary("and", there, found)
            compared = self.under(both, lambda r=rank, b=best_rank: self.ordered(order, r, b))  # type: ignore[misc]
            if compared is not None and compared[0] == TRUE:
                takes = compared[1]
            else:
                beats = FALSE if compared is None else compared[1]
                takes = binary("and", there, binary("or", unary("not", found), beats))
            best, best_rank = self.select(takes, value, best), self.select(takes, rank, best_rank)
            found = binary("or", found, there)
        if default is not _ABSENT:
            return default if found == FALSE else self.select(found, best, default)
        if not self.path.decide(found):
            raise Failing(f"ValueError: {name}() of nothing")
        return best

    def _list(self, values: Any = ()) -> Any:
        if isinstance(values, Items):
            return values
        return sequence(iter(self.iterate(values)))

    def _tuple(self, values: Any = ()) -> Any:
        return tuple(self.settled(values))

    def _set_of(self, values: Any = ()) -> Any:
        if isinstance(values, FieldSet):
            return Symbol(values.mask, SetKind(values.kind.member, frozen=True))
        if isinstance(values, Symbol) and isinstance(values.kind, SetKind):
            return values
        return self.gathered(self.iterate(values))

    def _bool(self, value: Any = False) -> Any:
        return self.boolean(self.truth(value))

    def _int(self, value: Any = 0) -> Any:
        return self.natively(int, value) if is_known(value) else Symbol(self.number(value, "in int()"), INT)

    def _abs(self, value: Any) -> Any:
        if is_known(value):
            return self.natively(abs, value)
        number = self.number(value, "in abs()")
        negative = binary("<", number, Constant(0))
        result = self.select(negative, self.arithmetic(ast.Sub(), 0, value), Symbol(number, INT))
        low, high = interval(number)
        if isinstance(result, Symbol):
            self.path.note(result.expression, 0, min(max(abs(low), abs(high)), HIGH))
        return result

    def _range(self, *bounds: Any) -> Any:
        """Where the end hangs on the run, all numbers that it can come to, each with its condition."""
        if all(is_known(each) for each in bounds):
            return self.natively(range, *bounds)
        if len(bounds) > 2:
            raise self.error("the step of a range must be known before the run")
        low = bounds[0] if len(bounds) == 2 else 0
        start, stop = self.number(low, "in range"), self.number(bounds[-1], "in range")
        first, last = self.path.bounds(start)[0], self.path.bounds(stop)[1]
        if last - first > 64:
            raise self.error("this range has no bounds that are known before the run: give its end a Range type")
        return Items(
            tuple(
                (binary("and", binary("<=", start, Constant(n)), binary("<", Constant(n), stop)), n)
                for n in range(first, last)
            )
        )

    def _enumerate(self, values: Any, start: int = 0) -> Any:
        return list(enumerate(self.settled(values), start))

    def _zip(self, *values: Any, strict: bool = False) -> Any:
        return self.natively(lambda: list(zip(*[self.settled(each) for each in values], strict=strict)))

    def _reversed(self, values: Any) -> Any:
        return self.settled(values)[::-1]

    def _sorted(self, values: Any, key: Any = None, reverse: bool = False) -> Any:
        elements = self.settled(values)
        ranks = [each if key is None else self.apply(key, [each], {}) for each in elements]
        if not all(is_known(rank) for rank in ranks):
            raise self.error("sorted needs values that are known before the run: use min, max, any, all or sum")
        order = sorted(range(len(elements)), key=lambda n: ranks[n], reverse=reverse)
        return [elements[n] for n in order]

    def _isinstance(self, value: Any, classes: Any) -> bool:
        if isinstance(value, Record):
            wanted = classes if isinstance(classes, tuple) else (classes,)
            return any(issubclass(value.cls, each) for each in wanted)
        if not is_known(value):
            raise self.error("isinstance needs a value whose type is known before the run")
        return isinstance(value, classes)

    def _print(self, *_: Any, **__: Any) -> None:
        raise self.error("nothing can be printed: trails show every step with its values")
