"""From a model and what is asked of it to a search: facts about the model, options resolved, code compiled.

    Model ──analysis──▶ Analysis ──resolution──▶ Plan ──preparation──▶ engine and relations

`widening` makes room where a translation had to guess; `trial` looks without reduction first, where relations cost
much.
"""

from mule.planning.analysis import Analysis, bounds
from mule.planning.plan import Plan, plan_for
from mule.planning.preparation import Preparation
from mule.planning.resolution import (
    BEST_POR,
    algorithm,
    limits_from,
    resolve,
    resolve_for_graph,
    resolve_for_runs,
    search_options,
    team_for_runs,
    unreduced,
)
from mule.planning.states import Searched, safety_search
from mule.planning.trial import tried_first
from mule.planning.widening import Room, make_room

__all__ = [
    "BEST_POR",
    "Analysis",
    "Plan",
    "Preparation",
    "Room",
    "Searched",
    "algorithm",
    "bounds",
    "limits_from",
    "make_room",
    "plan_for",
    "resolve",
    "resolve_for_graph",
    "resolve_for_runs",
    "safety_search",
    "search_options",
    "team_for_runs",
    "tried_first",
    "unreduced",
]
