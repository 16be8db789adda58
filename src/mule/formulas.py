"""What a parser of formulas must know of the language that their propositions are written in."""

from __future__ import annotations

from mule.ltl.lexer import PYTHON_WORDS
from mule.model import Model


def members_of(model: Model) -> list[str]:
    """The names after which `->` selects a variable of a process."""
    return [process.name for process in model.processes] if model.language == "dve" else []


def remote_of(model: Model) -> set[str]:
    """The names after which `:` selects a variable of a process."""
    return {process.declaration for process in model.processes}


def words_of(model: Model) -> frozenset[str]:
    """The words that are operators of the model's language."""
    return PYTHON_WORDS if model.language in ("actors", "python") else frozenset()
