"""Branching time as a part of a question (see `mule.parts`)."""

from __future__ import annotations

from mule.effects import for_trees as options_for
from mule.graph.answers import Branching, check_branching, read_formulas
from mule.model import Model
from mule.options import Options
from mule.parts import Asking
from mule.properties import Properties
from mule.results import Result

__all__ = ["judge", "options_for", "read"]


def read(model: Model, wanted: Properties, options: Options) -> list[Branching]:
    return read_formulas(model, wanted.ctl)


def judge(asking: Asking) -> Result:
    return check_branching(asking.model, asking.asked, asking.options, asking.progress, asking.errors_known)
