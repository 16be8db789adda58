"""Relations that a user brings: used, and tested by `mule validate`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from mule.api import System
from mule.checking import check
from mule.cli.main import main
from mule.errors import MuleError
from mule.lpor import LporRelations
from mule.model import Model, Transition
from mule.model.expressions import Expression, Read
from mule.options import Options
from mule.properties import Properties
from mule.records import replace
from mule.results import Verdict
from mule.validation import validate
from tests.small_models import Builder, compare, put

SENDERS = 3


def gather() -> Model:
    """Each sender raises a flag of its own, unless it is told to stop; a collector waits for all of them, or gives up
    and tells them."""
    builder = Builder()
    gave_up = builder.variable("gave_up", 1)
    flags = [builder.variable(f"flag{number}", 1) for number in range(SENDERS)]
    senders = [builder.process(f"sender{number}", 3) for number in range(SENDERS)]
    for process, own in zip(senders, flags, strict=True):
        builder.transition(process, 0, 1, (), (put(own, 1),))
    for process in senders:
        builder.transition(process, 0, 2, [compare(Read(gave_up), "==", 1)])
    collector = builder.process("collector", 3)
    builder.transition(collector, 0, 1, [compare(Read(own), "==", 1) for own in flags])
    builder.transition(collector, 0, 2, (), (put(gave_up, 1),))

    def parse(text: str) -> Expression:
        return compare(Read(flags[0]), "==", 0)

    return replace(builder.model(), parse_expression=parse)


class Gather(LporRelations[Transition]):
    """What somebody who knows `gather` would write."""

    def __init__(self, model: Model) -> None:
        self.raises = model.transitions[:SENDERS]
        self.stops = model.transitions[SENDERS : 2 * SENDERS]
        self.collect, self.give_up = model.transitions[-2:]

    def dep(self, t1: Transition, t: Transition) -> bool:
        return t1.moves[0].process == t.moves[0].process

    def can_enable(self, t1: Transition, t: Transition) -> bool:
        return (t is self.collect and t1 in self.raises) or (t in self.stops and t1 is self.give_up)

    def net(self, state: dict[str, int] | None, t: Transition) -> Collection[Transition]:
        if t is not self.collect:
            return ()
        return [sender for n, sender in enumerate(self.raises) if state is None or state[f"flag{n}"] == 0]


class Blind(Gather):
    def visible(self, t: Transition) -> bool:
        return False


class NoDependency(Gather):
    def dep(self, t1: Transition, t: Transition) -> bool:
        return False


class NoEnabling(Gather):
    def can_enable(self, t1: Transition, t: Transition) -> bool:
        return False


class TooMuchNecessary(Gather):
    def net(self, state: dict[str, int] | None, t: Transition) -> Collection[Transition]:
        return [self.give_up] if t is self.collect else ()


class Backwards(Gather):
    def can_enable(self, t1: Transition, t: Transition) -> bool:
        return super().can_enable(t, t1)


def test_the_users_relations_are_used_and_right() -> None:
    model = gather()
    full = System(model).explore(por="none", as_written=True)
    with_net = System(model).explore(por="lpor", lpor=Gather)
    without = System(model).explore(lpor=Gather(model), net=False)
    assert full.statistics.deadlocks == with_net.statistics.deadlocks == without.statistics.deadlocks > 1
    assert with_net.statistics.states < without.statistics.states
    assert not validate(model, Options(lpor=Gather), invariants=["flag0 == 0"]).findings
    assert System(model).explore(lpor=Gather, stateless=True).statistics.deadlocks > 1
    violated = check(model, Properties(invariants=("flag0 == 0",)), Options(lpor=Gather))
    assert violated.verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("wrong", "relation", "witness"),
    [
        (NoDependency, "dep", "disables it"),
        (NoEnabling, "can_enable", "t7 enables t3 in <"),
        (Backwards, "can_enable", "t7 enables t3 in <"),
        (TooMuchNecessary, "net", "t6 is said to need one of {t7} in"),
        (Blind, "visible", "t0 is said to be invisible"),
    ],
)
def test_wrong_relations_are_found_with_a_witness(
    wrong: Callable[[Model], Gather], relation: str, witness: str
) -> None:
    findings = validate(gather(), Options(lpor=wrong), invariants=["flag0 == 0"]).findings
    found = {finding.relation: finding.message for finding in findings}
    assert witness in found[relation]
    assert "<" in found[relation], "the state is shown"


def test_relations_that_do_not_answer_for_necessity_leave_it_to_mule() -> None:
    class Plain(Gather):
        net = LporRelations.net

    model = gather()
    own = System(model).explore(lpor=Gather).statistics
    assert System(model).explore(lpor=Plain).statistics.states == own.states


def test_an_answer_with_a_stranger_is_refused() -> None:
    class Strange(Gather):
        def net(self, state: Any, t: Transition) -> Collection[Transition]:
            return [replace(self.give_up)]

    with pytest.raises(MuleError, match="not one of the model's"):
        System(gather()).explore(lpor=Strange)


PROGRAM = """
byte a; byte b;
process P { state one, two, three; init one; trans one -> two { effect a = 1; }, two -> three { effect a = 2; }; }
process Q { state one, two, three; init one; trans one -> two { effect b = 1; }, two -> three { effect b = 2; }; }
system async;
"""

RELATIONS = """
from mule.lpor import LporRelations

class Separate(LporRelations):
    def __init__(self, model):
        pass
    def dep(self, t1, t):
        return t1.moves[0].process == t.moves[0].process
    def can_enable(self, t1, t):
        return t1.moves[0].process == t.moves[0].process

class Careless(Separate):
    def can_enable(self, t1, t):
        return False

Other = 3
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    model, relations = tmp_path / "m.dve", tmp_path / "r.py"
    model.write_text(PROGRAM)
    relations.write_text(RELATIONS)
    return str(model), str(relations)


def test_the_command_line_takes_a_class_from_a_file(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    model, relations = files
    assert main(["check", model, "--lpor", f"{relations}:Separate"]) == 1
    assert "LPOR" in capsys.readouterr().out
    assert main(["check", model, "--json", "--lpor", f"{relations}:Separate"]) == 1
    assert f'"lpor": "{relations}:Separate"' in capsys.readouterr().out
    assert main(["validate", model, "--lpor", f"{relations}:Separate"]) == 0
    assert main(["validate", model, "--lpor", f"{relations}:Careless"]) == 1
    assert "said not to be able to" in " ".join(capsys.readouterr().out.split())


def test_validate_knows_what_a_user_may_forget(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In Promela processes end in the order opposite to that of their creation: one that ends lets another one end."""
    model, relations = tmp_path / "m.pml", tmp_path / "r.py"
    model.write_text("byte a, b; active proctype P() { a = 1 } active proctype Q() { b = 1 }")
    relations.write_text(RELATIONS)
    assert main(["validate", str(model), "--lpor", f"{relations}:Separate"]) == 1
    assert "Q: -end- enables P: -end-" in " ".join(capsys.readouterr().out.split())


def test_what_cannot_be_loaded_is_told(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    model, relations = files
    for source, problem in (
        ("nothing.py:Separate", "nothing.py: there is no such file"),
        (f"{relations}:Nobody", "there is no class Nobody"),
        (f"{relations}:Other", "there is no class Other"),
        ("Separate", "FILE.py:ClassName"),
    ):
        assert main(["check", model, "--lpor", source]) == 2
        assert problem in capsys.readouterr().err
    Path(relations).write_text("import nowhere_to_be_found")
    assert main(["check", model, "--lpor", f"{relations}:Separate"]) == 2
    assert "cannot be loaded" in capsys.readouterr().err
    assert main(["check", model, "--lpor", f"{relations}:Separate", "--por", "beam"]) == 2
    assert main(["validate", model, "--por", "dpor"]) == 2
