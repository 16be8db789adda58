"""Mule: a model checker for concurrent systems, built on partial-order reduction.

>>> import mule
>>> result = mule.load("examples/broken_mutex.dve").check()
>>> result.verdict.value, len(result.violations[0].trail)
('violated', 4)
"""

from mule.api import SavedGraph, System, load, load_graph
from mule.errors import MuleError

__version__ = "0.1.0"
__all__ = ["MuleError", "SavedGraph", "System", "__version__", "load", "load_graph"]
