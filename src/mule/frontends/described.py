"""A system that a program describes, in messages or in coroutines: what must hold of it, and how it is checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mule.errors import MuleError

if TYPE_CHECKING:
    from mule.api import System as Compiled
    from mule.model import Model
    from mule.results import Result

Predicate = Callable[..., Any]


class Described(ABC):
    def __init__(
        self,
        invariants: Sequence[Predicate] | Mapping[str, Predicate],
        propositions: Mapping[str, Predicate] | None,
        ltl: Mapping[str, str] | None,
        name: str,
    ) -> None:
        self.invariants = dict(invariants) if isinstance(invariants, Mapping) else _named(invariants)
        self.propositions = dict(propositions or {})
        self.ltl = dict(ltl or {})
        self.name = name

    @abstractmethod
    def compile(self) -> Model:
        """The system as guarded transitions."""

    def check(self, **options: Any) -> Result:
        """As `mule.System.check`."""
        return self._compiled().check(**options)

    def explore(self, **options: Any) -> Result:
        """As `mule.System.explore`."""
        return self._compiled().explore(**options)

    def _compiled(self) -> Compiled:
        from mule.api import System as Compiled

        return Compiled(self.compile())


def _named(predicates: Sequence[Predicate]) -> dict[str, Predicate]:
    named: dict[str, Predicate] = {}
    for predicate in predicates:
        name = predicate.__name__
        if name == "<lambda>":
            raise MuleError("an invariant that is a lambda needs a name: invariants={'name': lambda: …}")
        named[name] = predicate
    return named
