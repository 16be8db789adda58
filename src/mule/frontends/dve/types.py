"""DVE's two types. DiVinE ends a run in an error where a value does not fit the variable it is assigned to."""

from mule.model import IntegerType

BYTE = IntegerType("byte", 0, 255, checked=True)
INT = IntegerType("int", -(2**15), 2**15 - 1, checked=True)
TYPES = {"byte": BYTE, "int": INT}
