"""Automata compared by the words that they accept."""

from __future__ import annotations

from mule.ltl.automaton import Automaton
from mule.ltl.words import accepts
from tests.ltl.formulas import lassos, projected


def same_words(left: Automaton, right: Automaton) -> bool:
    """On all small words over the atoms of both."""
    atoms = tuple(sorted({*left.atoms, *right.atoms}))
    return all(
        accepts(left, projected(stem, atoms, left.atoms), projected(loop, atoms, left.atoms))
        is accepts(right, projected(stem, atoms, right.atoms), projected(loop, atoms, right.atoms))
        for stem, loop in lassos(len(atoms), 2, 2)
    )
