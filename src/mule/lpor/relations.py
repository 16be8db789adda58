"""What LPOR asks of a domain expert (LPOR, section II): each question is about two transitions and a path of at most
two steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class LporRelations(ABC, Generic[T]):
    """The relations of one system. `dep` and `can_enable` may say yes too often, `net` may say too little; never the
    other way round."""

    @abstractmethod
    def dep(self, t1: T, t: T) -> bool:
        """Whether `t` is dependent on `t1`: in some state with both enabled, `t1` disables `t`, or `t1` then `t` leads
        where `t` then `t1` cannot. Not symmetric; never asked about a transition and itself."""

    @abstractmethod
    def can_enable(self, t1: T, t: T) -> bool:
        """Whether in some state `t` is disabled and `t1` leads to one in which it is enabled."""

    def net(self, state: Any, t: T) -> Collection[T]:
        """Transitions each of which must run before `t` can be enabled, where `t` is disabled in `state`.

        With None for a state: that must have run in every run from an initial state that comes to `t`."""
        return ()

    def enabling_sets(self, state: Any, t: T) -> Collection[Collection[T]]:
        """The same with a choice: of each set one member must run. By default the sets are those of `net`."""
        return [(necessary,) for necessary in self.net(state, t)]
