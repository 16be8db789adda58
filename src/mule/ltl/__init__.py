"""Linear temporal logic: formulas, Büchi automata, and what partial-order reduction needs to know about them."""

from mule.ltl.automaton import Automaton, Edge
from mule.ltl.formula import Formula, negation_normal_form, not_
from mule.ltl.hoa import from_hoa, to_hoa
from mule.ltl.never import from_never, to_never
from mule.ltl.parser import Parsed, parse
from mule.ltl.simplify import simplify
from mule.ltl.stutter import is_self_looped, stutter_closed, stutter_invariant, stutter_invariant_automaton
from mule.ltl.translate import Acceptance, spot_installed, translate
from mule.ltl.words import accepts, holds
from mule.options import Translator

__all__ = [
    "Acceptance",
    "Automaton",
    "Edge",
    "Formula",
    "Parsed",
    "Translator",
    "accepts",
    "from_hoa",
    "from_never",
    "holds",
    "is_self_looped",
    "negation_normal_form",
    "not_",
    "parse",
    "simplify",
    "spot_installed",
    "stutter_closed",
    "stutter_invariant",
    "stutter_invariant_automaton",
    "to_hoa",
    "to_never",
    "translate",
]
