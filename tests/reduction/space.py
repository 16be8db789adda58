"""State spaces in which sets are compared with their definitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from mule import _engine
from mule.engine import Algorithm, Engine, SearchOptions
from mule.model import Kind, Model
from mule.options import Options, Preserve
from mule.planning import Preparation, plan_for

MOST_STATES = 200


Words = tuple[int, ...]


class Space:
    """The reachable states of a model that was prepared for a reduction, and what can be done in each."""

    def __init__(self, model: Model, preserve: Preserve) -> None:
        self.prepared = Preparation(plan_for(model, Options(por="deletion", as_written=True), preserve, ()))
        self.errors_are_enabled = preserve == "safety"
        found = self.engine.search(SearchOptions(max_states=MOST_STATES + 1, sample=MOST_STATES))
        self.complete = found.stopped is None
        self.states = found.sample if self.complete else ()
        self._known: dict[Words, tuple[list[int], dict[int, set[Words]]]] = {}

    @property
    def engine(self) -> Engine:
        return self.prepared.engine

    def reducer(self, algorithm: Algorithm) -> _engine.Reducer:
        return self.engine.reducer(self.prepared.relations, algorithm)

    def enabled(self, state: Words) -> list[int]:
        """Ascending; a step that fails is enabled although it leads nowhere."""
        return self._expanded(state)[0]

    def moves(self, state: Words) -> dict[int, set[Words]]:
        return self._expanded(state)[1]

    def _expanded(self, state: Words) -> tuple[list[int], dict[int, set[Words]]]:
        if state not in self._known:
            enabled: set[int] = set()
            targets: defaultdict[int, set[Words]] = defaultdict(set)
            transitions = self.prepared.searched.transitions
            for transition, _, failure, _, target in _engine.successors(self.engine.program, list(state)):
                if transitions[transition].kind is Kind.STEP or self.errors_are_enabled:
                    enabled.add(transition)
                if failure == 0:
                    targets[transition].add(tuple(target))
            self._known[state] = sorted(enabled), dict(targets)
        return self._known[state]

    def is_stubborn(self, state: Words, chosen: Iterable[int], *, weak: bool) -> bool:
        """D1 and D2 (D2w) for the enabled members of a set; its disabled members cannot come first, or it is none."""
        members = set(chosen)
        keys = set(members)
        seen, work = {state}, [state]
        for here in work:
            keys &= set(self.enabled(here))
            if not keys or (not weak and keys != members):
                return False
            for outside, targets in self.moves(here).items():
                if outside in members:
                    continue
                for there in targets:
                    if not all(self._closes(here, outside, there, member) for member in members):
                        return False
                    if there not in seen:
                        seen.add(there)
                        work.append(there)
        return True

    def _closes(self, here: Words, outside: int, there: Words, member: int) -> bool:
        """Wherever `outside` and then `member` lead, the other order leads too."""
        middles = self.moves(here).get(member, set())
        swapped = {end for middle in middles for end in self.moves(middle).get(outside, ())}
        return self.moves(there).get(member, set()) <= swapped
