"""Mule from Python: the same words as on the command line."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from mule.checkable import Checkable
from mule.keywords import Texts, read_options, refuse_positional, texts

if TYPE_CHECKING:
    from mule.graph import StateGraph
    from mule.model import Model
    from mule.model.recipe import Recipe
    from mule.results import Result


class System(Checkable):
    """A model that was read, ready to be explored and checked."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def compile(self) -> Model:
        return self.model

    def __repr__(self) -> str:
        model = self.model
        parts = [(len(model.processes), "processes"), (len(model.transitions), "transitions")]
        return f"<System {model.name} ({model.language}): {', '.join(f'{count} {noun}' for count, noun in parts)}>"


class SavedGraph:
    """The state graph of a model, over some propositions, as `System.explore` has saved it."""

    def __init__(self, graph: StateGraph) -> None:
        self.graph = graph

    def check(self, *wrong: object, ltl: Texts = (), ctl: Texts = (), claim: Texts = (), **options: Any) -> Result:
        """Judge formulas over the propositions that the graph observes."""
        from mule.graph import check_graph
        from mule.properties import Properties

        refuse_positional("check", wrong, "say what it is, check(ltl=…) or check(ctl=…)")
        asked = read_options("check", options, ("ltl", "ctl", "claim"))
        wanted = Properties(ltl=texts("ltl", ltl), ctl=texts("ctl", ctl), claims=texts("claim", claim))
        return check_graph(self.graph, wanted, asked)

    def __repr__(self) -> str:
        return f"<SavedGraph {self.graph.model.name}: {self.graph.statistics.states} states>"


def load_graph(path: str | PathLike[str]) -> SavedGraph:
    """Read a graph that was saved; nothing in it is run."""
    from mule.graph import load_graph as read

    return SavedGraph(read(fspath(path)))


def load(
    path: str | PathLike[str], language: str | None = None, defines: Texts = (), processes: int | None = None
) -> System:
    """Read a model; the file tells the language unless it is given. `defines` go to the preprocessor: NAME[=VALUE].

    The file is read again each time, and so are the modules in its folder that a model in Python imports.

    >>> import mule
    >>> mule.load("examples/peterson.dve")
    <System peterson (dve): 2 processes, 8 transitions>
    """
    from mule.frontends import load as read

    return System(read(path, language, texts("defines", defines), processes))


def rebuild(recipe: Recipe) -> System:
    """The same system again, from its recipe alone: in another process, or on another machine with the same Mule.

    >>> import mule, pickle
    >>> parcel = pickle.dumps(mule.load("examples/peterson.dve").recipe())
    >>> mule.rebuild(pickle.loads(parcel))
    <System peterson (dve): 2 processes, 8 transitions>
    """
    from mule.frontends import rebuild as read

    return System(read(recipe))


def loads(text: str, language: str, name: str = "model") -> System:
    """Read a model from its text.

    >>> import mule
    >>> mule.loads("byte x; active proctype P() { x = 1; assert(x == 0) }", "promela").check().violated
    True
    """
    from mule.frontends import load_text

    return System(load_text(text, name, language))
