"""Hidden variables: in the state only if a step can read what another one left in them."""

from __future__ import annotations

import pytest

from mule.checking import check, explore
from mule.frontends.promela import load
from mule.options import Options
from mule.results import Verdict


@pytest.mark.parametrize(
    "body",
    [
        "h = 1; h == 1 -> skip",
        "a[1] = 7; x = a[1]; assert(x == 7)",
        "a[1] = 7; d_step { a[0] = 1; x = a[1] }; assert(x == 7)",
        "a[1] = 7; d_step { i = 0; a[i] = 5; i = 1; x = a[i] }; assert(x == 7)",
        "a[1] = 7; d_step { a[0] = 0; a[a[0]] = 1; x = a[a[0]] }; assert(x == 7)",
        "h = 1; d_step { a[h] = 3; x = a[1] }; assert(x == 3)",
    ],
)
def test_what_another_step_reads_is_kept(body: str) -> None:
    model = load(f"hidden byte h, a[2]; byte i, x; active proctype P() {{ {body} }}", "m.pml")
    assert check(model, options=Options(por="none", as_written=True)).verdict is Verdict.HOLDS


@pytest.mark.parametrize("used", ["h = VALUE; x = h", "i = 1; a[i] = VALUE; x = a[i]", "h = 1; a[h] = VALUE; x = a[h]"])
def test_what_a_step_sets_before_it_reads_it_is_not(used: str) -> None:
    """Before the first step, and after any."""
    steps = " ".join(f":: d_step {{ {used.replace('VALUE', value)}; x = 1; i = 0 }}" for value in "12")
    model = load(f"hidden byte h, a[2]; byte i, x; active proctype P() {{ do {steps} od }}", "m.pml")
    assert explore(model, Options(por="none", as_written=True)).statistics.states == 2
