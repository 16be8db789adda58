"""State graphs that are built once and asked many things: off-line checking of LTL and CTL."""

from mule.graph.answers import Branching, check_branching, check_graph, read_formulas
from mule.graph.construction import Construction, StateGraph, construct, not_saved
from mule.graph.file import is_graph, load_graph, save_graph
from mule.graph.propositions import Proposition, observed_by

__all__ = [
    "Branching",
    "Construction",
    "Proposition",
    "StateGraph",
    "check_branching",
    "check_graph",
    "construct",
    "is_graph",
    "load_graph",
    "not_saved",
    "observed_by",
    "read_formulas",
    "save_graph",
]
