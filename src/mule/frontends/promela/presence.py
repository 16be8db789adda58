"""Which processes there are, and where they stand."""

from __future__ import annotations

from mule.frontends.promela.processes import Instance
from mule.frontends.promela.system import System
from mule.model.expressions import FALSE, TRUE, Binary, Constant, Expression, Read, conjunction
from mule.model.simplify import binary, unary


def alive(system: System, pid: int) -> Expression:
    """Whether there is a process with this number."""
    result: Expression = FALSE
    for instance in system.at(pid):
        test = Binary("!=", Read(system.location(instance)), Constant(0))
        result = test if result == FALSE else Binary("or", result, test)
    return result


def dead(system: System, pid: int) -> Expression:
    tests: list[Expression] = [
        Binary("==", Read(system.location(instance)), Constant(0)) for instance in system.at(pid)
    ]
    return conjunction(tests)


def stands_at(system: System, instance: Instance, location: int) -> Binary:
    return Binary("==", Read(system.location(instance)), Constant(instance.at(location)))


def stands_at_label(system: System, instance: Instance, location: int) -> Expression:
    """Also in the middle of a step, if others look then."""
    test = stands_at(system, instance, location)
    if location not in instance.type.watched:
        return test
    return binary("or", test, Binary("==", test.left, Constant(instance.within(location))))


def number_of_processes(system: System) -> Expression:
    result: Expression = Constant(0)
    for pid in range(system.highest_pid + 1):
        result = binary("+", result, alive(system, pid))
    return result


def non_progress(system: System) -> Expression:
    result: Expression = TRUE
    for instance in system.instances:
        for number, location in enumerate(instance.type.graph.locations):
            if any(label.startswith("progress") for label in location.labels):
                result = binary("and", result, unary("not", stands_at(system, instance, number)))
    return result
