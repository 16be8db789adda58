"""Mule: a model checker for concurrent systems, built on partial-order reduction.

>>> import mule
>>> result = mule.load("examples/broken_mutex.dve").check()
>>> result.holds, len(result.violations[0].trail)
(False, 4)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mule.api import SavedGraph, System, load, load_graph, loads, rebuild
from mule.errors import MuleError, Place

if TYPE_CHECKING:
    from mule.model.recipe import Recipe
    from mule.options import Options
    from mule.results import Judgement, Result, Statistics, Verdict, Violation, ViolationKind
    from mule.trails import State, Step, Trail

__version__ = "0.1.0"
__all__ = [
    "Judgement",
    "MuleError",
    "Options",
    "Place",
    "Recipe",
    "Result",
    "SavedGraph",
    "State",
    "Statistics",
    "Step",
    "System",
    "Trail",
    "Verdict",
    "Violation",
    "ViolationKind",
    "__version__",
    "load",
    "load_graph",
    "loads",
    "rebuild",
]

_WHEN_ASKED = {
    "mule.model.recipe": ("Recipe",),
    "mule.options": ("Options",),
    "mule.results": ("Judgement", "Result", "Statistics", "Verdict", "Violation", "ViolationKind"),
    "mule.trails": ("State", "Step", "Trail"),
}
"""What is imported when somebody asks for it, so that `import mule` stays quick."""
_MODULES = ("actors", "lpor", "processes")
_OF_SYSTEMS = ("check", "compare", "explore", "recipe", "relations", "show", "simulate", "validate")


def __getattr__(name: str) -> Any:
    for module, names in _WHEN_ASKED.items():
        if name in names:
            return getattr(import_module(module), name)
    if name in _MODULES:
        return import_module(f"mule.{name}")
    if name in _OF_SYSTEMS:
        raise AttributeError(f"mule has no function {name}: write mule.load(FILE).{name}(…)", name=name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
