"""What a notebook shows of systems, trails, violations and automata, and tables for pandas."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

import mule
from mule.ltl.parser import parse
from mule.ltl.translate import translate

EXAMPLES = Path(__file__).parents[2] / "examples"


class Cells(HTMLParser):
    """The texts of a page, cell by cell, and apart from them what opens in the cells; tags that a notebook which is not
    trusted removes are an error, except for frames."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.opening: list[list[list[str]]] = []
        """Of each cell that opens, its rows."""
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        tables = {"table", "caption", "thead", "tbody", "tr", "th", "td"}
        assert tag in {*tables, "p", "strong", "details", "summary", "pre", "iframe"}
        self.open.append(tag)
        if tag == "details" and "table" in self.open:
            self.opening.append([])
        rows = self.into
        if tag == "tr":
            rows.append([])
        elif tag in ("th", "td"):
            rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"th", "td"} & set(self.open) and "summary" not in self.open:
            self.into[-1][-1] += data

    @property
    def into(self) -> list[list[str]]:
        return self.opening[-1] if self.open.count("table") > 1 else self.rows


def test_a_system_shows_what_it_consists_of() -> None:
    rows = dict(Cells(mule.load(EXAMPLES / "mailbox.pml")._repr_html_() or "").rows)
    assert rows["processes"] == "Client, Server"
    assert "waiting" in rows["variables"]
    assert rows["temporal properties"] == "answered"


def test_a_system_built_in_python_shows_it_too() -> None:
    rows = dict(Cells(mule.load(EXAMPLES / "two_phase_commit.py")._repr_html_() or "").rows)
    assert rows["processes"].startswith("coordinator, participant 1")


def test_a_trail_is_a_table_of_its_steps() -> None:
    violation = mule.load(EXAMPLES / "broken_mutex.dve").check().violation
    assert violation is not None
    header, *rows = Cells(violation.trail._repr_html_()).rows
    assert header == ["step", "process", "where", "what", "changes", "state"]
    assert [row[:2] for row in rows] == [["1", "left"], ["2", "right"], ["3", "left"], ["4", "right"]]
    assert rows[2][2:] == ["line 16", "effect locked = 1", "locked: 0 → 1", ""]
    assert violation.message in violation._repr_html_()


def test_each_step_opens_to_show_its_state_what_is_new_first() -> None:
    violation = mule.load(EXAMPLES / "broken_mutex.dve").check().violation
    assert violation is not None
    html = violation.trail._repr_html_()
    states = [dict(rows) for rows in Cells(html).opening]
    assert states == [{name: str(value) for name, value in step.state.items()} for step in violation.trail]
    assert list(states[2]) == ["left", "locked", "right"]
    assert html.count("<strong>locked</strong>") == 1, "it changes once"
    groups = set(re.findall(r'<details name="([^"]+)">', html + violation.trail._repr_html_()))
    assert len(groups) == 2, "a step closes those of its own table"


def test_a_notebook_that_is_not_trusted_shows_the_run_without_the_frame() -> None:
    result = mule.load(EXAMPLES / "broken_mutex.dve").check()
    assert result.violation is not None
    for shown in (result._repr_html_(), result.violation._repr_html_()):
        left = re.sub(r"<iframe.*?</iframe>", "", shown, flags=re.DOTALL)
        assert "<iframe" in shown
        assert "found_free" in left
        assert "<script" not in left
        assert Cells(left)


def test_the_loop_of_a_trail_is_marked() -> None:
    violation = mule.load(EXAMPLES / "mailbox.pml").check(ltl="<>[] waiting").violation
    assert violation is not None
    loop = violation.trail.loop
    assert loop is not None
    _, *rows = Cells(violation.trail._repr_html_()).rows
    assert [row[0].endswith("↻") for row in rows] == [index >= loop for index in range(len(violation.trail))]


def test_the_middle_of_a_long_trail_is_left_out() -> None:
    text = "byte n; active proctype P() { do :: n < 100 -> n++ :: n == 100 -> assert(false) od }"
    violation = mule.loads(text, "promela").check().violation
    assert violation is not None
    rows = Cells(violation.trail._repr_html_()).rows
    assert len(rows) == 1 + 60 + 1
    assert rows[31][3] == f"… {len(violation.trail) - 60} steps"


def test_texts_of_a_model_are_no_html() -> None:
    text = 'byte x; active proctype P() { x < 1 && x > -1; printf("<script>"); assert(x > 1) }'
    violation = mule.loads(text, "promela", name="<b>").check().violation
    assert violation is not None
    shown = violation._repr_html_() + (mule.loads(text, "promela", name="<b>")._repr_html_() or "")
    assert "&lt;!doctype html" in shown, "a page in a frame is text here"
    assert "<script" not in shown
    assert "<b>" not in shown
    assert any("(x < 1) && (x > -1)" in cell for row in Cells(violation._repr_html_()).rows for cell in row)


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_an_automaton_draws_itself() -> None:
    automaton = translate(parse("[]<> p").formula, "edges", "builtin")
    assert "<svg" in (automaton._repr_svg_() or "")


def test_one_row_for_each_property_or_each_search() -> None:
    result = mule.load(EXAMPLES / "broken_mutex.dve").check()
    rows = result.to_records()
    assert [row["property"] for row in rows] == list(result.properties)
    assert [row["verdict"] for row in rows] == [each.verdict.value for each in result.judgements]
    assert len({tuple(row) for row in rows}) == 1, "the same columns in each row"
    searches = result.to_records(of="searches")
    assert [row["states"] for row in searches] == [search.statistics.states for search in result.searches]
    assert mule.load(EXAMPLES / "peterson.dve").explore().to_records() == []
    with pytest.raises(mule.MuleError, match="properties or searches"):
        result.to_records(of="rows")  # type: ignore[arg-type]
