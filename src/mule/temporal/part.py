"""Temporal properties as a part of a question (see `mule.parts`)."""

from __future__ import annotations

from mule.effects import for_runs as options_for
from mule.model import Model
from mule.options import Options
from mule.parts import Asking
from mule.properties import Properties
from mule.results import Result
from mule.temporal.checking import check_questions
from mule.temporal.questions import Question, questions_of

__all__ = ["judge", "options_for", "read"]


def read(model: Model, wanted: Properties, options: Options) -> list[Question]:
    return questions_of(model, wanted, options.translator)


def judge(asking: Asking) -> Result:
    return check_questions(*asking)
