"""Models with propositions, their state space, and all the graphs that are made of them."""

from __future__ import annotations

from hypothesis import strategies as st

from mule import _engine
from mule.checking import Analysis
from mule.ctl import Labels
from mule.graph.construction import GraphBuilder, _resolved
from mule.model import Model
from mule.options import Kept, Options
from tests.product.cases import ATOMS, propositions
from tests.product.reference import System

PROPOSITIONS = {name: (number, False) for number, name in enumerate(ATOMS)}


class Case:
    """A model, two propositions of it, its state space, and graphs."""

    def __init__(self, model: Model, draw: st.DrawFn) -> None:
        self.model = Analysis(model).model
        blind = System(self.model, ())
        self.small = blind.complete
        if not self.small:
            return
        self.atoms = tuple(draw(propositions(blind)) for _ in ATOMS)
        self.system = System(self.model, self.atoms)
        self._builders: dict[tuple[Kept, bool], GraphBuilder] = {}

    def graph(self, kept: Kept = "ctl", **options: object) -> _engine.GraphResult:
        resolved = _resolved(Options(**options))  # type: ignore[arg-type]
        key = (kept, resolved.por != "none")
        if key not in self._builders:
            self._builders[key] = GraphBuilder(self.model, self.atoms, kept, resolved)
        self._builders[key].options = resolved
        result = self._builders[key].build()
        assert not result.stopped
        return result

    def labels(self, kept: Kept = "ctl", **options: object) -> Labels:
        return Labels(self.graph(kept, **options).graph, PROPOSITIONS)
