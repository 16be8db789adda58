"""Messages: frozen dataclasses with typed fields."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, dataclass_transform

if TYPE_CHECKING:
    from mule.frontends.actors.processes import Process


@dataclass_transform(frozen_default=True)
class Message:
    """Base of all messages: a subclass is a frozen dataclass. Who sent a received message is its `sender`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__dataclass_fields__" not in cls.__dict__:
            dataclasses.dataclass(frozen=True)(cls)

    def __post_init__(self) -> None:
        from mule.frontends.actors.types import check_field

        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            check_field(type(self), field.name, getattr(self, field.name))

    @property
    def sender(self) -> Process:
        """The process that sent it; there is none before it is received."""
        found: Process | None = self.__dict__.get("_sender")
        if found is None:
            raise AttributeError("only a message that was received has a sender")
        return found

    def sent_by(self, sender: Process) -> Message:
        """The same message as its receiver gets it."""
        received = dataclasses.replace(self)  # type: ignore[type-var]
        received.__dict__["_sender"] = sender
        return received


def is_message_class(value: object) -> bool:
    """Whether messages can be of it; the base class is no message itself."""
    return isinstance(value, type) and issubclass(value, Message) and value is not Message
