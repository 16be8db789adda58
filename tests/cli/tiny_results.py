"""Results about a model with one step, built by hand."""

from __future__ import annotations

from mule.model import BYTE, Assign, IntegerType, Model, Move, Outcome, Process, Role, Transition, Variable
from mule.model.expressions import Constant, Read
from mule.options import Options
from mule.results import Judgement, Result, Statistics, Verdict, Violation, ViolationKind, replay


def one_step_model() -> Model:
    location = Variable("p", IntegerType("location", 0, 1), (0,), process=0, role=Role.LOCATION)
    x = Variable("x", BYTE, (0,))
    outcome = Outcome((Assign(Read(location), Constant(1)), Assign(Read(x), Constant(5))))
    step = Transition("p.go", (), (outcome,), (Move(0, 0, 1),), "effect x = 5")
    return Model("tiny", "dve", (location, x), (), (step,), (Process("p", location, ("start", "end")),))


def tiny_result(verdict: Verdict, stopped: str | None = None) -> Result:
    model = one_step_model()
    violation = None
    if verdict is Verdict.VIOLATED:
        violation = Violation(ViolationKind.DEADLOCK, "no deadlock", "nothing can move", replay(model, [(0, 0)]))
    statistics = Statistics(2, 1, 1, 1, 0.01, 0.01, 1024)
    judgement = Judgement("no deadlock", ViolationKind.DEADLOCK, verdict, violation)
    return Result(model, Options(por="none"), statistics, (judgement,), stopped)
