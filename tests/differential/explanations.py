"""Differences from SPIN that docs/promela.md explains, each by an experiment where one can tell.

What is not recognised here is a defect, of this file or of Mule.
"""

from __future__ import annotations

from tests.differential.mutant_questions import Comparison, SpinOpinion


def explanation(program: str, found: Comparison, which: int, opinion: SpinOpinion | None) -> str | None:
    return None
