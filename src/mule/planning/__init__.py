"""From a model and what is asked of it to a search: facts about the model, options resolved, code compiled.

    Model ──analysis──▶ Analysis ──resolution──▶ options ──preparation──▶ engine and relations

`widening` makes room where a translation had to guess; `trial` looks without reduction first, where relations cost
much.
"""

from mule.planning.analysis import Analysis, bounds
from mule.planning.preparation import Preparation
from mule.planning.resolution import BEST_POR, algorithm, limits_from, resolve, search_options
from mule.planning.states import in_what_is_left, safety_search
from mule.planning.widening import Room, make_room

__all__ = [
    "BEST_POR",
    "Analysis",
    "Preparation",
    "Room",
    "algorithm",
    "bounds",
    "in_what_is_left",
    "limits_from",
    "make_room",
    "resolve",
    "safety_search",
    "search_options",
]
