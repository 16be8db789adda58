from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

from rich.console import Console

from mule.report.layout import Page
from mule.report.relations import Matrix, members, relations_object
from mule.report.relations_text import grid, ranges, relations_text

RELATIONS: Any = SimpleNamespace(
    do_not_accord=[0b00101, 0b00010, 0b00101, 0, 0],
    do_not_left_accord=[0, 0, 0, 0, 0],
    enabling=[0b00100, 0, 0b00001, 0],
    disabling=[0b00001, 0b00010, 0b00100, 0],
    never_coenabled=[0b0100, 0, 0b0001, 0],
)


def test_members_of_a_bit_set() -> None:
    assert members(0) == []
    assert members(1 << 70 | 0b101) == [0, 2, 70]


def test_json_lists_the_members_of_each_row(sample: Any) -> None:
    found = relations_object(sample.model, RELATIONS)
    assert found["relations"]["do_not_accord"] == [[0, 2], [1], [0, 2], [], []]
    assert found["guards"][0] == {"number": 0, "text": "left == 0"}
    assert found["transitions"][4] == {"number": 4, "name": "divide", "guards": [0, 3]}


def test_a_small_model_has_grids(sample: Any) -> None:
    stream = io.StringIO()
    relations_text(sample.model, RELATIONS, Page(Console(file=stream, width=60)))
    text = stream.getvalue()
    assert "      0 1 2 3 4\n  t0  x . x . .\n  t1  . x . . .\n" in text
    assert "  t4   divide  when g0 g3\n" in text


def test_a_grid_has_column_numbers_over_two_lines() -> None:
    matrix = Matrix("m", "", "guards", "guards", [1 << number for number in range(12)])
    lines = grid(matrix, 12, 40)
    assert lines is not None
    assert lines[0] == "                           1 1"
    assert lines[1] == "       0 1 2 3 4 5 6 7 8 9 0 1"
    assert lines[-1] == "  g11  . . . . . . . . . . . x"


def test_a_grid_that_does_not_fit_is_a_list(sample: Any) -> None:
    assert grid(Matrix("m", "", "guards", "guards", [0] * 80), 80, 60) is None
    assert ranges([1, 4, 5, 6, 9, 10], "t") == "t1 t4-t6 t9-t10"
