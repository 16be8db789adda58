"""Random programs for asyncio whose tasks share lists, dicts and objects of dataclasses."""

from __future__ import annotations

from tests.processes.asyncio_writer import HEADER, PARAMETERS, SYSTEM, Writer

CLASSES = """
from dataclasses import dataclass, field
from typing import Annotated

from mule.processes import AtMost, Range


@dataclass
class Cell:
    v: int = 0
    on: bool = False
    next: "Cell | None" = None

    def turn(self, n):
        self.v = (self.v + n) % 3
        self.on = not self.on
        return self.v


@dataclass
class Data:
    first: Cell
    cells: list
    top: "Cell | None" = None
    items: Annotated[list[int], AtMost(3)] = field(default_factory=list)
    table: dict[Annotated[int, Range(0, 2)], int] = field(default_factory=dict)
"""
MADE = """
    one, two = Cell(), Cell(1)
    d = Data(one, [one, two])
    event, condition"""


class CollectionsWriter(Writer):
    header = HEADER + CLASSES
    parameters = PARAMETERS.replace("q, n", "q, d, n")
    system = SYSTEM.replace("\n    event, condition", MADE)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.topics = [*self.topics[:1], *self.topics[2:3], "data", "data", "data"]

    def write_data(self, indent: int) -> None:
        value = self.number()
        cell = self.pick("d.first", "d.cells[0]", "d.cells[1]", "d.cells[n % 2]")
        statements = [
            [f"{cell}.v = {value} % 3"],
            [f"x = {cell}.turn({value})"],
            [f"s.a = ({cell}.v + {value}) % 3"],
            [f"d.top = {cell}"],
            [f"{cell}.next = d.top"],
            ["if d.top is not None:", f"    d.top.v = {value} % 3", "    s.on = d.top.on"],
            ["if d.top is not None and d.top.next is not None:", "    s.b = d.top.next.turn(1)"],
            ["c = d.top", "await asyncio.sleep(0)", "if c is not None:", "    c.v = (c.v + 1) % 3"],
            [f"s.on = d.top is {cell}"],
            ["if len(d.items) < 3:", f"    d.items.append({value})"],
            ["if d.items:", "    x = d.items.pop(0) % 3"],
            ["s.b = len(d.items)", "d.items.reverse()"],
            ["s.a = sum(d.items) % 3"],
            ["for v in d.items:", "    s.b = (s.b * 2 + v) % 5"],
            ["d.items.clear()"],
            [f"d.table[{value} % 3] = x"],
            [f"s.b = d.table.get({value} % 3, 1) % 3"],
            ["if 1 in d.table:", "    s.a = d.table.pop(1) % 3"],
            ["s.a = len(d.table)"],
            [f"x = d.table[{value} % 3] % 3"],
        ]
        self.put(indent, *self.random.choice(statements))


def program(seed: int) -> str:
    return CollectionsWriter(seed).text()
