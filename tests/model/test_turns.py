"""How often the value analysis looks at each step."""

from __future__ import annotations

import pytest

from mule.frontends.promela import load
from mule.model import value_analysis

COPIES = 20
WRITERS = 8
PROGRAM = f"""
chan c = [2] of {{ byte }};
active proctype Reader() {{
    byte {", ".join(f"x{i}" for i in range(COPIES + 1))};
    do :: c?x0; {" ".join(f"x{i + 1} = x{i};" for i in range(COPIES))} od
}}
active [{WRITERS}] proctype Writer() {{ c!_pid * 3 }}
"""


def test_a_process_is_not_gone_through_for_each_value_that_later_ones_send_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_analysis, "_FAIR_TURNS", (0, 0))
    fire, fired = value_analysis._Analysis._fire, 0

    def counted(self: value_analysis._Analysis, number: int) -> None:
        nonlocal fired
        fired += 1
        fire(self, number)

    monkeypatch.setattr(value_analysis._Analysis, "_fire", counted)
    model = load(PROGRAM, "m.pml")
    domains = value_analysis.compute_domains(model)
    last = next(v for v in model.variables if v.name == f"Reader:x{COPIES}")
    assert set(domains.values[model.slot_of[last]]) == {3 * writer for writer in range(WRITERS + 1)}
    assert fired < WRITERS * COPIES
