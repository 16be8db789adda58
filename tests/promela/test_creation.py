"""Which numbers `run` can give: what creators do on their own takes no part in the number of states to look at."""

from __future__ import annotations

from mule.checking import explore
from mule.frontends.promela import load, parse
from mule.frontends.promela.creation import STATES, Creation, Room, created_processes
from mule.frontends.promela.translation import _Translation
from mule.options import Options

MONITORED = """
proctype Monitor() { do :: atomic { skip; skip } od }
proctype Worker(chan up) { if :: skip :: skip fi; up!0 }
proctype Boss(byte many; chan up) {
  chan done = [1] of { byte };
  byte i, got;
  bool state;
  run Monitor();
  for (i : 1 .. many) { run Worker(done); if :: state = true :: state = false fi }
  for (i : 1 .. many) { done?got; WORK }
  up!0
}
init { chan c = [1] of { byte }; run Boss(3, c); run Monitor(); c?_ }
"""


def created(text: str) -> Creation:
    translation = _Translation(parse(text, "m.pml"), "m.pml", Room(8))
    translation.declare_names()
    return created_processes(translation.types, translation.active, translation.room, False)


def test_a_bound_is_found_whatever_the_creators_do_on_their_own() -> None:
    """Each number of choices that a creator has was once a factor of the number of states."""
    work = "; ".join("if :: got > 0 -> skip :: else -> skip :: skip fi" for _ in range(STATES // 30))
    found = created(MONITORED.replace("WORK", work))
    assert found.room is None
    assert max(found.instances) == (6, "Worker")


def test_too_many_choices_of_one_creator_are_given_up() -> None:
    choices = "; ".join(f"if :: x{n} = 0 :: x{n} = 1 fi" for n in range(20))
    tests = "; ".join(f"(x{n} == 0 || x{n} == 1)" for n in range(20))
    declared = "bit " + ", ".join(f"x{n}" for n in range(20))
    text = f"proctype P() {{ skip }} init {{ {declared}; {choices}; {tests}; run P() }}"
    assert created(text).room == Room(8)


def test_loops_of_private_steps_end() -> None:
    text = "proctype P() { skip } init { byte x; do :: x++ :: x > 3 -> break od; run P(); do :: x = 0 od }"
    assert created(text).instances == {(0, "init"), (1, "P")}
    assert explore(load(text, "m.pml"), Options(por="none")).statistics.states > 0
