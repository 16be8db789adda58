"""Temporal properties: formulas and claims as automata, and whether some run of a model is accepted by one.

A property becomes a *question*: an automaton that accepts the runs that violate it. Where it cannot tell how often a
letter is repeated, the question is asked of the reduced product, with the automaton in stutter-closed form; else
nothing is reduced and nothing transformed, and a note says so.
"""

from mule.temporal.checking import Answer, answer, check_questions, check_temporal, room_for
from mule.temporal.questions import Question, about_formula, claim_names, questions_of

__all__ = [
    "Answer",
    "Question",
    "about_formula",
    "answer",
    "check_questions",
    "check_temporal",
    "claim_names",
    "questions_of",
    "room_for",
]
