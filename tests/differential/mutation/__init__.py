"""Mutants of Promela programs: small changes that mostly leave a program one that SPIN accepts."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.differential.mutation.claims import CLAIMS
from tests.differential.mutation.draft import draft
from tests.differential.mutation.in_declarations import DECLARATIONS
from tests.differential.mutation.in_expressions import EXPRESSIONS
from tests.differential.mutation.in_statements import STATEMENTS
from tests.differential.mutation.source import read_program, text_of, tokens_of

__all__ = ["Mutant", "mutant", "read_program"]

CHANGES = (*STATEMENTS, *EXPRESSIONS, *DECLARATIONS)
WITH_CLAIM = 0.5
"""How many of the mutants get a claim, if the program has none."""


@dataclass(frozen=True, slots=True)
class Mutant:
    text: str
    changes: tuple[str, ...]


def mutant(program: str, random: Random) -> Mutant:
    """The program with one to three changes, and perhaps a claim."""
    tokens = tokens_of(program)
    changes: list[str] = []
    wanted = random.choice([1, 1, 2, 2, 3])
    while len(changes) < wanted:
        change = random.choice(CHANGES)
        changed = change(draft(tokens), random)
        if changed is not None and text_of(changed) != text_of(tokens):
            tokens = changed
            changes.append(change.__name__)
    if random.random() < WITH_CLAIM:
        claim = random.choice(CLAIMS)
        changed = claim(draft(tokens), random)
        if changed is not None:
            tokens = changed
            changes.append(claim.__name__)
    return Mutant(text_of(tokens), tuple(changes))
