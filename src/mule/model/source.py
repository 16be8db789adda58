"""What a model is made of."""

from __future__ import annotations

from mule.records import Record


class Source(Record, frozen=True):
    """All that a model was read from, and how: with it the model can be made again, elsewhere too."""

    file: str
    """The name that it goes by."""
    text: str
    language: str
    others: tuple[tuple[str, str], ...] = ()
    """The files that it includes or imports: their paths from its own folder, and their texts."""
    defines: tuple[str, ...] = ()
    processes: int | None = None
    widened: tuple[tuple[str, ...], ...] = ()
    """The bounds for which the translation had to leave more room (`Model.wider`) than it did at first, in turn."""
    deep: bool = False
    """Whether it then got room for long runs (`Model.deeper`)."""
