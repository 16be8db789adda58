"""Mule from Python: the same words as on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mule.model import Model
    from mule.options import Preserve
    from mule.results import Result


class System:
    """A model that was read, ready to be explored and checked.

    Search options have the names of the command line's: `por`, `weak`, `nds`, `proviso`, `search`, `remember`,
    `memory`, `time`, `max_states`."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def check(
        self,
        *,
        deadlock: bool | None = None,
        assertions: bool | None = None,
        invariants: Sequence[str] = (),
        **options: Any,
    ) -> Result:
        """Judge the properties; with none given, everything that the model itself declares."""
        from mule.checking import Properties, check
        from mule.errors import MuleError
        from mule.options import Options

        if isinstance(invariants, str):
            raise MuleError("invariants is a sequence of expressions: write invariants=[…]")
        wanted = None
        if deadlock is not None or assertions is not None or invariants:
            wanted = Properties(bool(deadlock), bool(assertions), tuple(invariants))
        return check(self.model, wanted, Options(**options))

    def explore(self, *, preserve: Preserve = "deadlocks", **options: Any) -> Result:
        """Count the (reduced) state space; nothing is judged."""
        from mule.checking import explore
        from mule.options import Options

        return explore(self.model, Options(**options), preserve)


def load(path: str, language: str | None = None) -> System:
    """Read a model; the language is told by the file's name unless it is given."""
    from mule.frontends import load as read

    return System(read(path, language))
