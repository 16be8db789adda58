"""Tuples and instances of frozen dataclasses whose parts only the run knows."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from mule.frontends.actors.functions import Functions
from mule.frontends.actors.messages import Message
from mule.frontends.actors.scalars import with_article
from mule.frontends.actors.shapes import Shape, is_record, put_together, recorded
from mule.frontends.actors.types import Kind
from mule.frontends.actors.values import Record, is_known, type_name
from mule.model.expressions import Expression


class Records(Functions):
    def equal(self, left: Any, right: Any) -> Expression:
        if isinstance(left, Record) is not isinstance(right, Record):
            left, right = recorded(left), recorded(right)
        return super().equal(left, right)

    def shaped(self, value: Any, shape: Shape, what: str) -> Any:
        """The value as one of this shape; each of its parts is coerced."""
        if isinstance(shape, Kind):
            return self.coerced(value, shape, what)
        value = recorded(value)
        if shape.cls is tuple and isinstance(value, tuple):
            parts = self.unpacked(value, len(shape.shapes))
        elif isinstance(value, Record) and value.cls is shape.cls:
            parts = [value.fields[name] for name in shape.names]
        else:
            raise self.error(f"{what} is {with_article(shape.cls.__name__)}, and this is {type_name(value)}")
        names = shape.names or tuple(map(str, range(len(parts))))
        made = [self.shaped(part, each, what) for each, part in zip(shape.shapes, parts, strict=True)]
        return put_together(shape.cls, dict(zip(names, made, strict=True)))

    def is_made_here(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> bool:
        """Whether it is a dataclass, called with what only the run knows, or one whose instances are no values."""
        if not isinstance(function, type) or not dataclasses.is_dataclass(function) or issubclass(function, Message):
            return False
        return not (is_record(function) and is_known([*arguments, *named.values()]))

    def made(self, cls: type, arguments: list[Any], named: dict[str, Any]) -> Record:
        """An instance of a dataclass, with values that only the run knows."""
        if not is_record(cls):
            hint = "write @dataclass(frozen=True), or make its instances in system()"
            raise self.error(f"{cls.__name__} could be changed, or does more than hold fields: {hint}")
        fields = dataclasses.fields(cls)
        if any(not each.init or each.default_factory is not dataclasses.MISSING for each in fields):
            raise self.error(f"a field of {cls.__name__} is computed when it is made: give it a value in the call")
        try:
            bound = inspect.signature(cls).bind(*arguments, **named)
        except TypeError as wrong:
            raise self.error(f"{cls.__name__}: {wrong}") from None
        bound.apply_defaults()
        return Record(cls, {each.name: self.tamed(bound.arguments[each.name]) for each in fields})

    def replaced(self, old: Any, changes: dict[str, Any]) -> Record:
        """What dataclasses.replace gives."""
        record = recorded(old)
        if not isinstance(record, Record):
            raise self.error(f"dataclasses.replace needs a frozen dataclass, and this is {type_name(old)}")
        return self.made(record.cls, [], {**record.fields, **changes})
