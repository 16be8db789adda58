"""Mule from Python: the same words as on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mule.model import Model
    from mule.options import Preserve
    from mule.results import Result
    from mule.simulation import SimulatedStep


class System:
    """A model that was read, ready to be explored and checked.

    Search options have the names of the command line's: `por`, `weak`, `nds`, `proviso`, `search`, `remember`,
    `memory`, `time`, `max_states`, `as_written`."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def check(
        self,
        *,
        deadlock: bool | None = None,
        assertions: bool | None = None,
        invariants: Sequence[str] = (),
        ltl: str | Sequence[str] = (),
        ctl: str | Sequence[str] = (),
        claims: str | Sequence[str] = (),
        progress: bool = False,
        acceptance: bool = False,
        **options: Any,
    ) -> Result:
        """Judge the properties; with none given, that there is no deadlock, and the model's assertions."""
        from mule.checking import check
        from mule.errors import MuleError
        from mule.options import Options
        from mule.properties import Properties

        if isinstance(invariants, str):
            raise MuleError("invariants is a sequence of expressions: write invariants=[…]")
        wanted = None
        formulas = (ltl,) if isinstance(ltl, str) else tuple(ltl)
        branching = (ctl,) if isinstance(ctl, str) else tuple(ctl)
        names = (claims,) if isinstance(claims, str) else tuple(claims)
        given = deadlock is not None or assertions is not None or invariants
        if given or formulas or names or progress or acceptance or branching:
            safety = bool(deadlock), bool(assertions), tuple(invariants)
            wanted = Properties(*safety, formulas, names, progress, acceptance, branching)
        return check(self.model, wanted, Options(**options))

    def explore(self, *, preserve: Preserve = "deadlocks", **options: Any) -> Result:
        """Count the (reduced) state space; nothing is judged."""
        from mule.checking import explore
        from mule.options import Options

        return explore(self.model, Options(**options), preserve)

    def simulate(self, *, seed: int) -> Iterator[SimulatedStep]:
        """A random run, step by step; the same seed gives the same run. `mule.report.simulation.explain` tells a step
        in words."""
        from mule.simulation import at_random, simulate

        return simulate(self.model, at_random(self.model, seed))


def load(path: str, language: str | None = None, defines: Sequence[str] = (), processes: int | None = None) -> System:
    """Read a model; the file tells the language unless it is given. `defines` go to the preprocessor: NAME[=VALUE]."""
    from mule.frontends import load as read

    return System(read(path, language, defines, processes))
