"""A system: processes, the network between them, the faults, and what must hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from mule.errors import MuleError
from mule.frontends.actors.faults import Crash
from mule.frontends.actors.messages import Message
from mule.frontends.actors.networks import Network, Unordered
from mule.frontends.actors.processes import Process

if TYPE_CHECKING:
    from mule.model import Model
    from mule.results import Result

Member = TypeVar("Member", bound=Process)
Predicate = Callable[..., Any]


class System:
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
        invariants: Sequence[Predicate] | Mapping[str, Predicate] = (),
        propositions: Mapping[str, Predicate] | None = None,
        ltl: Mapping[str, str] | None = None,
        name: str = "system",
    ) -> None:
        self.processes = list(processes)
        self.network = network or Unordered()
        self.networks = dict(networks or {})
        self.faults = list(faults)
        self.invariants = dict(invariants) if isinstance(invariants, Mapping) else named(invariants)
        self.propositions = dict(propositions or {})
        self.ltl = dict(ltl or {})
        self.name = name
        self._check()
        self._give_names()

    def all(self, kind: type[Member]) -> list[Member]:
        """The processes of a class."""
        return [process for process in self.processes if isinstance(process, kind)]

    def network_of(self, message: type[Message]) -> Network:
        return self.networks.get(message, self.network)

    def compile(self) -> Model:
        """The system as guarded transitions."""
        from mule.frontends.actors.translation import translate

        return translate(self)

    def check(self, **options: Any) -> Result:
        """As `mule.System.check`."""
        from mule.api import System as Compiled

        return Compiled(self.compile()).check(**options)

    def explore(self, **options: Any) -> Result:
        """As `mule.System.explore`."""
        from mule.api import System as Compiled

        return Compiled(self.compile()).explore(**options)

    def _check(self) -> None:
        for process in self.processes:
            if not isinstance(process, Process):
                raise MuleError(
                    f"a system is made of processes, and {process!r} is none: derive its class from Process"
                )
        if len({id(process) for process in self.processes}) < len(self.processes):
            raise MuleError("a process appears twice in the system")
        members = {id(process) for process in self.processes}
        for fault in self.faults:
            for process in fault.processes:
                if id(process) not in members:
                    raise MuleError(f"{process!r} can crash, but it is not among the processes of the system")

    def _give_names(self) -> None:
        """`acceptor 1`, `acceptor 2`; `coordinator` where there is one only."""
        for process in self.processes:
            if not process.name:
                alike = [each for each in self.processes if type(each) is type(process)]
                word = word_of(type(process).__name__)
                process.name = word if len(alike) == 1 else f"{word} {alike.index(process) + 1}"
        names = [process.name for process in self.processes]
        for name in names:
            if names.count(name) > 1:
                raise MuleError(f"two processes are called {name}: give each a name of its own")


def word_of(name: str) -> str:
    """`TwoPhaseCoordinator` as people write it: `two phase coordinator`."""
    spaced = "".join(f" {letter}" if letter.isupper() else letter for letter in name)
    return spaced.strip().lower().replace("_", " ")


def named(predicates: Sequence[Predicate]) -> dict[str, Predicate]:
    named: dict[str, Predicate] = {}
    for predicate in predicates:
        name = predicate.__name__
        if name == "<lambda>":
            raise MuleError("an invariant that is a lambda needs a name: invariants={'name': lambda: …}")
        named[name] = predicate
    return named
