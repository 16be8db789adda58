"""A small system built by hand, and results about it: a lock that two processes take, and a channel."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from mule.errors import Place
from mule.model import (
    BYTE,
    Assign,
    Channel,
    Guard,
    IntegerType,
    Kind,
    Model,
    Move,
    Outcome,
    Process,
    Role,
    Send,
    Transition,
    Variable,
)
from mule.model.expressions import Binary, Constant, Read, Undefined
from mule.options import Options
from mule.results import Judgement, Result, Statistics, Trail, Verdict, Violation, ViolationKind, judged, replay


@dataclass(frozen=True)
class Sample:
    """Transitions: 0 and 1 take the lock (left, right), 2 leaves it (left), 3 sends, 4 is an error of the model."""

    model: Model

    def trail(self, *transitions: int) -> Trail:
        return replay(self.model, [(transition, 0) for transition in transitions])

    def violated(self, trail: Trail, kind: ViolationKind = ViolationKind.ASSERTION, shortest: bool = False) -> Result:
        violation = Violation(kind, "left.critical", "both are in critical", trail, shortest)
        return self.result(Verdict.VIOLATED, violation=violation)

    def result(
        self,
        verdict: Verdict,
        judges: bool = True,
        violation: Violation | None = None,
        stopped: str | None = None,
    ) -> Result:
        deadlock, assertion = ViolationKind.DEADLOCK, ViolationKind.ASSERTION
        judgements = (
            judged("no deadlock", deadlock, None, stopped or ("the search ended before" if violation else None)),
            Judgement("assertion left.critical", assertion, verdict, violation),
        )
        return Result(
            model=self.model,
            options=Options(por="beam", proviso="stack-", search="dfs"),
            statistics=Statistics(1234, 5678, 1, 42, 0.0123, 2.0, 3 * 2**20),
            judgements=judgements if judges else (),
            stopped=stopped,
            notes=("the reduction preserves deadlocks",),
        )


@pytest.fixture(scope="session")
def sample() -> Sample:
    place = IntegerType("location", 0, 1)
    left = Variable("left", place, (0,), process=0, role=Role.LOCATION)
    right = Variable("right", place, (0,), process=1, role=Role.LOCATION)
    taken = Variable("taken", BYTE, (0, 0), length=2)
    length = Variable("mail.length", BYTE, (0,), role=Role.CHANNEL)
    first = Variable("mail.0", BYTE, (0, 0), length=2, role=Role.CHANNEL)
    second = Variable("mail.1", BYTE, (0, 0), length=2, role=Role.CHANNEL)
    mail = Channel("mail", 2, length, (first, second))

    def at(variable: Variable, value: int) -> Guard:
        return Guard(Binary("==", Read(variable), Constant(value)), f"{variable.name} == {value}")

    def go(location: Variable, target: int, element: int, value: int) -> Outcome:
        return Outcome(
            (
                Assign(Read(location), Constant(target)),
                Assign(Read(taken, Constant(element)), Constant(value)),
            )
        )

    wrong = Binary("/", Constant(1), Read(taken, Constant(0)))
    guards = (at(left, 0), at(right, 0), at(left, 1), Guard(Undefined(wrong), "1 / taken[0] is undefined"))
    transitions = (
        Transition("left.take", (0,), (go(left, 1, 0, 1),), (Move(0, 0, 1),), "effect taken[0] = 1", Place("m", 7)),
        Transition("right.take", (1,), (go(right, 1, 1, 1),), (Move(1, 0, 1),), "effect taken[1] = 1", Place("m", 9)),
        Transition("left.leave", (2,), (go(left, 0, 0, 0),), (Move(0, 1, 0),), "effect taken[0] = 0", Place("m", 8)),
        Transition("send", (), (Outcome((Send(mail, (Constant(3), Constant(4))),)),), text="mail!{3,4}"),
        Transition("divide", (0, 3), (), (Move(0, 0, 1),), "guard 1 / taken[0]", Place("m", 5), Kind.ERROR),
    )
    processes = (Process("left", left, ("idle", "critical")), Process("right", right, ("idle", "critical")))
    return Sample(
        Model("lock", "dve", (left, right, taken, length, first, second), guards, transitions, processes, (mail,))
    )
