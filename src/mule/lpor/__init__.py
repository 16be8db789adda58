"""Local partial-order reduction (LPOR): stubborn sets from relations between two transitions.

A library of its own: it needs nothing else of Mule, and any explicit-state checker can embed it. See docs/lpor.md.
"""

from mule.lpor.derived import Facts, MessagePassing
from mule.lpor.relations import LporRelations
from mule.lpor.stubborn import Lpor

__all__ = ["Facts", "Lpor", "LporRelations", "MessagePassing"]
