"""What can be asked of every system, whether it was read from a file or built in Python."""

from __future__ import annotations

from abc import ABC, abstractmethod
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, get_args

from mule.keywords import Texts, read_options, refuse_positional, texts, truth, whole_number

if TYPE_CHECKING:
    from mule.comparison import Comparison
    from mule.drawing import Picture
    from mule.drawing.kinds import Kind
    from mule.model import Model
    from mule.model.recipe import Recipe
    from mule.options import Kept, Por, Preserve
    from mule.relations import Relations
    from mule.results import Result
    from mule.simulation import Run
    from mule.trails.replaying import Replayed
    from mule.validation import Validation

_PROPERTIES = ("deadlock", "assertions", "invariant", "ltl", "ctl", "claim", "progress", "acceptance")


class Checkable(ABC):
    """Search options have the names of the command line's: `por`, `weak`, `nds`, `net`, `lpor`, `stateless`,
    `proviso`, `search`, `remember`, `memory`, `time`, `max_states`, `as_written`, `cluster`, `gpu`, `fairness`,
    `emptiness`, `visibility`, `translator`."""

    @abstractmethod
    def compile(self) -> Model:
        """The system as guarded transitions."""

    def check(
        self,
        *wrong: object,
        deadlock: bool | None = None,
        assertions: bool | None = None,
        invariant: Texts = (),
        invariants: Texts = (),
        ltl: Texts = (),
        ctl: Texts = (),
        claim: Texts = (),
        claims: Texts = (),
        progress: bool = False,
        acceptance: bool = False,
        **options: Any,
    ) -> Result:
        """Judge the properties; with none given, everything that the model declares.

        Each of `invariant`, `ltl`, `ctl` and `claim` is one text or several; `invariants` and `claims` are the same
        words for those who have several.

        >>> import mule
        >>> peterson = mule.load("examples/peterson.dve")
        >>> peterson.check(invariant="not (left.critical and right.critical)").holds
        True
        >>> peterson.check(ltl=["[]<> left.critical", "[]<> right.critical"]).violated
        True
        """
        from mule.checking import check
        from mule.properties import Properties

        refuse_positional("check", wrong, "say what it is, check(invariant=…), check(ltl=…) or check(ctl=…)")
        asked = read_options("check", options, _PROPERTIES)
        wanted = Properties(
            truth("deadlock", deadlock or False),
            truth("assertions", assertions or False),
            texts("invariant", invariant, invariants),
            texts("ltl", ltl),
            texts("claim", claim, claims),
            truth("progress", progress),
            truth("acceptance", acceptance),
            texts("ctl", ctl),
        )
        given = deadlock is not None or assertions is not None or wanted.safety or wanted.temporal
        return check(self.compile(), wanted if given else None, asked)

    def explore(
        self,
        *wrong: object,
        preserve: Preserve | Kept = "deadlocks",
        observe: Texts = (),
        save: str | None = None,
        **options: Any,
    ) -> Result:
        """Count the (reduced) state space; nothing is judged.

        With `preserve` "ltl" or "ctl" it is a graph over the propositions `observe` (or those of the model's own
        formulas), and `save` names a file for it, which `load_graph` reads.

        >>> import mule
        >>> mule.load("examples/philosophers.dve").explore(por="none").states
        118
        """
        from mule.checking import explore
        from mule.errors import MuleError
        from mule.options import Kept, Preserve

        refuse_positional("explore", wrong, "explore(por=…), explore(preserve=…)")
        asked = read_options("explore", options, ("preserve", "observe", "save"))
        if preserve == "ltl" or preserve == "ctl":
            from mule.graph import construct, not_saved, observed_by, save_graph

            model = self.compile()
            if save is not None and model.source is None:
                raise MuleError("only the graph of a model that was read from a file or a text can be saved")
            built = construct(model, observed_by(model, texts("observe", observe)), preserve, asked)
            if save is None:
                return built.result
            if built.graph is None:
                return not_saved(built)
            save_graph(built.graph, save)
            return built.result
        if preserve not in get_args(Preserve):
            choices = ", ".join((*get_args(Preserve), *get_args(Kept)))
            raise MuleError(f"unknown preserve {preserve!r}: choose one of {choices}")
        if observe or save:
            raise MuleError("observe and save need preserve='ltl' or preserve='ctl'")
        return explore(self.compile(), asked, preserve)

    def simulate(self, *wrong: object, seed: int | None = None, steps: int = 100) -> Run:
        """A random run of at most so many steps (0: as far as it goes); the same seed gives the same run.

        >>> import mule
        >>> run = mule.load("examples/broken_mutex.dve").simulate(seed=3)
        >>> [(step.process, step.changes) for step in run][2]
        ('left', {'locked': (0, 1)})
        >>> run.seed, run.ending.message
        (3, 'assertion left.critical: not right.critical is false')
        """
        from mule.simulation import Run

        refuse_positional("simulate", wrong, "simulate(seed=…, steps=…)")
        chosen = None if seed is None else whole_number("seed", seed, 0)
        return Run(self.compile(), chosen, whole_number("steps", steps, 0))

    def trail(self, file: str | PathLike[str], property: str | None = None) -> Replayed:
        """Follow a trail that was saved, by `mule check --json` or by SPIN, and judge it; `property`: (a part of) the
        violated property or its kind, where the file has several violations."""
        from mule.trails.replaying import replay_file

        return replay_file(self.compile(), fspath(file), property)

    def compare(self, **options: Any) -> Comparison:
        """Search once with each reduction: a row for each, with `algorithm`, `states`, `transitions`, `deadlocks`,
        `seconds`; `print` shows the table."""
        from mule.comparison import compare

        return compare(self.compile(), read_options("compare", options, but=("por", "weak", "cluster", "gpu")))

    def validate(self, *, sample: int | None = None, invariant: Texts = (), **options: Any) -> Validation:
        """Test D1, D2 and every derived relation against the real state space, or against `sample` states of it."""
        from mule.validation import validate

        asked = read_options("validate", options, ("sample", "invariant"), but=("cluster", "gpu"))
        size = None if sample is None else whole_number("sample", sample, 1)
        return validate(self.compile(), asked, size, invariants=texts("invariant", invariant))

    def relations(self) -> Relations:
        """What may interfere with what, derived from the model alone; `print` shows the matrices."""
        from mule.model.value_analysis import compute_domains
        from mule.relations.derivation import derive

        model = self.compile()
        return derive(model, compute_domains(model))

    def graph(self, of: Kind = "states", por: Por = "deletion", max_states: int | None = None) -> Picture:
        """A picture of a small model: its `states`, its `processes`, or their `interference` (see docs/graphs.md). A
        notebook draws it; `save("m.svg")` and `save("m.dot")` write it."""
        from mule.drawing.kinds import draw

        return draw(self.compile(), of, por, max_states)

    def recipe(self) -> Recipe:
        """All that the model was made of, as a value that can be pickled; `mule.rebuild` makes the system of it."""
        from mule.model.recipe import recipe_of

        return recipe_of(self.compile())

    def show(self) -> str:
        """The variables, guards and guarded transitions that the model became, as text."""
        from mule.model.printer import format_model

        return format_model(self.compile())

    def _repr_html_(self) -> str | None:
        """A notebook shows what the system consists of; if it cannot be compiled, its name alone."""
        from mule.errors import MuleError
        from mule.report.notebook import system_html

        try:
            return system_html(self.compile())
        except MuleError:
            return None
