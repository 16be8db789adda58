"""Engines of models as they are written."""

from __future__ import annotations

from mule.engine import Engine
from mule.model import Model
from mule.options import Options
from mule.planning import Preparation, plan_for, resolve


def engine_of(model: Model) -> Engine:
    options = resolve(Options(por="none", as_written=True), "deadlocks")
    return Preparation(plan_for(model, options, "deadlocks", ())).engine
