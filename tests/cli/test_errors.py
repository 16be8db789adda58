from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mule.cli.errors import error_text
from mule.errors import MuleError, Place


def test_an_error_shows_the_source_line_and_a_caret(tmp_path: Path) -> None:
    source = tmp_path / "m.dve"
    source.write_text("byte x;\n\tbyte x = ;\n")
    text = error_text(MuleError("expected a number", Place(str(source), 2, 11)))
    assert text == f"mule: {source}:2:11: expected a number\n     byte x = ;\n              ^"


@pytest.mark.parametrize("place", [None, Place("gone.dve"), Place("gone.dve", 3, 1)])
def test_an_error_without_a_readable_source_is_one_line(place: Place | None) -> None:
    assert "\n" not in error_text(MuleError("no such thing", place))


def test_a_column_beyond_the_line_has_no_caret(tmp_path: Path) -> None:
    source = tmp_path / "m.dve"
    source.write_text("byte\n")
    assert "^" not in error_text(MuleError("odd", Place(str(source), 1, 40)))


def test_a_long_source_line_is_cut_around_the_column(tmp_path: Path) -> None:
    source = tmp_path / "m.dve"
    source.write_text("x" * 5000 + "!" + "y" * 5000 + "\n")
    [_, shown, caret] = error_text(MuleError("odd", Place(str(source), 1, 5001))).splitlines()
    assert len(shown) <= 104
    assert shown[caret.index("^")] == "!"


def test_a_model_error_becomes_status_2(mule: Any, checking: Any) -> None:
    def refuse(progress: Any) -> Any:
        raise MuleError("no variable y", Place("m.dve", 1, 1))

    checking.answer = refuse
    run = mule("check", "m.dve")
    assert (run.status, run.out, run.err) == (2, "", "mule: m.dve:1:1: no variable y\n")


def test_a_defect_of_mule_is_not_hidden(mule: Any, checking: Any) -> None:
    checking.answer = lambda progress: 1 // 0
    run = mule("check", "m.dve")
    assert (run.status, run.out) == (4, "")
    assert "ZeroDivisionError" in run.err
