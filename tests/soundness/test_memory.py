"""Commands for which there is not enough memory say so: `python -m tests.soundness.memory` tries all of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.soundness.memory import Case, cases, try_out

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to a limit on the address space"),
]


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    return {case.name: case for case in cases(tmp_path_factory.mktemp("models"))}


@pytest.mark.parametrize(
    ("name", "megabytes"),
    [
        ("small", 80),
        ("small", 220),
        ("breadth first", 420),
        ("two workers", 420),
        ("ltl", 380),
        ("graph", 400),
        ("long trail", 300),
    ],
)
def test_what_is_known_is_told(known: dict[str, Case], name: str, megabytes: int) -> None:
    assert try_out(known[name], megabytes * 2**20).problem is None


def test_a_search_that_has_too_little_is_incomplete(known: dict[str, Case], tmp_path: Path) -> None:
    assert try_out(known["depth first"], 450 * 2**20).status == 3


def test_a_program_that_cannot_be_loaded_has_read_nothing(known: dict[str, Case]) -> None:
    assert try_out(known["small"], 80 * 2**20).status == 2


def test_spot_is_not_loaded_where_it_would_end_the_program() -> None:
    case = Case("automaton", ("automaton", "[](a -> <>b) && []<>c"), frozenset({0}))
    assert [try_out(case, megabytes * 2**20).problem for megabytes in (64, 70)] == [None, None]
