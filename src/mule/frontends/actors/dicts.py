"""Dicts in fields: for each key that there can be, whether it is there, and what it has. In which order the keys were
put in is not kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mule.frontends.actors.coercion import Coercion
from mule.frontends.actors.constants import SharedDict
from mule.frontends.actors.types import DictKind
from mule.frontends.actors.values import Failing, FieldDict
from mule.model.expressions import FALSE, TRUE, Expression
from mule.model.simplify import binary, unary

UNORDERED = (
    "the order of the keys of a dict in a field is not kept: go through all keys that there can be, with if … in"
)
_MISSING = object()


class Dicts(Coercion):
    def slot(self, owner: FieldDict, key: Any) -> int | None:
        """Which of the keys that there can be it is, by deciding."""
        self.hashable(key)
        for number, each in enumerate(owner.kind.keys):
            if self.path.decide(self.equal(key, each)):
                return number
        return None

    def value_of(self, owner: FieldDict, key: Any, default: Any = _MISSING) -> Any:
        number = self.slot(owner, key)
        if number is not None and self.path.decide(owner.there[number]):
            return owner.values[number]
        if default is _MISSING:
            raise Failing(f"KeyError: it is not in {owner.name}")
        return default

    def put(self, owner: FieldDict, key: Any, value: Any) -> None:
        self.path.effect()
        number = self.slot(owner, key)
        if number is None:
            raise Failing(f"the key is none of {owner.name}, whose keys are {owner.kind.key}: declare more of them")
        owner.values[number] = self.coerced(value, owner.kind.value, f"{owner.name}[…]")
        owner.there[number] = TRUE

    def field_dict_method(self, owner: FieldDict, name: str, arguments: list[Any]) -> Any:
        match name, arguments:
            case "get", [key]:
                return self.value_of(owner, key, None)
            case "get", [key, default]:
                return self.value_of(owner, key, default)
        self.path.effect()
        match name, arguments:
            case "pop", [key, *default] if len(default) < 2:
                value = self.value_of(owner, key, *default)
                self._drop(owner, self.slot(owner, key))
                return value
            case "setdefault", [key, default]:
                if not self._has(owner, key):
                    self.put(owner, key, default)
                return self.value_of(owner, key)
            case "clear", []:
                for number in range(len(owner.there)):
                    self._drop(owner, number)
                return None
            case "update", [other]:
                for key, value in self._pairs(other):
                    self.put(owner, key, value)
                return None
        raise self.error(f"dict.{name} cannot be compiled for a dict in a field: see {self.reference} for what can")

    def _has(self, owner: FieldDict, key: Any) -> bool:
        number = self.slot(owner, key)
        return number is not None and self.path.decide(owner.there[number])

    def _drop(self, owner: FieldDict, number: int | None) -> None:
        if number is not None:
            owner.there[number] = FALSE
            owner.values[number] = owner.kind.nothing

    def _pairs(self, other: Any) -> list[tuple[Any, Any]]:
        if isinstance(other, FieldDict):
            return [(key, value) for there, (key, value) in other.items() if self.path.decide(there)]
        if not isinstance(other, dict):
            raise self.error("a dict in a field is made of another dict: write {key: value, …}")
        return list(other.items())

    def new_dict(self, name: str, value: Any, kind: DictKind, what: str) -> FieldDict:
        """The very object that is assigned."""
        if isinstance(value, FieldDict) and value.kind == kind:
            return value
        if isinstance(value, SharedDict):
            raise self.error(f"{what} would be a constant that others see, too: write dict(…) for a copy")
        if not isinstance(value, dict):
            raise self.error(f"{what} is a dict, and this is something else")
        found = FieldDict(name, kind, [FALSE] * len(kind.keys), [kind.nothing] * len(kind.keys))
        for key, each in value.items():
            self.put(found, key, each)
        self.made_into[id(value)] = value, found
        return found

    def of_field_dict(self, owner: FieldDict, what: str, ordered: bool) -> Iterator[tuple[Expression, Any]]:
        if ordered and len(owner.there) > 1:
            raise self.error(UNORDERED)
        found = [(there, pair) for there, pair in owner.items() if self.path.truth(there) is not False]
        if what == "items":
            return iter(found)
        return iter([(there, pair[what == "values"]) for there, pair in found])

    def equal_dicts(self, left: Any, right: Any) -> Expression:
        if not isinstance(left, FieldDict):
            left, right = right, left
        if not isinstance(right, dict | FieldDict):
            return FALSE
        theirs = right.items() if isinstance(right, FieldDict) else [(TRUE, each) for each in right.items()]
        result: Expression = TRUE
        for one, other in ((left.items(), theirs), (theirs, left.items())):
            for there, (key, value) in one:
                alike = [binary("and", here, self._same((key, value), each)) for here, each in other]
                result = binary("and", result, binary("or", unary("not", there), self.any_of(alike)))
        return result

    def _same(self, one: tuple[Any, Any], other: tuple[Any, Any]) -> Expression:
        key = self.equal(one[0], other[0])
        return FALSE if self.path.truth(key) is False else binary("and", key, self.equal(one[1], other[1]))
