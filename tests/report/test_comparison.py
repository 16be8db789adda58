from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from mule.report.comparison import comparison_object
from mule.report.comparison_text import comparison_table
from mule.report.layout import Page


@dataclass(frozen=True)
class Row:
    algorithm: str
    states: int
    transitions: int
    deadlocks: int
    seconds: float
    stopped: str | None = None


def table_of(model: Any, rows: list[Row], width: int = 80) -> list[str]:
    stream = io.StringIO()
    comparison_table(model, rows, Page(Console(file=stream, width=width)))
    return stream.getvalue().splitlines()


def test_each_reduction_is_measured_against_the_first_row(sample: Any) -> None:
    lines = table_of(sample.model, [Row("none", 1000, 4000, 1, 0.5), Row("beam", 250, 400, 1, 0.25)])
    assert lines[0] == "lock: reductions that preserve deadlocks"
    assert lines[2].split() == ["reduction", "states", "%", "transitions", "%", "deadlocks", "seconds"]
    assert lines[4].split() == ["beam", "250", "25.0", "400", "10.0", "1", "0.25"]


def test_a_narrow_terminal_gets_fewer_shares(sample: Any) -> None:
    lines = table_of(sample.model, [Row("none", 1000, 4000, 1, 0.5)], width=60)
    assert lines[2].split() == ["reduction", "states", "%", "transitions", "deadlocks", "seconds"]
    assert max(map(len, lines)) <= 60
    lines = table_of(sample.model, [Row("closure-h (weak)", 1000, 4000, 1, 0.5)], width=40)
    assert lines[2] == "reduction         states  transitions"


def test_no_shares_of_a_search_that_ended_early(sample: Any) -> None:
    lines = table_of(sample.model, [Row("none", 1000, 4000, 1, 0.5, "time"), Row("beam", 250, 400, 1, 0.25)])
    assert lines[3].split() == ["none", "*", "1,000", "4,000", "1", "0.50"]
    assert lines[4].split() == ["beam", "250", "400", "1", "0.25"]
    assert lines[5] == "* none ended early: time"


def test_json_has_the_same_rows(sample: Any) -> None:
    found = comparison_object(sample.model, [Row("none", 1000, 4000, 1, 0.5)])
    assert found["rows"] == [
        {"algorithm": "none", "states": 1000, "transitions": 4000, "deadlocks": 1, "seconds": 0.5, "stopped": None}
    ]
