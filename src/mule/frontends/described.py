"""A system that a program describes, in messages or in coroutines: what must hold of it, and how it is checked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MappingProxyType, MethodType
from typing import TYPE_CHECKING, Any, TypeVar

from mule.checkable import Checkable
from mule.errors import MuleError, briefly, clipped
from mule.keywords import texts

if TYPE_CHECKING:
    from mule.model import Model

Predicate = Callable[..., Any]
Predicates = Predicate | Sequence[Predicate] | Mapping[str, Predicate]
"""One, several, or several with names of their own."""
Formulas = str | Sequence[str] | Mapping[str, str] | None

Value = TypeVar("Value")

_MOST_NAMED = 6


class Described(Checkable):
    """It stays as it was made, since only what makes it is checked."""

    def __init__(
        self,
        invariants: Predicates,
        propositions: Mapping[str, Predicate] | None,
        ltl: Formulas,
        name: str,
    ) -> None:
        self.invariants = _kept(invariants if isinstance(invariants, Mapping) else _named(invariants))
        self.propositions = _kept(propositions or {})
        self.ltl = _kept(ltl if isinstance(ltl, Mapping) else {text: text for text in texts("ltl", ltl)})
        self.name = name
        texts("ltl", list(self.ltl.values()))
        for each in (*self.invariants, *self.propositions, *(ltl if isinstance(ltl, Mapping) else ())):
            require_name(each)
        for predicate in (*self.invariants.values(), *self.propositions.values()):
            if not isinstance(predicate, FunctionType | MethodType):
                raise MuleError(f"{briefly(predicate)} is no function: a predicate is a def or a lambda")

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "name":
            require_name(value)
        elif name in vars(self):
            raise MuleError(f"a system stays as it was made: give {name} to System(…)")
        super().__setattr__(name, value)

    @property
    def model(self) -> Model:
        """The system as guarded transitions, as it is now."""
        return self.compile()

    @property
    @abstractmethod
    def process_names(self) -> list[str]:
        """What the processes are called in trails."""

    def __repr__(self) -> str:
        names = self.process_names
        more = [] if len(names) <= _MOST_NAMED else [f"{len(names) - _MOST_NAMED} more"]
        return f"<System {self.name}: {', '.join(names[:_MOST_NAMED] + more)}>"


def _kept(given: Mapping[str, Value]) -> Mapping[str, Value]:
    return MappingProxyType(dict(given))


def require_name(name: object) -> None:
    """Reports and trails show it, and it could command a terminal or look like lines of theirs."""
    if not isinstance(name, str) or not name.isprintable():
        raise MuleError(f"a name in a system is a text of one line that can be printed, not {clipped(ascii(name))}")


def _named(predicates: Predicate | Sequence[Predicate]) -> dict[str, Predicate]:
    named: dict[str, Predicate] = {}
    for predicate in (predicates,) if callable(predicates) else predicates:
        if not callable(predicate):
            hint = "check(invariant=…) takes texts" if isinstance(predicate, str) else "write a function"
            raise MuleError(f"an invariant of a system is a function, and {briefly(predicate)} is none: {hint}")
        name = getattr(predicate, "__name__", type(predicate).__name__)
        if name == "<lambda>":
            raise MuleError("an invariant that is a lambda needs a name: invariants={'name': lambda: …}")
        named[name] = predicate
    return named
