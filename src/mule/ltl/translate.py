"""From a formula to an automaton: by the built-in translator, or by Spot where it is installed."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from typing import Any, Literal

from mule.budget import in_a_process
from mule.errors import MuleError
from mule.ltl.automaton import Automaton
from mule.ltl.builtin import Translation
from mule.ltl.formula import Formula
from mule.ltl.hoa import from_hoa
from mule.memory import require_room
from mule.options import Translator

ROOM_FOR_SPOT = 64 * 2**20
"""Bytes for the library and a small automaton."""

_COMMENT, _NO_COMMENT = "/*", "/\N{WORD JOINER}*"
"""To Spot a comment begins here even within the quotes of an atom."""

Acceptance = Literal["generalised", "edges", "states"]
"""Any number of marks on edges, one mark on edges, or one mark on states."""


def translate(formula: Formula, acceptance: Acceptance = "states", translator: Translator = "auto") -> Automaton:
    """A small automaton that accepts the words on which the formula holds.

    "states" is for a nested depth-first search, "generalised" for a search by components, "edges" for either. With
    "auto" Spot is used if it is installed.
    """
    if chosen_translator(translator) == "spot":
        return _by_spot(formula, acceptance)
    translation = Translation(formula)
    if acceptance == "generalised":
        return translation.generalised
    return translation.edge_based if acceptance == "edges" else translation.state_based


def chosen_translator(asked: Translator) -> Translator:
    if asked == "auto":
        return "spot" if spot_installed() else "builtin"
    return asked


def spot_installed() -> bool:
    """Whether Spot is there, and can be loaded: there are packages of it that lack a library."""
    return _spot() is not None


@cache
def _spot() -> Any:
    try:
        if importlib.util.find_spec("spot") is None:
            return None
        require_room(ROOM_FOR_SPOT)  # with less it ends the program
        found = importlib.import_module("spot")
    except (ImportError, OSError, ValueError):  # ValueError: something else has taken its name
        return None
    return found if hasattr(found, "translate") else None


def _by_spot(formula: Formula, acceptance: Acceptance) -> Automaton:
    spot = _spot()
    if spot is None:
        raise MuleError("Spot is not installed: pip install 'mule-checker[spot]', or use the built-in translator")
    options = {"generalised": ("GeneralizedBuchi",), "edges": ("Buchi",), "states": ("Buchi", "SBAcc")}

    def translated() -> str:
        text = formula.text.replace(_COMMENT, _NO_COMMENT)
        return str(spot.translate(spot.formula(text), *options[acceptance]).to_str("hoa"))

    answer = in_a_process(translated).replace(_NO_COMMENT, _COMMENT)
    return _in_order(from_hoa(answer, "Spot's answer"), acceptance)


def _in_order(automaton: Automaton, acceptance: Acceptance) -> Automaton:
    """With one mark also where Spot prints none."""
    if acceptance == "generalised" or automaton.marks == 1:
        return automaton
    edges = [[edge._replace(marks=1) for edge in out] for out in automaton.edges]
    return Automaton(automaton.atoms, edges, automaton.initial, 1, automaton.names)
