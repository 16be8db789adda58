"""Mule from Python: the same words as on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mule.graph import StateGraph
    from mule.model import Model
    from mule.options import Kept, Options, Preserve
    from mule.results import Result
    from mule.simulation import SimulatedStep


class System:
    """A model that was read, ready to be explored and checked.

    Search options have the names of the command line's: `por`, `weak`, `nds`, `net`, `lpor`, `stateless`,
    `proviso`, `search`, `remember`, `memory`, `time`, `max_states`, `as_written`."""

    def __init__(self, model: Model, source: Origin | None = None) -> None:
        """`source`: where the model was read from, for graphs that are saved."""
        self.model = model
        self._source = source

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

    def explore(
        self,
        *,
        preserve: Preserve | Kept = "deadlocks",
        observe: Sequence[str] = (),
        save: str | None = None,
        **options: Any,
    ) -> Result:
        """Count the (reduced) state space; nothing is judged.

        With `preserve` "ltl" or "ctl" it is a graph over the propositions `observe` (or those of the model's own
        formulas), and `save` names a file for it, which `load_graph` reads."""
        from mule.checking import explore
        from mule.errors import MuleError
        from mule.options import Options

        if preserve == "ltl" or preserve == "ctl":
            return self._as_graph(preserve, observe, save, Options(**options))
        if observe or save:
            raise MuleError("observe and save need preserve='ltl' or preserve='ctl'")
        return explore(self.model, Options(**options), preserve)

    def _as_graph(self, preserve: Kept, observe: Sequence[str], save: str | None, options: Options) -> Result:
        from mule.errors import MuleError
        from mule.graph import Source, construct, observed_by, save_graph

        if save is not None and self._source is None:
            raise MuleError("only the graph of a model that was read from a file can be saved")
        built = construct(self.model, observed_by(self.model, observe), preserve, options)
        if save is not None and self._source is not None and built.graph is not None:
            save_graph(built.graph, Source.of(*self._source), save)
        return built.result

    def simulate(self, *, seed: int) -> Iterator[SimulatedStep]:
        """A random run, step by step; the same seed gives the same run. `mule.report.simulation.explain` tells a step
        in words."""
        from mule.simulation import at_random, simulate

        return simulate(self.model, at_random(self.model, seed))


class SavedGraph:
    """The state graph of a model, over some propositions, as `System.explore` has saved it."""

    def __init__(self, graph: StateGraph) -> None:
        self.graph = graph

    def check(self, *, ltl: str | Sequence[str] = (), ctl: str | Sequence[str] = ()) -> Result:
        """Judge formulas over the propositions that the graph observes."""
        from mule.graph import check_graph
        from mule.properties import Properties

        linear = (ltl,) if isinstance(ltl, str) else tuple(ltl)
        branching = (ctl,) if isinstance(ctl, str) else tuple(ctl)
        return check_graph(self.graph, Properties(ltl=linear, ctl=branching))


def load_graph(path: str) -> SavedGraph:
    """Read a graph that was saved."""
    from mule.graph import load_graph as read

    return SavedGraph(read(path))


Origin = tuple[str, str | None, Sequence[str], int | None]


def load(
    path: str | PathLike[str], language: str | None = None, defines: Sequence[str] = (), processes: int | None = None
) -> System:
    """Read a model; the file tells the language unless it is given. `defines` go to the preprocessor: NAME[=VALUE]."""
    from mule.frontends import load as read

    return System(read(path, language, defines, processes), (fspath(path), language, defines, processes))
