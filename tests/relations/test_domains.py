"""Which values the analysis leaves possible, on models where that can be said exactly."""

from __future__ import annotations

import pytest

from mule.model import Assign, Receive, Send
from mule.model.expressions import Binary, Constant, Read
from mule.model.failures import may_fail
from mule.model.value_analysis import compute_domains
from mule.model.variables import Variable
from tests.small_models import Builder, compare, const, plus, put

pytestmark = pytest.mark.corpus


def values_of(builder: Builder, variable: Variable, index: int = 0) -> set[int]:
    model = builder.model()
    return set(compute_domains(model).values[model.slot_of[variable] + index])


def test_a_guard_bounds_a_counter() -> None:
    builder = Builder()
    k = builder.variable("k", 255)
    builder.transition(None, 0, 0, [compare(Read(k), "<", 3)], (plus(k, 1),))
    assert values_of(builder, k) == {0, 1, 2, 3}


def test_a_distant_bound_is_found_by_widening() -> None:
    builder = Builder()
    k = builder.variable("k", 255)
    builder.transition(None, 0, 0, [compare(Read(k), "<", 200)], (plus(k, 1),))
    builder.transition(None, 0, 0, [compare(Read(k), "==", 200)], (put(k, 0),))
    assert values_of(builder, k) == set(range(201))


def test_an_unbounded_counter_ends_at_its_type() -> None:
    builder = Builder()
    k = builder.variable("k", 2**31 - 1, low=-(2**31))
    builder.transition(None, 0, 0, [], (plus(k, 1),))
    model = builder.model()
    assert 2**31 - 1 in compute_domains(model).values[model.slot_of[k]]


def test_small_sets_are_not_compared_value_by_value_with_a_wide_range() -> None:
    """Four billion values would not fit into memory."""
    builder = Builder()
    k = builder.variable("k", 2**31 - 1, low=-(2**31), process=0)
    p = builder.process("p", 2)
    builder.transition(p, 0, 0, [], (plus(k, 1),))
    builder.transition(p, 0, 1, [], (put(k, 0),))
    builder.transition(p, 1, 0, [], (put(k, -5),))
    model = builder.model()
    assert 2**31 - 1 in compute_domains(model).values[model.slot_of[k]]


def test_steps_that_run_once_bound_what_they_count() -> None:
    builder = Builder()
    count = builder.variable("count", 255)
    for number in range(3):
        process = builder.process(f"p{number}", 2)
        builder.transition(process, 0, 1, [], (plus(count, 1),))
    assert values_of(builder, count) == {0, 1, 2, 3}


def test_values_are_kept_apart_by_location() -> None:
    builder = Builder()
    v = builder.variable("v", 9)
    p = builder.process("p", 3)
    builder.transition(p, 0, 1, [], (put(v, 5),))
    builder.transition(p, 1, 2, [], (put(v, 7),))
    builder.transition(p, 2, 0, [], (put(v, 0),))
    model = builder.model()
    domains = compute_domains(model)
    location, slot = model.slot_of[builder.processes[p].location], model.slot_of[v]
    assert [set(domains.local[location, where][slot]) for where in range(3)] == [{0}, {5}, {7}]


def test_what_connects_two_reads_of_one_slot_is_kept() -> None:
    """The timer of BEEM's `at`: 255 stays, everything else counts down."""
    builder = Builder()
    t = builder.variable("t", 255, initial=255)
    off = Binary("*", compare(Read(t), "==", 255), Constant(255))
    tick = Assign(Read(t), Binary("|", Binary("-", Read(t), Constant(1)), off))
    builder.transition(None, 0, 0, [compare(Read(t), "!=", 0)], (tick,))
    builder.transition(None, 0, 0, [], (put(t, 2),))
    assert values_of(builder, t) == {255, 2, 1, 0}


def test_messages_are_what_was_sent() -> None:
    builder = Builder()
    channel = builder.channel("c", 2, high=9)
    got = builder.variable("got", 9, initial=4)
    builder.transition(None, 0, 0, [compare(Read(channel.length), "<", 2)], (Send(channel, (const(7),)),))
    builder.transition(None, 0, 0, [compare(Read(channel.length), ">", 0)], (Receive(channel, (Read(got),)),))
    assert values_of(builder, got) == {4, 7}
    assert values_of(builder, channel.fields[0]) == {0, 7}
    assert values_of(builder, channel.length) == {0, 1, 2}


def test_a_dynamic_index_writes_the_elements_in_reach() -> None:
    builder = Builder()
    k = builder.variable("k", 9, initial=1)
    a = builder.variable("a", 5, length=4)
    builder.transition(None, 0, 0, [compare(Read(k), "<", 2)], (plus(k, 1),))
    builder.transition(None, 0, 0, [], (put(a, 5, Read(k)),))
    assert [values_of(builder, a, index) for index in range(4)] == [{0}, {0, 5}, {0, 5}, {0}]


def test_assignments_wrap_or_are_checked() -> None:
    for checked, expected in ((False, {0, 1, 2, 3}), (True, {1, 2, 3})):
        builder = Builder()
        k = builder.variable("k", 3, initial=1, checked=checked)
        builder.transition(None, 0, 0, [], (plus(k, 1),))
        assert values_of(builder, k) == expected


def test_prefix_guards_and_connectives_protect_an_index() -> None:
    builder = Builder()
    k = builder.variable("k", 9)
    a = builder.variable("a", 1, length=3)
    builder.transition(None, 0, 0, [], (plus(k, 1),))
    domains = compute_domains(builder.model())
    element = compare(Read(a, Read(k)), "==", 0)
    assert may_fail(element, domains)
    assert not may_fail(element, domains, [compare(Read(k), "<", 3)])
    assert not may_fail(Binary("and", compare(Read(k), "<", 3), element), domains)
    assert not may_fail(Binary("or", compare(Read(k), ">=", 3), element), domains)
    assert may_fail(Binary("or", compare(Read(k), ">=", 4), element), domains)
    assert may_fail(Binary("/", Constant(1), Read(k)), domains)
