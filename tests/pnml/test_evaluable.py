"""A proposition of a net that has no value in some marking is an error, never false."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule import api
from mule.results import Verdict, ViolationKind
from tests.pnml.nets import SmallNet, pnml

DOUBLING = SmallNet((1, 0), (({0: 1}, {1: 65536}), ({1: 65536}, {0: 1})))
"""One token becomes 65,536, and one again."""


def small(folder: Path) -> api.System:
    file = folder / "small.pnml"
    file.write_text(pnml(DOUBLING))
    return api.load(str(file))


@pytest.mark.parametrize(
    ("proposition", "why"),
    [("p1 * p1 == 0", "65536 * 65536 = 4294967296 does not fit"), ("p1 * 40000 >= 0", "does not fit")],
)
def test_a_proposition_without_a_value(tmp_path: Path, proposition: str, why: str) -> None:
    """65,536 tokens times themselves are 2**32, which 32 bits would take for 0."""
    system = small(tmp_path)
    automaton = tmp_path / "claim.hoa"
    automaton.write_text(
        f'HOA: v1\nStates: 2\nStart: 0\nAP: 1 "{proposition}"\nAcceptance: 1 Inf(0)\n--BODY--\n'
        "State: 0\n[0] 0\n[!0] 1\nState: 1 {0}\n[0] 0\n[!0] 1\n--END--\n"
    )
    for asked in ({"ltl": f"<> [] ({proposition})"}, {"ctl": f"EF ({proposition})"}, {"claim": str(automaton)}):
        result = system.check(**asked)  # type: ignore[arg-type]
        assert result.verdict is Verdict.VIOLATED
        assert result.violation is not None
        assert result.violation.kind is ViolationKind.MODEL_ERROR
        assert len(result.violation.trail) == 1
        assert why in result.violation.message
    violation = system.check(invariant=proposition).violation
    assert violation is not None
    assert why in violation.message


def test_a_proposition_with_a_value_in_every_marking(tmp_path: Path) -> None:
    system = small(tmp_path)
    assert system.check(ltl="[] (p0 == 0 || p1 * p1 == 0)").verdict is Verdict.HOLDS
    assert system.check(ltl="[] (p1 + p1 != 1)").verdict is Verdict.HOLDS
