"""Trails of SPIN: what their lines mean, and that Mule replays them to the same error."""

from __future__ import annotations

from pathlib import Path

import pytest

import mule as library
from mule.frontends.promela.numbering import numbers_of
from mule.trails.saved import is_spin_trail
from mule.trails.spin import parse_spin_trail
from tests.trails.conftest import Mule
from tests.trails.spin_trails import fuzzed, has_spin, replayed

pytestmark = pytest.mark.corpus

pytestmark = pytest.mark.slow
needs_spin = pytest.mark.skipif(not has_spin(), reason="SPIN or gcc is not installed")

BUFFER = """
mtype = { ping };
chan c = [0] of { mtype, byte };
chan d = [2] of { byte };
byte x, y;
active proctype P() {
  byte i;
  do
  :: i < 1 -> c!ping, i; i++
  :: else -> break
  od;
  atomic { x = 1; y = x + 1; d!y };
  if :: y > 1 -> x = 5 :: true -> skip fi;
}
active proctype Q() {
  byte j;
  end: do
  :: c?ping, j -> printf("got %d", j)
  :: d?j -> d_step { y = 0; x = 7 }; assert(x != 7 || j > 2)
  od
}
"""
BUFFER_TRAIL = """-4:-4:-4
1:0:0
2:0:1
3:1:19
4:1:20
5:0:2
6:0:3
7:0:8
8:0:10
9:1:21
10:1:24
11:1:25
"""
"""As SPIN 6.5.2 writes it."""


def test_a_trail_of_spin_is_replayed(mule: Mule) -> None:
    Path("m.pml").write_text(BUFFER)
    Path("m.pml.trail").write_text(BUFFER_TRAIL)
    run = mule("trail", "m.pml", "m.pml.trail")
    assert run.status == 1
    assert "replayed   9 steps of m.pml.trail" in run.out
    assert "why: assertion violated: (x != 7) || (j > 2)" in run.out
    shorter = mule("trail", "m.pml", "m.pml.trail", "--shorten", "-o", "short.json")
    assert "no fewer will do" in shorter.out
    assert mule("trail", "m.pml", "short.json").status == 1


def test_statements_have_the_numbers_that_spin_gives_them() -> None:
    """As `pan -d` lists them."""
    source = library.loads(BUFFER, "promela").model.source
    assert source is not None
    found = {number: [each.text for each in known.shown] for number, known in numbers_of(source).statements.items()}
    assert {number: found[number] for number in (0, 1, 2, 3, 8, 10, 12, 13, 14, 15, 18)} == {
        0: ["i < 1"],
        1: ["c!ping, i"],
        2: ["i++"],
        3: ["else"],
        8: ["x = 1"],
        10: ["d!y"],
        12: ["y > 1"],
        13: ["x = 5"],
        14: ["true"],
        15: ["skip"],
        18: ["-end-"],
    }
    assert {number: found[number] for number in (19, 20, 21, 24, 25)} == {
        19: ["c?ping, j"],
        20: ['printf("got %d", j)'],
        21: ["d?j"],
        24: ["y = 0"],
        25: ["assert((x != 7) || (j > 2))"],
    }


def test_an_empty_trail_leads_to_the_initial_state(mule: Mule) -> None:
    Path("m.pml").write_text("bit b; active proctype P() { b == 1 }")
    Path("m.pml.trail").write_text("")
    run = mule("trail", "m.pml", "m.pml.trail")
    assert run.status == 1
    assert "invalid end state: no process can move, with P in line 1" in run.out


def test_the_head_of_a_trail_says_how_to_read_it() -> None:
    found = parse_spin_trail("-2:1:-2\n-4:-4:-4\n0:0:7\n1:1:3\n-1:-1:-1\n2:0:7\n3:2:4\n", "m.trail")
    assert found.claim == 1
    assert found.merged
    assert found.cycle == 1
    assert [(line.process, line.statement) for line in found.lines] == [(0, 3), (1, 4)]
    assert is_spin_trail("-4:-4:-4\n")
    assert not is_spin_trail('{"a": 1}')


@pytest.mark.parametrize(
    ("trail", "message"),
    [
        ("-4:-4:-4\n1:0:999\n", "no process has a statement 999 (step 1)"),
        ("-4:-4:-4\n1:0:8\n", "its step 1 is not possible"),
        ("-4:-4:-4\n1:0\n", "this is no line of a trail of SPIN"),
        ("-5:-5:-5\n1:0:0\n", "the search was permuted"),
    ],
)
def test_trails_that_do_not_fit(mule: Mule, trail: str, message: str) -> None:
    Path("m.pml").write_text(BUFFER)
    Path("m.trail").write_text(trail)
    run = mule("trail", "m.pml", "m.trail")
    assert run.status == 2
    assert message in run.err


def test_a_trail_of_spin_needs_a_promela_program(mule: Mule) -> None:
    Path("m.trail").write_text(BUFFER_TRAIL)
    run = mule("trail", str(Path(__file__).parents[2] / "examples/peterson.dve"), "m.trail")
    assert run.status == 2
    assert "this is a trail of SPIN, and peterson is not in Promela" in run.err


PROGRAMS = {
    "loops": """
        byte sum; byte a[3];
        active proctype P() {
          byte i; int k;
          for (i : 1 .. 3) { sum = sum + i };
          for (i in a) { a[i] = i; byte z = 2; sum = sum + z };
          select (k : 2 .. 5);
          assert(sum != 12 || k != 4)
        }""",
    "inlines": """
        byte x; bit lock;
        inline take(l) { atomic { l == 0 -> l = 1 } }
        inline twice(v) { v = v + 1; v = v + 1 }
        proctype W(byte me) { take(lock); twice(x); lock = 0; if :: x == 4 -> assert(me == 0) :: else fi }
        init { atomic { run W(0); run W(1) } }""",
    "escapes": """
        chan c = [1] of { byte }; byte n;
        active proctype P() {
          { do :: n < 3 -> n++ :: n > 1 -> goto out od } unless { c?_ -> n = 9 };
          out: skip; progress: goto stop;
          stop: assert(n != 9)
        }
        active proctype Q() { end: if :: n == 2 -> c!1 fi }""",
    "skips": """
        byte x;
        active [2] proctype P() {
          if :: skip; skip; skip; x++ :: printf("a"); skip; x = x + 2 fi;
          d_step { if :: x > 2 -> x = 0 :: else -> x = x * 2 fi; do :: x < 8 -> x++ :: else -> break od };
          x != 8 -> skip
        }""",
    "sorted": """
        chan c = [4] of { byte, byte }; byte a, b;
        active proctype S() { c!!3,1; c!!1,2; c!!2,3 }
        active proctype R() { c??2,a; c?<a,b>; atomic { c?a,b; a == 1 -> assert(b != 2) } }""",
}


@needs_spin
@pytest.mark.parametrize("merging", [True, False])
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_trails_of_a_real_spin(name: str, merging: bool, tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text(PROGRAMS[name])
    found = replayed(model, merging=merging)
    assert found is not None, "SPIN finds no error"
    assert found.violation is not None, found.undecided


CLAIMS = {
    "cycle": (
        "bit x, y; active proctype P() { do :: x = 1 - x :: y = 1 od } ltl p { <>(y == 1) }",
        ("-a",),
        "p: <>(y == 1)",
    ),
    "end": ("bit y; active proctype P() { if :: y = 1 :: skip fi } ltl p { <>(y == 1) }", ("-a",), "p: <>(y == 1)"),
    "always": ("byte x; active proctype P() { x = 1; x = 2; x = 3 } ltl p { [](x < 3) }", ("-a",), "p: [](x < 3)"),
    "second": (
        "bit x; active proctype P() { do :: x = 1 - x od } ltl p { []<>(x == 2) } ltl q { <>[](x == 1) }",
        ("-a", "-N", "q"),
        "q: <>[](x == 1)",
    ),
    "never": (
        "bit x; active proctype P() { do :: x = 1 - x od } never { T: do :: true :: x -> goto accept od; "
        "accept: do :: true od }",
        ("-a",),
        "never",
    ),
    "merged": (
        "byte x; bit y; active proctype P() { x < 3; x = x + 1; x = x - 1; do :: y = 1; y = 0 :: skip; x = 7 - x od } "
        "ltl p { []<>(x == 7) }",
        ("-a",),
        "p: []<>(x == 7)",
    ),
    "acceptance": (
        "bit x; active proctype P() { do :: x = 1 - x; accept: skip od }",
        ("-a",),
        "no acceptance cycle",
    ),
}


@needs_spin
@pytest.mark.parametrize("name", list(CLAIMS))
def test_trails_of_claims(name: str, tmp_path: Path) -> None:
    text, options, claimed = CLAIMS[name]
    model = tmp_path / "m.pml"
    model.write_text(text)
    found = replayed(model, *options, safety=False)
    assert found is not None, "SPIN finds no error"
    assert found.violation is not None, found.undecided
    assert found.property == claimed


@needs_spin
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_trails_of_random_programs(seed: int) -> None:
    """`python -m tests.trails.spin_trails --count N` does as many as one likes."""
    assert fuzzed(seed).outcome in ("none", "same")
