"""Loops over the messages of a channel, one inside another."""

from __future__ import annotations

import pytest

import mule

LOOPS = """
typedef T { byte f };
chan c = [3] of { T }; chan d = [3] of { T };
byte n;
active proctype P() {
  T v; T w; T u;
  v.f = 1; c!v; v.f = 2; c!v; d!v; d!v; d!v;
  BODY
  assert(n == EXPECTED)
}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for (v in c) { n++ };", 2),
        ("for (v in c) { for (w in d) { n++ } };", 6),
        ("for (v in c) { for (w in d) { n++ }; for (w in c) { n++ } };", 10),
        ("for (v in c) { for (w in d) { for (u in c) { n++ } } };", 12),
        ("for (v in c) { n++ }; for (w in d) { n++ };", 5),
        ("for (v in c) { { for (w in d) { n++ } } };", 6),
    ],
)
def test_each_loop_counts_its_own_messages(body: str, expected: int) -> None:
    text = LOOPS.replace("BODY", body).replace("EXPECTED", str(expected))
    result = mule.loads(text, "promela").check(assertions=True)
    assert result.holds, str(result)
    assert mule.loads(text.replace(f"n == {expected}", f"n != {expected}"), "promela").check(assertions=True).violated
