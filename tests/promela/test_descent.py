"""Numbers that follow from who starts whom."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import inf

import pytest

from mule.checking import explore
from mule.frontends.promela import creation, load, parse
from mule.frontends.promela.creation import Room
from mule.frontends.promela.descent import possible_numbers
from mule.frontends.promela.processes import Proctype
from mule.frontends.promela.translation import _Translation
from mule.options import Options
from tests.differential.generator import random_program

pytestmark = pytest.mark.slow


def numbers(text: str) -> dict[str, tuple[int, float]]:
    translation = _Translation(parse(text, "m.pml"), "m.pml", Room(8))
    translation.declare_names()
    return possible_numbers(translation.types, translation.active)


TREE = """
byte n;
active proctype main() { atomic { run host(); run clock() } }
proctype clock() { do :: skip od }
proctype host() { run device() }
proctype device() { byte i; for (i : 0 .. n) { run unit() } }
proctype unit() { if :: run leaf() :: run leaf(); run leaf() fi }
proctype leaf() { skip }
proctype idle() { run idle() }
"""


def test_a_tree_of_processes() -> None:
    """Of `unit` nobody knows how many there are, but all descend from `host` and `device`; `clock` may come last."""
    assert numbers(TREE) == {
        "host": (1, 3),
        "clock": (1, inf),
        "device": (2, 4),
        "unit": (3, inf),
        "leaf": (4, inf),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("init { run P(); run P() } proctype P() { run Q() } proctype Q() { skip }", {"P": (1, 5), "Q": (2, 5)}),
        ("init { run P() } proctype P() { run P() }", {"P": (1, inf)}),
        ("init { run P() } proctype P() { run Q() } proctype Q() { run P() }", {"P": (1, inf), "Q": (2, inf)}),
        ("active [2] proctype P() { run Q() } proctype Q() { skip }", {"Q": (1, 4)}),
        ("active proctype P() { skip } active proctype Q() { run P() }", {"P": (2, 3)}),
        ("init { do :: run P(); break od } proctype P() { skip }", {"P": (1, 2)}),
        ("init { again: run P(); goto again } proctype P() { skip }", {"P": (1, inf)}),
        ("init { { do :: skip od } unless { run P() } } proctype P() { skip }", {"P": (1, 2)}),
    ],
)
def test_who_starts_whom(text: str, expected: dict[str, tuple[int, float]]) -> None:
    found = numbers(text)
    assert {name: low for name, (low, _) in found.items()} == {name: low for name, (low, _) in expected.items()}
    assert all(found[name][1] >= expected[name][1] for name in expected)
    assert all(found[name][1] == inf for name in expected if expected[name][1] == inf)


def anything(types: dict[str, Proctype], active: Sequence[str]) -> dict[str, tuple[int, float]]:
    return dict.fromkeys(types, (0, inf))


def test_no_process_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing else were known: random programs have the states that they have with room for all, everywhere."""
    monkeypatch.setattr(creation, "STATES", 1)
    compared = 0
    for seed in range(24):
        program = random_program(random.Random(seed), frozenset({"run"}))
        if "enabled" in program:
            continue  # whom it asks about, and whether that can be said, depends on who might be there
        found = []
        for known in (possible_numbers, anything):
            monkeypatch.setattr(creation, "possible_numbers", known)
            options = Options(por="none", as_written=True, max_states=20_000)
            found.append(explore(load(program, "m.pml", processes=6), options))
        first, second = found
        if first.stopped is None and second.stopped is None:
            compared += len(first.model.processes) < len(second.model.processes)
            assert first.statistics.states == second.statistics.states, seed
            assert first.statistics.transitions == second.statistics.transitions, seed
    assert compared > 5


def test_more_room_for_those_who_need_it() -> None:
    first = Room(8)
    names = ["P", "Q", "R"]
    second = first.wider(names, {first.exceeded_by("P")})
    assert [second.below(name) for name in names] == [16, 8, 8]
    assert [second.wider(names, {second.exceeded_by("P")}).below(name) for name in names] == [32, 16, 16]
    assert [second.wider(names, {second.exceeded_by("Q")}).below(name) for name in names] == [16, 16, 16]
    assert [first.wider(names, {"something else"}).below(name) for name in names] == [16, 16, 16]
