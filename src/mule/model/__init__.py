"""The model of computation and its reference semantics."""

from mule.model.model import (
    Action,
    Assertion,
    Assign,
    Guard,
    Kind,
    Model,
    Move,
    Outcome,
    Printed,
    Process,
    Receive,
    Send,
    Statement,
    Transition,
)
from mule.model.variables import BOOL, BYTE, INT, SHORT, Channel, IntegerType, Role, Variable

__all__ = [
    "BOOL",
    "BYTE",
    "INT",
    "SHORT",
    "Action",
    "Assertion",
    "Assign",
    "Channel",
    "Guard",
    "IntegerType",
    "Kind",
    "Model",
    "Move",
    "Outcome",
    "Printed",
    "Process",
    "Receive",
    "Role",
    "Send",
    "Statement",
    "Transition",
    "Variable",
]
