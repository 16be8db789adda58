"""A sample of malformed inputs of every kind: `python -m tests.fuzz` tries as many as one likes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz import examples
from tests.fuzz.cases import KINDS, Case
from tests.fuzz.findings import Finding, read, save
from tests.fuzz.pool import judge_all
from tests.fuzz.rule import Outcome, broken
from tests.fuzz.running import Runner, runner

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tried() -> Iterator[Runner]:
    with runner() as found:
        yield found


@pytest.mark.parametrize("kind", KINDS)
def test_malformed_inputs_are_refused_with_a_place(tried: Runner, kind: str) -> None:
    chosen = [(kind, f"sample/{number}") for number in range(examples(40))]
    faults = {
        f"python -m tests.fuzz --one '{kind}' {seed}": fault
        for (_, seed), (_, _, fault) in zip(chosen, tried.try_all(chosen), strict=True)
        if fault is not None
    }
    assert faults == {}


def test_several_workers_judge_the_same_inputs(tried: Runner) -> None:
    batches = [[("dve", f"jobs/{number}"), ("hoa", f"jobs/{number}")] for number in range(4)]

    def statuses(jobs: int) -> set[tuple[str, str, int]]:
        return {(each.kind, each.seed, each.status) for judged in judge_all(tried, batches, jobs) for each in judged}

    assert len(statuses(2)) == 8
    assert statuses(2) == statuses(1)


def test_a_finding_is_kept_with_its_input(tmp_path: Path) -> None:
    made = Case("spin trails", ("trail", "m.pml", "t"), {"m.pml": b"init { skip }", "t": bytes(range(256))})
    path = save(Finding(made, "0/7", "status 5", Outcome(5, "out", "err", 0.1, 10**8)), tmp_path)
    assert path.name == "spin-trails-0-7.json"
    assert read(path) == made


FINE = Outcome(2, "", "mule: m.dve:1:2: expected a name\n", 0.1, 10**8)


@pytest.mark.parametrize(
    ("outcome", "part"),
    [
        (FINE, None),
        (Outcome(4, "", "mule: this is a defect of Mule\n", 0.1, 10**8), "a defect"),
        (Outcome(1, "", "Traceback (most recent call last):\n", 0.1, 10**8), "a defect"),
        (Outcome(-11, "", "", 0.1, 10**8), "signal 11"),
        (Outcome(0, "", "", 0.1, 10**8), "without a verdict"),
        (Outcome(2, "", "", 0.1, 10**8), "without a message"),
        (Outcome(2, "", "mule: expected a name\n", 0.1, 10**8), "without a place"),
        (Outcome(2, "", f"mule: m.dve:1:2: {'a' * 1000}\n", 0.1, 10**8), "a line of 1017 characters"),
        (Outcome(2, "", "mule: m.dve:1:2: no\n" * 6, 0.1, 10**8), "6 lines"),
        (Outcome(2, "", FINE.err, 11, 10**8), "seconds"),
        (Outcome(2, "", FINE.err, 0.1, 2 * 10**9), "MB"),
    ],
)
def test_the_rule(outcome: Outcome, part: str | None) -> None:
    fault = broken(outcome, "check", ("m.dve",))
    assert fault is None if part is None else part in str(fault)
