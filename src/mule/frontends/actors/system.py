"""A system: processes, the network between them, the faults, and what must hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from mule.errors import MuleError, briefly
from mule.frontends.actors.faults import Byzantine, Crash
from mule.frontends.actors.messages import Message, is_message_class
from mule.frontends.actors.networks import Fifo, Network, Unordered
from mule.frontends.actors.processes import Process
from mule.frontends.counted import MOST_OBJECTS
from mule.frontends.described import Described, Formulas, Predicate, Predicates, require_name

if TYPE_CHECKING:
    from mule.model import Model

Member = TypeVar("Member", bound=Process)


class System(Described):
    """What `mule check` looks for in a module: the function `system` returns one.

    `invariants` hold in every reachable state; `propositions` are names for formulas; `ltl` are temporal properties
    over them. A predicate is a function of nothing, or of the system. A state in which nothing can happen is a deadlock
    if some process is not `done`; a class without a method `done` may wait for ever."""

    def __init__(
        self,
        processes: Sequence[Process],
        *,
        network: Network | None = None,
        networks: Mapping[type[Message], Network] | None = None,
        faults: Sequence[Crash] = (),
        invariants: Predicates = (),
        propositions: Mapping[str, Predicate] | None = None,
        ltl: Formulas = None,
        name: str = "system",
    ) -> None:
        super().__init__(invariants, propositions, ltl, name)
        self.processes = tuple(islice(processes, MOST_OBJECTS + 1))
        if len(self.processes) > MOST_OBJECTS:
            raise MuleError(f"a system has at most {MOST_OBJECTS:,} processes")
        self.network = Unordered() if network is None else network
        self.networks = MappingProxyType(dict(networks or {}))
        self.faults = tuple(faults)
        self._check()
        self._give_names()

    def all(self, kind: type[Member]) -> list[Member]:
        """The processes of a class."""
        return [process for process in self.processes if isinstance(process, kind)]

    def network_of(self, message: type[Message]) -> Network:
        return self.networks.get(message, self.network)

    @property
    def process_names(self) -> list[str]:
        return [process.name for process in self.processes]

    def compile(self) -> Model:
        from mule.frontends.actors.translation import translate

        return translate(self)

    def _check(self) -> None:
        for process in self.processes:
            if not isinstance(process, Process):
                raise MuleError(
                    f"a system is made of processes, and {briefly(process)} is none: derive its class from Process"
                )
        if len({id(process) for process in self.processes}) < len(self.processes):
            raise MuleError("a process appears twice in the system")
        for network in (self.network, *self.networks.values()):
            if not isinstance(network, Unordered | Fifo):
                raise MuleError(f"a network is Unordered(…) or Fifo(…), not {briefly(network)}")
        for message in self.networks:
            if not is_message_class(message):
                raise MuleError(f"networks are given for classes of messages, and {briefly(message)} is none")
        members = {id(process) for process in self.processes}
        for liar in self.all(Byzantine):
            for message in liar.sends:
                if not is_message_class(message):
                    raise MuleError(f"a Byzantine process sends classes of messages, and {briefly(message)} is none")
            for process in liar.to:
                if id(process) not in members:
                    raise MuleError(f"a Byzantine process sends to {briefly(process)}, which is not in the system")
        for fault in self.faults:
            if not isinstance(fault, Crash):
                raise MuleError(f"a fault is a Crash(…), not {briefly(fault)}")
            for process in fault.processes:
                if id(process) not in members:
                    raise MuleError(f"{briefly(process)} can crash, but it is not among the processes of the system")

    def _give_names(self) -> None:
        """`acceptor 1`, `acceptor 2`; `coordinator` where there is one only."""
        for process in self.processes:
            if not process.name:
                alike = [each for each in self.processes if type(each) is type(process)]
                word = word_of(type(process).__name__)
                process.name = word if len(alike) == 1 else f"{word} {alike.index(process) + 1}"
        names = [process.name for process in self.processes]
        for name in names:
            require_name(name)
            if names.count(name) > 1:
                raise MuleError(f"two processes are called {name}: give each a name of its own")


def word_of(name: str) -> str:
    """`TwoPhaseCoordinator` as people write it: `two phase coordinator`."""
    spaced = "".join(f" {letter}" if letter.isupper() else letter for letter in name)
    return spaced.strip().lower().replace("_", " ")
