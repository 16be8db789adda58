"""Lines that fit: broken between words, never in a name or number; tables of names and values."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

import mule
from mule.report.layout import GLUE, NAME_GLUE, Page, wrapped
from mule.report.state import folded
from mule.report.text import report

EXAMPLES = Path(__file__).parents[2] / "examples"


def lines(text: str, room: int) -> list[str]:
    return [line.plain for line in wrapped(Text(text), room)]


def page_of(width: int) -> tuple[Page, io.StringIO]:
    stream = io.StringIO()
    return Page(Console(file=stream, width=width, highlight=False, markup=False)), stream


def test_a_line_is_broken_between_words() -> None:
    assert lines("one two three", 7) == ["one two", "three"]
    assert lines("", 7) == [""]
    assert lines("a\nb", 7) == ["a", "b"]


def test_what_is_glued_together_moves_to_the_next_line() -> None:
    change = f"lock.held:{GLUE}0{GLUE}->{GLUE}1"
    assert lines(f"x = 1   {change}, {change}", 24) == ["x = 1", "lock.held: 0 -> 1,", "lock.held: 0 -> 1"]


def test_what_is_longer_than_a_line_is_broken_between_its_words() -> None:
    assert lines(f"list:{GLUE}[1,{GLUE}2,{GLUE}3]", 8) == ["list:", "[1, 2,", "3]"]
    assert lines("[1000,2000,3000]", 8) == ["[1000,", "2000,", "3000]"]


def test_a_name_or_a_number_is_never_broken() -> None:
    name = f"receiver{NAME_GLUE}12.delivered"
    assert lines(f"to {name}", 12) == ["to", "receiver 12.delivered"]
    assert lines("x = 1234567890123", 6) == ["x =", "1234567890123"]


def test_equal_neighbours_of_a_long_array_are_told_once() -> None:
    assert folded((0,) * 7, "×") == "[0, 0, 0, 0, 0, 0, 0]"
    assert folded((*[0] * 30, 7, 0, 0), "×") == "[0 × 30, 7, 0, 0]"
    assert folded(((1, 2),) * 8, "x") == "[(1, 2) x 8]"


def test_a_table_of_names_and_values() -> None:
    page, stream = page_of(40)
    page.pairs([("x", "1"), ("longer", "[1, 2]")])
    assert stream.getvalue() == "  x       1\n  longer  [1, 2]\n"


def test_many_short_rows_stand_side_by_side_where_there_is_room() -> None:
    rows = [(f"v{number}", str(number)) for number in range(8)]
    for width, height in ((14, 8), (20, 4), (80, 1)):
        page, stream = page_of(width)
        page.pairs(rows)
        found = stream.getvalue().splitlines()
        assert len(found) == height
        assert max(map(len, found)) <= width
    assert found == ["  " + "    ".join(f"{name}  {value}" for name, value in rows)]


def test_the_value_of_a_long_name_stands_below_it() -> None:
    page, stream = page_of(40)
    page.pairs([("x", "1"), ("Echo from lying receiver to lying initiator", "[1]")])
    assert stream.getvalue() == "  x  1\n  Echo from lying receiver to lying initiator\n     [1]\n"


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("name", ["philosophers.dve", "philosophers.pnml", "broken_mutex.dve"])
def test_trails_of_the_examples_keep_to_the_width(name: str, width: int) -> None:
    page, stream = page_of(width)
    report(mule.load(EXAMPLES / name).check(), page)
    assert max(map(len, stream.getvalue().splitlines())) <= width


def test_no_name_of_a_protocol_is_broken_at_forty_columns() -> None:
    system = mule.load(EXAMPLES / "raft_election.py")
    page, stream = page_of(40)
    report(system.check(invariants=["server_1.term < 2"]), page)
    trail = stream.getvalue().partition("How to get there")[2].partition("Search")[0]
    assert "server 1" in trail
    assert not re.search(r"server\n", trail)


def test_the_width_of_a_pipe_is_that_of_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert Page(file=io.StringIO()).width == 80
    monkeypatch.setenv("COLUMNS", "40")
    assert Page(file=io.StringIO()).width == 40
    monkeypatch.setenv("COLUMNS", "wide")
    assert Page(file=io.StringIO()).width == 80


def test_the_style_of_a_head_does_not_leak_into_its_body() -> None:
    stream = io.StringIO()
    page = Page(Console(file=stream, width=24, force_terminal=True, color_system="standard", no_color=False))
    page.item(Text("  - ", style="yellow"), "the assertions were not checked")
    assert stream.getvalue() == "\x1b[33m  - \x1b[0mthe assertions were\n    not checked\n"


TEXTS = [
    "",
    "one line",
    "a\ttab",
    "two\nlines",
    "  led by blanks  ",
    "word " * 40,
    f"kept{GLUE}to{NAME_GLUE}gether",
    "漢字 " * 20,
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("width", [20, 80])
def test_a_file_gets_the_lines_that_rich_would_print(text: str, width: int) -> None:
    def written(record: bool) -> str:
        output = io.StringIO()
        page = Page(Console(file=output, width=width, color_system=None, highlight=False, record=record))
        page.heading(text)
        page.item("  7  ", Text.assemble(text, ("   x: 1", "bold")))
        page.line(Text(text, style="dim"))
        page.pairs([(text[:9].replace("\n", " "), "1"), ("y", text.replace("\n", " "))])
        return output.getvalue()

    assert written(record=False) == written(record=True)


def test_a_report_to_a_file_does_not_pass_each_line_through_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Console, "print", None)
    result = mule.loads(LONG, "dve").check()
    output = io.StringIO()
    report(result, Page(file=output), full_trail=True)
    assert output.getvalue().count("x: ") > 100


LONG = "byte x; process P { state a; init a; trans a -> a { guard x < 120; effect x = x + 1; }; } system async;"
