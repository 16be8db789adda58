"""Every variant of LPOR and DPOR on one model, prepared once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mule.engine import SearchResult
from mule.model import Model
from mule.model.expressions import Expression
from mule.model.interpreter import State
from mule.options import Options, Preserve
from mule.planning import Preparation, plan_for, resolve, search_options
from mule.records import replace

STATEFUL = (Options(por="lpor"), Options(por="lpor", net=False))
STATELESS = (
    Options(por="lpor", stateless=True),
    Options(por="lpor", net=False, stateless=True),
    Options(por="dpor"),
    Options(por="dpor-classic"),
)
MOST_VISITS = 100_000


@dataclass
class Variants:
    model: Model
    preserve: Preserve
    propositions: Sequence[Expression] = ()

    def __post_init__(self) -> None:
        options = Options(por="lpor", as_written=True)
        self.prepared = Preparation(plan_for(self.model, options, self.preserve, self.propositions))
        assert self.prepared.engine, "compiled with guards, whatever is searched first"

    def search(self, options: Options, sample: int = 0, **stops: bool) -> SearchResult:
        self.prepared.options = resolved = resolve(options.but(max_states=MOST_VISITS), self.preserve)
        asked = search_options(resolved, self.preserve, **stops)
        return self.prepared.search(replace(asked, sample=sample), None)

    def visited(self, options: Options) -> set[State] | None:
        """The states that a search comes to; None where it is too long."""
        found = self.search(options, sample=MOST_VISITS)
        unpack = self.prepared.engine.compiled.layout.unpack
        return None if found.stopped else {unpack(words) for words in found.sample}
