"""Which processes there are, and where they stand."""

from __future__ import annotations

from mule.frontends.promela.processes import Instance
from mule.frontends.promela.system import System
from mule.model.expressions import FALSE, TRUE, Binary, Constant, Expression, Read, conjunction, disjunction
from mule.model.simplify import binary, unary


def alive(system: System, pid: int) -> Expression:
    """Whether there is a process with this number."""
    return disjunction([Binary("!=", Read(system.location(instance)), Constant(0)) for instance in system.at(pid)])


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


def number_compared(system: System, operator: str, count: int) -> Expression:
    """`_nr_pr` beside a number. Process numbers have no gaps, since only the youngest process dies: so it is enough to
    look at one process or two, and no step of another one matters."""

    def at_least(number: int) -> Expression:
        return TRUE if number <= 0 else alive(system, number - 1)

    def fewer_than(number: int) -> Expression:
        return FALSE if number <= 0 else dead(system, number - 1)

    match operator:
        case "<":
            return fewer_than(count)
        case "<=":
            return fewer_than(count + 1)
        case ">":
            return at_least(count + 1)
        case ">=":
            return at_least(count)
        case "==":
            return binary("and", at_least(count), fewer_than(count + 1))
    return binary("or", fewer_than(count), at_least(count + 1))


def non_progress(system: System) -> Expression:
    result: Expression = TRUE
    for instance in system.instances:
        for number, location in enumerate(instance.type.graph.locations):
            if any(label.startswith("progress") for label in location.labels):
                result = binary("and", result, unary("not", stands_at(system, instance, number)))
    return result
