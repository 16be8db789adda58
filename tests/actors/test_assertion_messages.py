"""What an assertion says is told with the values of the state in which it fails."""

from __future__ import annotations

import mule

PROTOCOL = """from enum import Enum
from mule.actors import *
class Color(Enum):
    RED = 0
    BLUE = 1
class P(Process):
    n: int = 0
    color: Color = Color.RED
    cells: list[int]
    @step(when=lambda self: self.n < 3)
    def act(self):
        self.n += 1
        self.color = Color.BLUE
        assert self.n < 3, MESSAGE
def system():
    return System([P(cells=[0, 0])])
"""
PROCESSES = """from mule.processes import Shared, System, pause
class Counter(Shared):
    value: int = 0
async def worker(counter, by):
    for _ in range(3):
        counter.value += by
        await pause()
        assert counter.value < 4, f"{counter.value} after steps of {by}"
def system():
    counter = Counter()
    return System([worker(counter, 2)])
"""


def said(message: str) -> str:
    result = mule.loads(PROTOCOL.replace("MESSAGE", message), "actors").check()
    assert result.violation is not None
    return result.violation.message


def test_values_are_those_of_the_run() -> None:
    assert said('f"n is {self.n}, {self.color.name} it is"').endswith("is violated: n is 3, BLUE it is")
    assert said('f"{self.n}{self.n + 1}"').endswith("is violated: 34")


def test_a_message_without_values() -> None:
    assert said('"too many"').endswith("is violated: too many")
    assert said("self.n").endswith("is violated: 3")


def test_values_are_formatted_as_python_formats_them() -> None:
    assert said('f"cells {self.cells} at {self.n:03}"').endswith("is violated: cells [0, 0] at 003")
    assert said('f"{self.n + 8:#x}|{self.n == 3:>6}|{self.n == 3:d}|{self.color.name:>6}"').endswith(
        ": 0xb|     1|1|  BLUE"
    )
    assert said('f"{self.n:nonsense}, {7:02}"').endswith(": 3, 07")


def test_in_a_process() -> None:
    violation = mule.loads(PROCESSES, "python").check().violation
    assert violation is not None
    assert violation.message == "assertion counter.value < 4 is violated: 4 after steps of 2"
