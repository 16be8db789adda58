"""The report of a check, opened in a real browser: it shows what the result says, by keyboard, to everybody."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import mule
from mule.cli.main import main
from mule.report.html import html_report, write_replayed, write_report
from mule.report.html.sets import sizes_of_sets
from mule.report.state import written
from mule.results import Result
from tests.pages.opened import opened

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"
LONG = """
byte a[4]; short n;
active proctype Up() { do :: n < 10000 -> d_step { a[n % 4] = n % 7; n++ } :: n == 10000 -> break od; assert(false) }
"""


def check(name: str, defines: tuple[str, ...] = (), **asked: Any) -> Result:
    return mule.load(EXAMPLES / name, defines=defines).check(**asked)


CASES: dict[str, Result] = {}


def case(name: str) -> Result:
    if name not in CASES:
        CASES[name] = {
            "philosophers": lambda: check("philosophers.dve"),
            "mutex": lambda: check("broken_mutex.dve"),
            "commit": lambda: check("two_phase_commit.py", ("bug=1",)),
            "mailbox": lambda: check("mailbox.pml", ltl="<>[] waiting"),
            "nets": lambda: check("philosophers.pnml"),
            "update": lambda: check("lost_update.py", ("bug=1",)),
            "holds": lambda: check("peterson.dve"),
        }[name]()
    return CASES[name]


@pytest.fixture
def file(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Result, str]:
    result = case(request.param)
    path = tmp_path / "report.html"
    write_report(result, path)
    return result, path.as_uri()


VIOLATED = ["philosophers", "mutex", "commit", "nets", "update"]


@pytest.mark.parametrize("file", VIOLATED, indirect=True)
def test_every_state_of_the_run_is_the_result_s(browser: Browser, file: tuple[Result, str]) -> None:
    result, address = file
    with opened(browser, address) as page:
        trail = result.violations[0].trail
        page.page.keyboard.press("Home")
        for number, state in enumerate([trail.initial, *(step.state for step in trail)]):
            assert page.step == number
            shown = {name: value for name, value in page.state.items() if value != "(gone)"}
            assert shown == {name: written(value) for name, value in state.items()}
            page.page.keyboard.press("ArrowRight")
        assert page.step == len(trail)
        page.page.keyboard.press("ArrowLeft")
        assert page.step == len(trail) - 1
        assert page.problems == []
        assert page.requests == [address]


@pytest.mark.parametrize("file", [*VIOLATED, "holds", "mailbox"], indirect=True)
def test_nobody_is_shut_out(browser: Browser, file: tuple[Result, str]) -> None:
    with opened(browser, file[1]) as page:
        assert page.faults() == []
        assert page.problems == []


@pytest.mark.parametrize("file", ["philosophers"], indirect=True)
def test_current_line_and_where_the_processes_stand(browser: Browser, file: tuple[Result, str]) -> None:
    result, address = file
    with opened(browser, address) as page:
        for step in result.violations[0].trail.steps[::-1]:
            lit = page.page.locator(".source .row.now .ln").all_inner_texts()
            assert step.source is not None
            assert lit == [str(step.source.line)]
            page.page.keyboard.press("ArrowLeft")
        assert page.page.locator(".source .row.now").count() == 0
        assert sorted(page.page.locator(".source .chip").all_inner_texts()) == [f"phil_{n}" for n in range(4)]


@pytest.mark.parametrize("file", ["mailbox"], indirect=True)
def test_loop_and_automaton(browser: Browser, file: tuple[Result, str]) -> None:
    result, address = file
    assert result.violation is not None
    with opened(browser, address) as page:
        page.page.keyboard.press("l")
        assert page.step == result.violation.trail.loop
        assert "Here it is in q" in page.page.locator(".automaton p").inner_text()


@pytest.mark.parametrize("file", ["mutex"], indirect=True)
def test_a_name_leads_to_the_step_that_set_it(browser: Browser, file: tuple[Result, str]) -> None:
    with opened(browser, file[1]) as page:
        page.page.get_by_role("button", name="locked", exact=True).click()
        assert page.step == 3


MANY = """
int table[40]; chan c[2] = [2] of { byte };
active [20] proctype Worker() {
  byte mine = _pid;
  atomic { table[_pid] == 0 && (_pid == 0 || table[_pid - 1]) -> table[_pid] = 7; c[0]!mine; c[0]?mine };
  assert(_pid < 19)
}
"""


def test_many_processes_and_long_arrays_stay_readable(browser: Browser, tmp_path: Path) -> None:
    result = mule.loads(MANY, "promela", name="many").check(assertions=True, search="dfs")
    write_report(result, tmp_path / "r.html")
    with opened(browser, (tmp_path / "r.html").as_uri()) as page:
        assert page.state["table"] == "[7 ×20, 0 ×20]"
        assert page.page.locator(".source .chip.soft").first.inner_text().startswith("+"), "more than fit on a line"
        page.page.get_by_role("button", name="table", exact=True).click()
        pane = page.page.locator(".pane .scroll", has=page.page.locator(".state"))
        (row, room) = (page.page.locator(".state .changed").first.bounding_box(), pane.bounding_box())
        assert row is not None
        assert room is not None
        assert room["y"] <= row["y"] < room["y"] + room["height"], "what has changed can be seen"
        page.page.get_by_label("what changes here").check()
        assert page.page.locator(".state tr:not(.group):not(.changed)").count() == 0
        page.page.keyboard.press("ArrowLeft")
        page.page.get_by_label("what changes here").uncheck()
        page.page.get_by_label("Show only names with this in them").fill("TAB")
        assert list(page.state) == ["table"]
        assert page.problems == []


@pytest.mark.parametrize("file", ["commit"], indirect=True)
def test_a_narrow_window_and_paper(browser: Browser, file: tuple[Result, str]) -> None:
    result, address = file
    with opened(browser, address) as page:
        page.page.set_viewport_size({"width": 390, "height": 844})
        assert page.page.evaluate("document.documentElement.scrollWidth") <= 390, "nothing sticks out"
        page.page.set_viewport_size({"width": 800, "height": 844})
        page.page.emulate_media(media="print")
        assert page.page.evaluate("document.documentElement.scrollWidth") <= 800
        assert page.page.locator(".steps li").count() == len(result.violations[0].trail) + 1
        assert not page.page.locator(".bar").first.is_visible()


def test_several_violations_can_be_chosen(browser: Browser, tmp_path: Path) -> None:
    result = case("commit")
    assert len(result.violations) > 1
    write_report(result, tmp_path / "r.html")
    with opened(browser, (tmp_path / "r.html").as_uri()) as page:
        page.page.select_option("select", index=1)
        told = page.page.locator("p:visible", has_text="Why:").inner_text()
        assert told == f"Why: {result.violations[1].message}"


def test_ten_thousand_steps(browser: Browser, tmp_path: Path) -> None:
    result = mule.loads(LONG, "promela").check(assertions=True)
    assert result.violation is not None
    trail = result.violation.trail
    assert len(trail) > 10_000
    path = tmp_path / "long.html"
    write_report(result, path)
    assert path.stat().st_size < 10_000_000
    with opened(browser, path.as_uri()) as page:
        assert page.state["n"] == "10000"
        page.page.keyboard.press("PageUp")
        assert page.step == len(trail) - 10
        page.page.locator("input[type=range]").fill("5000")
        assert page.state["n"] == str(trail[4999].state["n"])
        assert page.problems == []


def test_nothing_in_a_model_becomes_a_part_of_the_page(browser: Browser, tmp_path: Path) -> None:
    evil = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"
    text = f'active proctype P() {{ printf("{evil}"); assert(false) }} /* {evil} */'
    result = mule.loads(text, "promela").check(assertions=True)
    write_report(result, tmp_path / "evil.html")
    with opened(browser, (tmp_path / "evil.html").as_uri()) as page:
        assert page.page.title() != "taken"
        assert page.page.locator("img").count() == 0
        assert page.problems == []
        assert len(page.requests) == 1


def test_readers_without_scripts_get_the_text(browser: Browser, tmp_path: Path) -> None:
    result = case("philosophers")
    write_report(result, tmp_path / "r.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "r.html").as_uri())
    assert "no process can move" in page.inner_text("body")
    context.close()


def test_numbers_are_those_of_the_json_report() -> None:
    result = case("philosophers")
    text = html_report(result)
    data = json.loads(text.split('id="data">', 1)[1].split("</script>", 1)[0])
    told = result.to_dict()
    facts = dict(data["facts"])
    assert (facts["states"], facts["transitions"]) == (f"{told['states']:,}", f"{told['transitions']:,}")
    assert data["judgements"] == told["judgements"]
    assert [step["t"] for step in data["violations"][0]["steps"]] == [
        step["text"] for step in told["violations"][0]["trail"]
    ]


def test_the_page_of_a_saved_trail_tells_of_no_search(browser: Browser, tmp_path: Path) -> None:
    result = case("mutex")
    found, path = tmp_path / "found.json", tmp_path / "trail.html"
    found.write_text(json.dumps(result.to_dict()))
    write_replayed(mule.load(EXAMPLES / "broken_mutex.dve").trail(found), path)
    with opened(browser, path.as_uri()) as page:
        page.page.keyboard.press("End")
        assert page.step == len(result.violations[0].trail)
        assert page.page.locator("#search-title").count() == 0
        assert "other runs were not looked at" in page.page.locator("section:has(#notes-title)").inner_text()
        assert not page.faults()
        assert not page.problems


def test_a_notebook_shows_the_page_in_a_frame(browser: Browser, tmp_path: Path) -> None:
    result = case("philosophers")
    (tmp_path / "notebook.html").write_text(f"<!doctype html><body>{result._repr_html_()}</body>", "utf-8")
    page = browser.new_page()
    page.goto((tmp_path / "notebook.html").as_uri())
    frame = page.frame_locator("iframe")
    frame.locator(".steps [aria-current]").wait_for()
    assert frame.locator("h1").inner_text() == "✗ violated philosophers"
    page.close()


def test_the_table_of_a_notebook_opens_by_keyboard_and_needs_no_script(browser: Browser, tmp_path: Path) -> None:
    violation = case("philosophers").violation
    assert violation is not None
    (tmp_path / "n.html").write_text(f"<!doctype html><body>{violation.trail._repr_html_()}</body>", "utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "n.html").as_uri())
    opened = page.locator("details[open]")
    for step in violation.trail:
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert opened.count() == 1, "the one before is closed"
        rows = [row.split("\t", 1) for row in opened.locator("tr").all_inner_texts()]
        assert {row[0]: row[1] for row in rows} == {name: written(value) for name, value in step.state.items()}
    context.close()


def test_report_is_written_though_nobody_reads_the_output(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    command = f"{sys.executable} -m mule check {EXAMPLES / 'philosophers.dve'} --report {path} | head -c 1"
    subprocess.run(command, shell=True, check=True, capture_output=True)
    assert path.read_text("utf-8").startswith("<!doctype html>")


def test_file_that_cannot_be_written_is_refused_before_the_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (tmp_path / "none" / "r.html", tmp_path):
        status = main(["check", str(EXAMPLES / "philosophers.dve"), "--report", str(path)])
        printed = capsys.readouterr()
        assert (status, printed.out) == (2, "")
        assert printed.err.startswith(f"mule: {path}: ")


def test_sizes_of_the_sets_are_those_of_the_search() -> None:
    result = mule.load(EXAMPLES / "philosophers.dve").check(deadlock=True, por="deletion", as_written=True)
    sets = sizes_of_sets(result)
    explored = mule.load(EXAMPLES / "philosophers.dve").explore(por="deletion", as_written=True)
    assert sets is not None
    assert sets["states"] == explored.states
    assert sum(row[2] for row in sets["sizes"]) == explored.transitions
    assert all(row[2] <= row[0] * row[1] for row in sets["sizes"])
    assert sizes_of_sets(mule.load(EXAMPLES / "philosophers.dve").check(deadlock=True, por="none")) is None
