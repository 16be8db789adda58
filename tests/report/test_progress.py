from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest

from mule.report import progress
from mule.report.progress import ProgressLine, progress_text

SNAPSHOT: Any = SimpleNamespace(
    states=1_234_567, transitions=9, depth=321, queue=45, memory_bytes=2**30, seconds=2.0, estimate=None
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_wide_terminal_shows_everything() -> None:
    text = "1,234,567 states  617,284/s  2.0 s  1.0 GiB  depth 321  45 waiting"
    assert progress_text(SNAPSHOT, 100) == text


def test_a_directed_search_shows_how_near_it_has_come() -> None:
    directed: Any = SimpleNamespace(**{**vars(SNAPSHOT), "estimate": 7})
    assert progress_text(directed, 50) == "1,234,567 states  estimate 7  depth 321  617,284/s"


@pytest.mark.parametrize("width", [1, 10, 20, 40, 60])
def test_a_narrow_terminal_shows_what_fits(width: int) -> None:
    assert len(progress_text(SNAPSHOT, width)) <= width


def test_nothing_is_shown_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    stream = io.StringIO()
    line = ProgressLine(stream)
    line.show(SNAPSHOT)
    line.clear()
    assert stream.getvalue() == ""


def test_the_line_is_cleared_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    stream = Terminal()
    line = ProgressLine(stream)
    line.show(SNAPSHOT)
    line.clear()
    assert "1,234,567 states" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")
