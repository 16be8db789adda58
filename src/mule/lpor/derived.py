"""LPOR's relations for message passing, found from a few facts about each transition (LPOR, section IV)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable
from typing import Any

from mule.lpor.relations import LporRelations
from mule.records import Record

Pending = Callable[[Any, "Facts", Hashable], bool]
"""Whether in a state a message from a process lies ready for a transition."""


class Facts(Record, frozen=True):
    """One transition. Every set may be larger than what really happens; only `increments` and `compares_timestamp` may
    be smaller, and `input_deterministic` false."""

    name: Hashable
    process: Hashable
    inputs: frozenset[Hashable] = frozenset()
    """The processes that it can receive messages from (I)."""
    outputs: frozenset[Hashable] = frozenset()
    """The processes that it can send messages to (O)."""
    receives: frozenset[Hashable] = frozenset()
    """The kinds of messages that it can receive (M_I)."""
    sends: frozenset[Hashable] = frozenset()
    """The kinds of messages that it can send (M_O)."""
    reads: frozenset[Hashable] = frozenset()
    """The variables of the process that its guard depends on (R)."""
    writes: frozenset[Hashable] = frozenset()
    """The variables of the process that it can change (W)."""
    increments: frozenset[Hashable] = frozenset()
    """Those that it always makes larger (Inc)."""
    compares_timestamp: frozenset[Hashable] = frozenset()
    """Those that its guard requires not to be larger than the timestamp in the message (CompTS)."""
    input_deterministic: bool = False
    """It always consumes a message from every process in `inputs`."""


class MessagePassing(LporRelations[Facts]):
    """Definitions 4, 5 and 6. Channels are unbounded, and empty at first."""

    def __init__(self, transitions: Iterable[Facts], pending: Pending | None = None) -> None:
        """`pending` makes the necessary enabling transitions state-conditional; without it there are none in a
        state."""
        self._pending = pending
        known = list(transitions)
        self._senders: dict[Facts, dict[Hashable, list[Facts]]] = {}
        for t in known:
            by_process: dict[Hashable, list[Facts]] = defaultdict(list)
            for sender in known:
                if self.can_send_to(sender, t):
                    by_process[sender.process].append(sender)
            self._senders[t] = by_process

    def can_send_to(self, t1: Facts, t: Facts) -> bool:
        """Can-remote-enable; here a process may also write to itself."""
        return t.process in t1.outputs and t1.process in t.inputs and not t1.sends.isdisjoint(t.receives)

    def can_enable(self, t1: Facts, t: Facts) -> bool:
        """Definition 4. A timestamp that only grows lets no message pass that it held back before."""
        if self.can_send_to(t1, t):
            return True
        return t1.process == t.process and bool((t1.writes & t.reads) - (t1.increments & t.compares_timestamp))

    def dep(self, t1: Facts, t: Facts) -> bool:
        """Definition 5."""
        return t1 != t and (t1.process == t.process or self.can_send_to(t1, t))

    def net(self, state: Any, t: Facts) -> Collection[Facts]:
        """Definition 6: the only transition of a process that can send what `t` must have from it."""
        return [members[0] for members in self.enabling_sets(state, t) if len(members) == 1]

    def enabling_sets(self, state: Any, t: Facts) -> list[list[Facts]]:
        if not t.input_deterministic or (state is not None and self._pending is None):
            return []
        waits_for = [p for p in t.inputs if state is None or not self._is_pending(state, t, p)]
        return [self._senders[t].get(process, []) for process in waits_for]

    def _is_pending(self, state: Any, t: Facts, process: Hashable) -> bool:
        return self._pending is None or self._pending(state, t, process)
