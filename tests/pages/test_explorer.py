"""The explorer in a real browser: walked by keyboard, it shows what the interpreter says."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from mule.explorer.server import ExplorerServer
from mule.explorer.walk import Walk
from mule.frontends import load
from mule.report.state import written
from mule.trails import State
from tests.pages.opened import Opened, opened

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"


@contextmanager
def explored(browser: Browser, name: str, scheme: str = "light") -> Iterator[tuple[Walk, Opened]]:
    with ExplorerServer(Walk(load(str(EXAMPLES / name)))) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            with opened(browser, server.address, scheme) as page:
                yield server.walk, page
                assert page.problems == []
                assert all(request.startswith((server.address, "blob:")) for request in page.requests)
        finally:
            server.shutdown()


def at(page: Opened, node: int) -> None:
    page.page.locator("output", has_text=f"state {node},").wait_for()


@pytest.mark.parametrize("name", ["philosophers.dve", "mailbox.pml", "two_phase_commit.py", "philosophers.pnml"])
def test_a_walk_by_keyboard_shows_what_the_interpreter_says(browser: Browser, name: str) -> None:
    with explored(browser, name) as (walk, page):
        for turn in range(6):
            at(page, turn)
            shown = {each: value for each, value in page.state.items() if value != "(gone)"}
            expected = State(walk.model, walk.nodes[turn].state)
            assert shown == {each: written(value) for each, value in expected.items()}
            chosen = walk.choose(turn)
            assert page.page.locator(".moves .move").count() == len(walk.steps(turn))
            assert f"would explore {len(chosen.explored)} of {len(chosen.enabled)}" in page.page.inner_text(
                ".scroll > p"
            )
            page.page.keyboard.press("1")
        at(page, 6)
        page.page.keyboard.press("Backspace")
        at(page, 5)
        page.page.keyboard.press("Home")
        at(page, 0)


def test_why_a_step_is_in_the_set(browser: Browser) -> None:
    with explored(browser, "philosophers.dve") as (walk, page):
        page.page.keyboard.press("1")
        at(page, 1)
        page.page.keyboard.press("2")
        at(page, 2)
        chains = page.page.locator(".why")
        assert chains.count() == len(walk.choose(2).explored)
        chains.nth(1).locator("summary").click()
        told = chains.nth(1).locator("li").all_inner_texts()
        assert len(told) == 2
        assert "the order of the two makes a difference" in told[1]


def test_steps_are_looked_at_by_arrow_keys(browser: Browser) -> None:
    with explored(browser, "philosophers.dve") as (walk, page):
        page.page.keyboard.press("ArrowDown")
        page.page.keyboard.press("ArrowDown")
        lines = {each["lines"][0] for each in walk.view(0)["steps"][1:2]}
        assert page.page.locator(".source .row.now .ln").all_inner_texts() == [str(line) for line in lines]
        page.page.keyboard.press("Enter")
        at(page, 1)
        assert walk.nodes[1].step == walk.steps(0)[1]


def test_of_many_states_only_those_nearby_are_listed(browser: Browser, tmp_path: Path) -> None:
    other = Walk(load(str(EXAMPLES / "pipeline.dve")))
    node = 0
    for _ in range(400):
        step = other.steps(node)[0]
        node = other.step(node, step.transition, step.outcome)
    (tmp_path / "path.json").write_text(json.dumps(other.exported(node)), "utf-8")
    with explored(browser, "pipeline.dve") as (_, page):
        page.page.set_input_files("input[type=file]", tmp_path / "path.json")
        at(page, 400)
        first, *listed = page.page.locator(".visited li").all_inner_texts()
        assert (first, len(listed)) == ("250 states before these", 151)


def test_run_to_an_expression_and_what_is_wrong_with_it(browser: Browser) -> None:
    with explored(browser, "philosophers.dve") as (_, page):
        field = page.page.get_by_label("Run to a state in which this is true")
        field.fill("phil_2.eating")
        field.press("Enter")
        page.page.locator(".state td", has_text="eating").wait_for()
        field.fill("phil_9.eating")
        field.press("Enter")
        page.page.get_by_role("alert").wait_for()


def test_the_path_is_saved_and_followed_again(browser: Browser, tmp_path: Path) -> None:
    with explored(browser, "philosophers.dve") as (_, page):
        page.page.keyboard.press("1")
        at(page, 1)
        page.page.keyboard.press("1")
        at(page, 2)
        with page.page.expect_download() as download:
            page.page.get_by_role("button", name="Save the path").click()
        download.value.save_as(tmp_path / "path.json")
        assert len(json.loads((tmp_path / "path.json").read_text("utf-8"))["violations"][0]["trail"]) == 2
        page.page.keyboard.press("Home")
        at(page, 0)
        page.page.set_input_files("input[type=file]", tmp_path / "path.json")
        at(page, 2)


def test_nobody_is_shut_out(browser: Browser) -> None:
    with explored(browser, "philosophers.dve") as (_, page):
        page.page.keyboard.press("1")
        at(page, 1)
        assert page.faults() == []
