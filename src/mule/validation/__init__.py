"""Are the relations and the stubborn sets right about a model? Both against its real state space.

D1 and D2 are checked as guard-based POR, section 7.9 does: from each state over all transitions outside its set. The
relations are checked against their definitions in each state and its successors. The model that is searched is compared
with the model as written: the same deadlocks, the same errors.
"""

from mule.validation.checking import validate
from mule.validation.findings import Finding, Validation

__all__ = ["Finding", "Validation", "validate"]
