"""Computation tree logic: formulas, where they hold in a graph, and runs that show it."""

from mule.ctl.formula import Formula, negation_normal_form
from mule.ctl.labelling import Labels
from mule.ctl.parser import parse
from mule.ctl.witness import Evidence, evidence

__all__ = ["Evidence", "Formula", "Labels", "evidence", "negation_normal_form", "parse"]
