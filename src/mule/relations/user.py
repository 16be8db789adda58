"""LPOR relations that a user brings: loaded from a file, asked once about every pair, and put in the engine's terms.

Mule answers for itself where errors of the model are concerned: for transitions that stand for one, and for visibility
of steps that can fail.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Protocol, runtime_checkable

from mule.codegen.layout import Layout
from mule.errors import MuleError, Place, clipped
from mule.frontends import PYTHON, is_stream, read_again
from mule.frontends.programs import compiled, running
from mule.lpor.relations import LporRelations
from mule.model import Kind, Model, Transition
from mule.relations import Relations
from mule.relations.accesses import members
from mule.relations.lpor import EnablingSets, LocalRelations, derive_local

Source = str | LporRelations[Transition] | Callable[[Model], LporRelations[Transition]]
"""`FILE.py:ClassName`, relations, or what makes them for a model."""


@runtime_checkable
class SeesProperties(Protocol):
    """Relations that also say which transitions the property can see."""

    def visible(self, t: Transition) -> bool: ...


def load(source: Source, model: Model) -> LporRelations[Transition]:
    if isinstance(source, LporRelations):
        return source
    made = _class_in(source) if isinstance(source, str) else source
    with _asking(source):
        return made(model)


@contextmanager
def _asking(source: Source) -> Iterator[None]:
    """While code of the user runs: what it raises is told with the line of the file that it comes from. Who brings an
    object of Python gets the exception."""
    if not isinstance(source, str):
        yield
        return
    with running(source.rpartition(":")[0], "the relations fail: "):
        yield


def text_of(source: str) -> str:
    """Of the file that `FILE.py:ClassName` names."""
    return read_again(source.rpartition(":")[0], "relations in Python")


def _class_in(source: str) -> Callable[[Model], LporRelations[Transition]]:
    file, _, name = source.rpartition(":")
    if not file or not name.isidentifier():
        raise MuleError(f"{clipped(source)!r} does not name relations: write --lpor FILE.py:ClassName")
    if not file.endswith(PYTHON) and not is_stream(file):
        raise MuleError("this is not a Python file", Place(file))
    path = Path(file).absolute()
    text = text_of(source)
    module = ModuleType(f"mule_user_{path.stem}")
    module.__file__ = str(path)
    with running(file, "the file cannot be loaded: "):
        exec(compiled(text, file, str(path)), module.__dict__)
    made = getattr(module, name, None)
    if not (isinstance(made, type) and issubclass(made, LporRelations)):
        raise MuleError(f"there is no class {name} derived from mule.lpor.LporRelations", Place(file))
    return made


class UserRelations:
    """What the relations say about the transitions of a model."""

    def __init__(self, source: Source, model: Model) -> None:
        self.model = model
        self._source = source
        self.relations = load(source, model)
        self.steps = [n for n, transition in enumerate(model.transitions) if transition.kind is Kind.STEP]
        self._number = {id(transition): number for number, transition in enumerate(model.transitions)}

    @property
    def visible(self) -> int | None:
        """None where the relations do not say."""
        if not isinstance(self.relations, SeesProperties):
            return None
        with _asking(self._source):
            return sum(1 << n for n in self.steps if self.relations.visible(self.model.transitions[n]))

    def local(self, derived: Relations) -> LocalRelations:
        """`derived` answers for errors, and says which transitions are visible."""
        own = derive_local(derived)
        transitions, asked = self.model.transitions, sum(1 << n for n in self.steps)
        dependent_on, can_enable = [row & ~asked for row in own.dependent_on], [row & ~asked for row in own.can_enable]
        for t in range(len(transitions)):
            if not asked >> t & 1:
                dependent_on[t], can_enable[t] = own.dependent_on[t], own.can_enable[t]
                continue
            with _asking(self._source):
                for u in self.steps:
                    if u != t and self.relations.dep(transitions[u], transitions[t]):
                        dependent_on[t] |= 1 << u
                    if u != t and self.relations.can_enable(transitions[t], transitions[u]):
                        can_enable[t] |= 1 << u
        for t in members(derived.visible):
            dependent_on[t] |= derived.visible & ~(1 << t)
        return LocalRelations(dependent_on, can_enable)

    def enabling_sets(self, layout: Layout) -> EnablingSets | None:
        """None where the relations leave it to Mule to say what is necessary."""
        kind = type(self.relations)
        if kind.net is LporRelations.net and kind.enabling_sets is LporRelations.enabling_sets:
            return None

        def ask(words: Sequence[int], t: int) -> list[list[int]]:
            return self.sets_in(layout.unpack(words), t)

        return ask

    def sets_in(self, state: Sequence[int], t: int) -> list[list[int]]:
        transition = self.model.transitions[t]
        if transition.kind is not Kind.STEP:
            return []
        named = {self.model.slot_name(slot): value for slot, value in enumerate(state)}
        with _asking(self._source):
            return [self._numbers(each) for each in self.relations.enabling_sets(named, transition)]

    def _numbers(self, transitions: Collection[Transition]) -> list[int]:
        try:
            return [self._number[id(transition)] for transition in transitions]
        except KeyError:
            raise MuleError("the relations answer with a transition that is not one of the model's") from None
