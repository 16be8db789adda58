"""The examples: their state counts, what they prove, the bugs that are seeded in them, and how trails read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import mule
from mule.actors import Message, Process, System, on, send, step
from mule.frontends.actors.facts import Flow, facts
from mule.report.trail import explain_step
from mule.results import Result, Verdict, ViolationKind
from tests.actors.agreement import compare

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def check(name: str, *defines: str, **options: object) -> Result:
    return mule.load(str(EXAMPLES / f"{name}.py"), defines=defines).check(**options)  # type: ignore[arg-type]


def test_two_phase_commit() -> None:
    assert check("two_phase_commit").verdict is Verdict.HOLDS
    assert check("two_phase_commit", claims="termination").verdict is Verdict.HOLDS


def test_a_hasty_coordinator() -> None:
    result = check("two_phase_commit", "bug=1")
    [told] = [violation for violation in result.violations if violation.kind is ViolationKind.ASSERTION]
    assert "told to commit without having agreed" in told.message


def test_two_phase_commit_blocks_when_the_coordinator_crashes() -> None:
    result = check("two_phase_commit", "crashes=1")
    assert result.violations[0].kind is ViolationKind.DEADLOCK


@pytest.mark.parametrize("por", ["none", "deletion", "closure", "beam", "ample"])
def test_paxos(por: str) -> None:
    result = check("paxos", por=por)
    assert result.verdict is Verdict.HOLDS


def test_paxos_state_count() -> None:
    """`python -m tests.actors.agreement --example paxos` counts them in Python, slowly."""
    model = mule.load(str(EXAMPLES / "paxos.py"))
    assert model.explore(por="none", as_written=True).statistics.states == 27_410


def test_a_forgetful_proposer() -> None:
    result = check("paxos", "bug=proposer")
    assert result.violations[0].property == "consensus"


@pytest.mark.parametrize(
    ("name", "define"), [("two_phase_commit", "participants: int = 3"), ("paxos", "proposers: int = 2")]
)
def test_small_instances_as_python_runs_them(name: str, define: str) -> None:
    text = (EXAMPLES / f"{name}.py").read_text()
    smaller = text.replace(define, define[:-1] + str(int(define[-1]) - 1))
    assert smaller != text
    assert compare(smaller, f"small_{name}.py", 4).states > 0


def test_trails_read_like_the_protocol() -> None:
    result = check("paxos", "bug=proposer")
    trail = result.violations[0].trail
    texts = [
        f"{action.process} {action.text}"
        for index in range(len(trail))
        for action in explain_step(result.model, trail, index).actions
    ]
    assert "acceptor 1 handles Prepare(ballot=1) from proposer 1" in texts
    assert "acceptor 1 sends Promise(ballot=1, accepted=0, value=0) to proposer 1" in texts
    assert "proposer 1 sends Prepare(ballot=1) to acceptor 1, acceptor 2, acceptor 3" in texts


def test_facts_of_transitions() -> None:
    model = mule.load(str(EXAMPLES / "paxos.py")).model
    known = facts(model)
    assert known is not None
    assert len(known.transitions) == len(model.transitions)
    by_name = {t.name: f for t, f in zip(model.transitions, known.transitions, strict=True)}
    quorum = by_name["proposer 1: propose (Promise from acceptor 1, Promise from acceptor 2)"]
    assert quorum.inputs == (Flow("Promise", 2, 0), Flow("Promise", 3, 0))
    assert {flow.receiver for flow in quorum.outputs} == {2, 3, 4}
    assert quorum.input_deterministic
    assert quorum.writes == {"proposer 1.prepared"}
    start = by_name["proposer 1: prepare"]
    assert start.inputs == ()
    assert start.reads == {"proposer 1.started"}
    assert not start.input_deterministic


def test_charts_show_messages() -> None:
    command = [
        sys.executable,
        "-m",
        "mule",
        "simulate",
        str(EXAMPLES / "two_phase_commit.py"),
        "--chart",
        "--seed",
        "3",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "|------- Prepare -------. |" in done.stdout
    assert "| .------ Vote False -----|" in done.stdout


def test_bad_input_is_exit_status_2(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text(
        "from mule.actors import *\nclass P(Process):\n    @step()\n    def act(self):\n        x = 0.5\n"
        "def system():\n    return System([P()])\n"
    )
    command = [sys.executable, "-m", "mule", "check", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"{file}:5:13: there are no floats here" in done.stderr
    assert "Traceback" not in done.stderr


class Ping(Message):
    n: int


class Player(Process):
    other: Player | None = None
    hits: int = 0

    @step(when=lambda self: self.hits == 0)
    def serve(self) -> None:
        self.hits = 1
        send(self.other, Ping(1))  # type: ignore[arg-type]

    @on(Ping)
    def hit(self, ball: Ping) -> None:
        self.hits += 1
        if ball.n < 3:
            send(ball.sender, Ping(ball.n + 1))


def test_a_system_made_in_python() -> None:
    one, two = Player(), Player()
    one.other, two.other = two, one
    system = System([one, two], invariants={"few": lambda: one.hits + two.hits < 9})
    assert system.check().verdict is Verdict.HOLDS
    assert system.check(invariants=["player_1.hits < 2"]).verdict is Verdict.VIOLATED
    assert system.explore(por="none").statistics.states > 10
