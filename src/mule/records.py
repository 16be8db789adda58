"""Records that never change: what frozen dataclasses are, in C. There are very many of them while a model is read and
analysed, and declaring a hundred dataclasses takes longer than checking a small model."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs


class Record(Struct, frozen=True):
    """Base of all records; subclasses say `frozen=True` again, for those who read their types."""


if TYPE_CHECKING:
    from dataclasses import replace as replace
else:

    def replace(record: Any, **changes: Any) -> Any:
        """A record, or a dataclass, with other values in some fields."""
        if isinstance(record, Struct):
            return structs.replace(record, **changes)
        return dataclasses.replace(record, **changes)
