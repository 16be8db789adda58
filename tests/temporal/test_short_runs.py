"""Runs that show a violation are short in the steps that the author wrote."""

from __future__ import annotations

import random

import pytest

from mule.checking import check
from mule.frontends import load_text
from mule.model import Model
from mule.model.interpreter import Interpreter
from mule.options import Fairness, Options
from mule.properties import Properties
from mule.results import Trail, Verdict

JOINED = """
byte x; byte bad;
process A { byte l; state a, b, c, d, e; init a; trans
    a -> b { effect l = 1; }, b -> c { effect l = 2; }, c -> d { effect l = 3; }, d -> e { effect bad = 1; }; }
process B { state p, q, r; init p; trans p -> q { guard x == 0; effect x = 1; },
    q -> r { guard x == 1; effect x = 2; }, r -> r { guard x == 2; effect bad = 1; }; }
process C { state p; init p; trans p -> p { guard x == 1; effect x = 0; }; }
system async;
"""


def test_the_shortest_trail_counts_the_steps_of_the_author() -> None:
    """Four steps of A would be joined to one."""
    result = check(
        load_text(JOINED, "joined.dve", "dve"), Properties(invariants=("bad == 0",)), Options("none", search="bfs")
    )
    (violation,) = result.violations
    assert (len(violation.trail), violation.shortest) == (3, True)


def ring(length: int) -> Model:
    """A process that goes round in circles of any size up to a length, and can turn on the spot after one step."""
    ways = ", ".join(f"s{i} -> s{i + 1} {{ }}" for i in range(length))
    back = ", ".join(f"s{i} -> s0 {{ effect x = 1 - x; }}" for i in range(1, length + 1))
    states = ", ".join(f"s{i}" for i in range(length + 1))
    text = f"byte x; process P {{ state {states}; init s0; trans {ways}, {back}, s1 -> s1 {{ }}; }} system async;"
    return load_text(text, "ring.dve", "dve")


@pytest.mark.parametrize("options", [Options(), Options("none", emptiness="scc"), Options(as_written=True)])
def test_a_lasso_is_short(options: Options) -> None:
    result = check(ring(9), Properties(ltl=("[](P.s1 -> <> P.s5)",)), options)
    trail = result.violations[0].trail
    assert (trail.loop, len(trail)) == (1, 2)


@pytest.mark.parametrize("fairness", ["none", "weak", "strong"])
def test_short_runs_of_random_systems_are_runs(fairness: Fairness) -> None:
    """Every one is replayed and accepted, or there would be an error; and none could leave out a piece that comes back
    to the same state before its cycle."""
    draw = random.Random(7)
    violated = 0
    for _ in range(25):
        model = random_system(draw)
        formula = draw.choice(
            ("<>(x == 2)", "[]<>(x == 1)", "<>[](y == 0)", "[](x == 1 -> <>(y == 1))", "(y == 0) U (x == 2)")
        )
        result = check(model, Properties(ltl=(formula,)), Options(fairness=fairness))
        for violation in result.violations:
            violated += 1
            assert follows(violation.trail)
        assert result.verdict is not Verdict.INCOMPLETE
    assert violated > 5


def random_system(draw: random.Random) -> Model:
    processes = []
    for name in "AB":
        ways = [
            f"s{draw.randrange(3)} -> s{draw.randrange(3)} {{ guard {draw.choice('xy')} {draw.choice(('<', '!='))} 2; "
            f"effect {draw.choice('xy')} = {draw.randrange(3)}; }}"
            for _ in range(draw.randrange(2, 6))
        ]
        processes.append(f"process {name} {{ state s0, s1, s2; init s0; trans {', '.join(ways)}; }}")
    return load_text(f"byte x; byte y; {' '.join(processes)} system async;", "random.dve", "dve")


def follows(trail: Trail) -> bool:
    interpreter = Interpreter(trail.model)
    ends = zip(trail.states, trail.taken, trail.states[1:], strict=False)
    goes = all(step in interpreter.steps(before) and step.target == after for before, step, after in ends)
    return goes and (trail.loop is None or trail.states[trail.loop] == trail.states[-1])
