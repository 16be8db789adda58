"""Values into fields: whether they fit, and what they are in the slots of the model."""

from __future__ import annotations

from typing import Any

from mule.frontends.actors.operators import Operators, is_frozen, is_set
from mule.frontends.actors.types import (
    BoolKind,
    EnumKind,
    IntKind,
    Kind,
    OptionalKind,
    ProcessKind,
    SetKind,
    out_of_range,
)
from mule.frontends.actors.values import Failing, Record, Symbol, is_known, type_name
from mule.model.expressions import Constant, Expression
from mule.model.simplify import binary


class Coercion(Operators):
    def coerced(self, value: Any, kind: Kind, what: str) -> Any:
        """The value as one of the kind: known, or a symbol of exactly this kind. A number out of range is an error of
        the model, a value of another type one of its author."""
        if isinstance(kind, SetKind):
            return self._as_mask(value, kind, what)
        value = self.tamed(value)
        if is_known(value):
            return self._known(value, kind, what)
        symbol = self.scalar(value)
        if symbol is None:
            hint = ": store its fields" if isinstance(value, Record) else ""
            raise self.error(f"{what} is {kind}, and this is {type_name(value)}{hint}")
        if isinstance(kind, OptionalKind):
            return self._optional(symbol, kind, what)
        if isinstance(symbol.kind, OptionalKind):
            symbol = self.unwrapped(symbol, f"TypeError: {what} is {kind}, and this is None")
        self._require_alike(symbol.kind, kind, what)
        if isinstance(kind, IntKind):
            self._require_range(symbol.expression, kind, what)
        return Symbol(symbol.expression, kind)

    def code(self, value: Any, kind: Kind) -> Expression:
        """What a slot of this kind holds for a value that `coerced` gave."""
        if isinstance(value, Symbol):
            return value.expression
        code = kind.encode(value)
        assert code is not None
        return Constant(code)

    def _known(self, value: Any, kind: Kind, what: str) -> Any:
        code = kind.encode(value)
        if code is None:
            raise self.error(f"{what} is {kind}, and this is {type_name(value)}")
        inner = kind.inner if isinstance(kind, OptionalKind) else kind
        if isinstance(inner, IntKind) and value is not None and not inner.low <= code <= inner.high:
            raise Failing(f"ValueError: {out_of_range(value, what, inner.low, inner.high)}")
        return value

    def _optional(self, symbol: Symbol, kind: OptionalKind, what: str) -> Symbol:
        if not isinstance(symbol.kind, OptionalKind):
            inner = self.coerced(symbol, kind.inner, what)
            return Symbol(self.code(inner, kind.inner), kind)
        self._require_alike(symbol.kind.inner, kind.inner, what)
        if isinstance(kind.inner, IntKind):
            none = binary("==", symbol.expression, Constant(symbol.kind.none))
            self._require_range(symbol.expression, kind.inner, what, none)
        return Symbol(self.converted(symbol, kind), kind)

    def _require_alike(self, kind: Kind, wanted: Kind, what: str) -> None:
        alike = (
            (isinstance(wanted, IntKind) and isinstance(kind, IntKind | BoolKind))
            or (isinstance(wanted, BoolKind) and isinstance(kind, BoolKind))
            or (isinstance(wanted, ProcessKind) and isinstance(kind, ProcessKind))
            or (isinstance(wanted, EnumKind) and kind == wanted)
        )
        if not alike:
            hint = ": write bool(…)" if isinstance(wanted, BoolKind) and isinstance(kind, IntKind) else ""
            raise self.error(f"{what} is {wanted}, and this is {kind}{hint}")

    def _require_range(self, number: Expression, kind: IntKind, what: str, unless: Expression | None = None) -> None:
        if not kind.bounded:
            return
        inside = binary("and", binary(">=", number, Constant(kind.low)), binary("<=", number, Constant(kind.high)))
        if not self.path.decide(inside if unless is None else binary("or", unless, inside)):
            raise Failing(f"ValueError: {out_of_range('a value', what, kind.low, kind.high)}")

    def _as_mask(self, value: Any, kind: SetKind, what: str) -> Symbol:
        if kind.frozen and is_set(value) and not is_frozen(value):
            raise self.error(f"{what} is a frozenset, and this is a set, which can change: write frozenset(…)")
        mask = self.mask(value, kind)
        if mask is None:
            raise self.error(f"{what} is {kind}, and this is {type_name(value)} with other members, or no set")
        return Symbol(mask, kind)
