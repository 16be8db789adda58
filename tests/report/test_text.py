from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from mule.options import Options
from mule.report.layout import ASCII, Page
from mule.report.text import describe, report
from mule.results import Verdict, ViolationKind


def text_of(result: Any, width: int = 80, full_trail: bool = False) -> str:
    stream = io.StringIO()
    report(result, Page(Console(file=stream, width=width, highlight=False, markup=False)), full_trail)
    return stream.getvalue()


def test_the_verdict_comes_first(sample: Any) -> None:
    assert text_of(sample.result(Verdict.HOLDS)).splitlines()[0] == "✓ holds  lock"
    assert text_of(sample.violated(sample.trail(0, 1))).splitlines()[0] == "✗ violated  lock: an assertion can fail"
    incomplete = text_of(sample.result(Verdict.INCOMPLETE, stopped="time")).splitlines()[0]
    assert incomplete == "? incomplete  lock: the time limit was reached; no violation so far"


def test_exploring_judges_nothing(sample: Any) -> None:
    assert text_of(sample.result(Verdict.HOLDS, judges=False)).startswith("✓ explored  lock\n\nSearch\n")


def test_every_property_gets_its_line(sample: Any) -> None:
    lines = text_of(sample.violated(sample.trail(0, 1))).splitlines()
    assert "  ✗ assertion left.critical" in lines
    assert "  ? no deadlock  (not decided: the search ended before)" in lines


def test_the_trail_says_who_moved_and_what_changed(sample: Any) -> None:
    text = text_of(sample.violated(sample.trail(0, 1), shortest=True))
    assert "How to get there: 2 steps, and no fewer will do\n" in text
    assert "  2  right: idle → critical   taken[1]: 0 → 1\n     line 9: effect taken[1] = 1\n" in text
    assert "  left   critical\n  right  critical\n  taken  [1, 1]\n  mail   []\n" in text
    assert "  why: both are in critical\n" in text


def test_a_failing_step_says_what_went_wrong(sample: Any) -> None:
    text = text_of(sample.violated(sample.trail(4), ViolationKind.MODEL_ERROR))
    assert "     here: division by zero\n" in text
    assert text.splitlines()[0].endswith("the model itself can go wrong")


def test_a_violation_in_the_initial_state_has_no_steps(sample: Any) -> None:
    assert "The initial state itself\n" in text_of(sample.violated(sample.trail()))


def test_a_long_trail_loses_its_middle_unless_asked_for(sample: Any) -> None:
    result = sample.violated(sample.trail(*[0, 2] * 50))
    short, full = text_of(result), text_of(result, full_trail=True)
    assert "… 50 steps left out; --full-trail shows them" in short
    assert "   30  " in short
    assert "   31  " not in short
    assert "   81  " in short
    assert "   31  " in full
    assert "left out" not in full


def test_nothing_is_wider_than_sixty_columns_or_ends_in_spaces(sample: Any) -> None:
    for result in (sample.violated(sample.trail(0, 3, 3, 1)), sample.result(Verdict.INCOMPLETE, stopped="memory")):
        lines = text_of(result, width=60).splitlines()
        assert max(map(len, lines)) <= 60
        assert all(line == line.rstrip() for line in lines)


def test_piped_output_has_no_colour(sample: Any) -> None:
    assert "\x1b" not in text_of(sample.violated(sample.trail(0, 1)))


def test_an_ascii_stream_gets_ascii_signs(sample: Any) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    page = Page(file=stream)
    assert page.signs is ASCII
    report(sample.violated(sample.trail(0, 1)), page)
    stream.flush()
    assert b"right: idle -> critical" in stream.buffer.getvalue()


def test_the_statistics_say_what_was_done(sample: Any) -> None:
    text = text_of(sample.result(Verdict.HOLDS))
    assert "  explored   1,234 states, 5,678 transitions, 1 deadlock, depth 42\n" in text
    assert "  time       0.012 s compile + 2.0 s search (617 states/s)\n" in text
    assert "  memory     3.0 MiB\n" in text
    assert "  reduction  strong stubborn sets by beam search, proviso stack-; depth first\n" in text
    assert "  note       the reduction preserves deadlocks\n" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (Options(por="none", search="bfs", nds=False), "none; breadth first"),
        (
            Options(por="beam", search="bfs", proviso="none"),
            "strong stubborn sets by beam search, no proviso; breadth first",
        ),
        (
            Options(por="closure", weak=True, search="dfs", proviso="stack-", nds=False),
            "weak stubborn sets by closure, without necessary disabling sets, proviso stack-; depth first",
        ),
        # Deletion gains nothing from them: there is nothing to tell.
        (
            Options(por="deletion", search="dfs", proviso="stack-", nds=False),
            "strong stubborn sets by deletion, proviso stack-; depth first",
        ),
    ],
)
def test_the_reduction_is_described_in_words(options: Options, words: str) -> None:
    assert describe(options) == words
