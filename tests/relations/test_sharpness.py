"""What the relations must be able to tell apart: one small model for each way of proving something."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule import load
from mule.benchmarks import protocols
from mule.model import Assign, Outcome, Receive, Send
from mule.model.expressions import Binary, Constant, Expression, Read, Unary, conjunction
from mule.model.failures import with_error_transitions
from mule.model.value_analysis import compute_domains
from mule.relations import Relations, members
from mule.relations.accesses import Accesses, union
from mule.relations.coenabled import never_coenabled
from mule.relations.decide import Decider
from mule.relations.derivation import derive
from mule.relations.visibility import (
    coarsely_visible,
    error_transitions,
    failing_transitions,
    visible,
    with_visible_dependent,
    without,
)
from tests.relations.brute import Brute, bits
from tests.small_models import Builder, compare, const, plus, put, reachable


def relations_of(builder: Builder) -> Relations:
    model = builder.model()
    return derive(model, compute_domains(model))


def guard(relations: Relations, expression: Expression) -> int:
    return next(number for number, each in enumerate(relations.model.guards) if each.expression == expression)


def accord(relations: Relations, t: int, u: int) -> bool:
    return not bits(relations.do_not_accord[t], u)


def left_accord(relations: Relations, t: int, u: int) -> bool:
    return not bits(relations.do_not_left_accord[t], u)


# co-enabledness -------------------------------------------------------------------------------------------------------


def test_locations_of_one_process_exclude_each_other() -> None:
    builder = Builder()
    p, q = builder.process("p", 3), builder.process("q", 2)
    for source in range(3):
        builder.transition(p, source, (source + 1) % 3)
    builder.transition(q, 0, 1)
    relations = relations_of(builder)
    assert relations.never_coenabled[:4] == [0b110, 0b101, 0b011, 0]


def test_disjoint_comparisons_exclude_each_other() -> None:
    builder = Builder()
    v = builder.variable("v", 9)
    builder.transition(None, 0, 0, [compare(Read(v), "==", 0)], (plus(v, 1),))
    builder.transition(None, 0, 0, [compare(Read(v), ">=", 5)], (plus(v, -1),))
    builder.transition(None, 0, 0, [compare(Read(v), "<", 9)], (plus(v, 1),))
    assert relations_of(builder).never_coenabled == [0b010, 0b001, 0]


def test_a_channel_is_not_full_and_empty() -> None:
    builder = Builder()
    channel = builder.channel("c", 2)
    full, empty = compare(Read(channel.length), "==", 2), compare(Read(channel.length), "==", 0)
    builder.transition(None, 0, 0, [full], (Receive(channel, (None,)),))
    builder.transition(None, 0, 0, [empty], (Send(channel, (const(1),)),))
    builder.transition(None, 0, 0, [compare(Read(channel.length), "<", 2)], (Send(channel, (const(2),)),))
    assert relations_of(builder).never_coenabled[0] == 0b110


def test_guards_over_two_variables_are_tried_out() -> None:
    builder = Builder()
    x, y = builder.variable("x"), builder.variable("y")
    builder.transition(None, 0, 0, [], (plus(x, 1),))
    builder.transition(None, 0, 0, [], (plus(y, 1),))
    less, more = Binary("<", Read(x), Read(y)), Binary(">", Read(x), Read(y))
    builder.transition(None, 0, 0, [less], ())
    builder.transition(None, 0, 0, [more], ())
    relations = relations_of(builder)
    assert bits(relations.never_coenabled[guard(relations, less)], guard(relations, more))


def test_a_location_excludes_what_its_variables_never_are_there() -> None:
    builder = Builder()
    v = builder.variable("v")
    p = builder.process("p", 2)
    builder.transition(p, 0, 1, [], (put(v, 2),))
    builder.transition(p, 1, 0, [], (put(v, 0),))
    builder.transition(None, 0, 0, [compare(Read(v), "==", 0)], ())
    relations = relations_of(builder)
    at_1 = guard(relations, compare(Read(builder.processes[p].location), "==", 1))
    assert bits(relations.never_coenabled[at_1], guard(relations, compare(Read(v), "==", 0)))


# accordance -----------------------------------------------------------------------------------------------------------


def test_what_waits_until_another_cannot_move_accords_with_it() -> None:
    """As a timeout does; no guard of the other one alone excludes it."""
    builder = Builder()
    x, y = builder.variable("x", 900), builder.variable("y", 900)
    low, even = Binary("<", Read(x), Read(y)), compare(Binary("%", Read(y), const(2)), "==", 0)
    moves = builder.transition(None, 0, 0, [low, even], (plus(x, 1),))
    still = Unary("not", Binary("or", compare(Read(x), "==", 7), Binary("and", low, even)))
    waits = builder.transition(None, 0, 0, [still], (put(x, 0), plus(y, 1)))
    other = builder.transition(None, 0, 0, [low], (put(x, 3),))
    relations = relations_of(builder)
    assert accord(relations, moves, waits)
    assert not accord(relations, other, waits)


@pytest.mark.parametrize("capacity", [2, 5])
def test_the_two_ends_of_a_channel_accord(capacity: int) -> None:
    builder = Builder()
    channel = builder.channel("c", capacity, high=255)
    source, sink = builder.variable("source", 255), builder.variable("sink", 255)
    room, some = compare(Read(channel.length), "<", capacity), compare(Read(channel.length), ">", 0)
    builder.transition(None, 0, 0, [], (plus(source, 1),))
    builder.transition(None, 0, 0, [room], (Send(channel, (Read(source),)),))
    builder.transition(None, 0, 0, [some], (Receive(channel, (Read(sink),)),))
    builder.transition(None, 0, 0, [room], (Send(channel, (const(7),)),))
    relations = relations_of(builder)
    assert accord(relations, 1, 2)
    assert not accord(relations, 1, 3)
    assert not accord(relations, 0, 1)


def test_a_channel_with_one_cell_is_never_ready_for_both() -> None:
    builder = Builder()
    channel = builder.channel("c", 1)
    builder.transition(None, 0, 0, [compare(Read(channel.length), "<", 1)], (Send(channel, (const(1),)),))
    builder.transition(None, 0, 0, [compare(Read(channel.length), ">", 0)], (Receive(channel, (None,)),))
    relations = relations_of(builder)
    assert accord(relations, 0, 1)
    assert not left_accord(relations, 0, 1)
    assert not left_accord(relations, 1, 0)


def test_increments_accord_but_not_with_a_bound_in_the_way() -> None:
    builder = Builder()
    v = builder.variable("v", 255)
    w = builder.variable("w", 3)
    builder.transition(None, 0, 0, [], (plus(v, 1),))
    builder.transition(None, 0, 0, [], (plus(v, -2),))
    builder.transition(None, 0, 0, [compare(Read(w), "<", 3)], (plus(w, 1),))
    builder.transition(None, 0, 0, [compare(Read(w), "<", 2)], (plus(w, 2),))
    relations = relations_of(builder)
    assert accord(relations, 0, 1)
    assert not accord(relations, 2, 3)


def test_equal_writes_accord_and_different_ones_do_not() -> None:
    builder = Builder()
    v = builder.variable("v")
    for value in (1, 1, 2):
        builder.transition(None, 0, 0, [], (put(v, value),))
    relations = relations_of(builder)
    assert accord(relations, 0, 1)
    assert not accord(relations, 0, 2)


def test_commuting_is_proven_by_trying_all_values() -> None:
    builder = Builder()
    v = builder.variable("v", 5)

    def turned(by: int) -> Assign:
        return Assign(Read(v), Binary("%", Binary("+", Read(v), Constant(by)), Constant(6)))

    builder.transition(None, 0, 0, [], (turned(1),))
    builder.transition(None, 0, 0, [], (turned(2),))
    builder.transition(None, 0, 0, [], (Assign(Read(v), Binary("-", Constant(5), Read(v))),))
    relations = relations_of(builder)
    assert accord(relations, 0, 1)
    assert not accord(relations, 0, 2)


def test_guards_that_exclude_each_other_together_make_two_transitions_accord() -> None:
    """No two of these guards exclude each other, all of them together do."""
    builder = Builder()
    x, y = builder.variable("x"), builder.variable("y")
    builder.transition(None, 0, 0, [], (plus(y, 1),))
    builder.transition(None, 0, 0, [compare(Read(x), ">=", 2)], (put(x, 0),))
    builder.transition(None, 0, 0, [compare(Read(y), "<", 2), Binary("<", Read(x), Read(y))], (plus(x, 2),))
    assert accord(relations_of(builder), 1, 2)


def test_every_outcome_counts() -> None:
    builder = Builder()
    v, w = builder.variable("v"), builder.variable("w")
    builder.transition(None, 0, 0, [], (put(w, 1),), (put(w, 2),))
    builder.transition(None, 0, 0, [], (plus(v, 1),))
    builder.transition(None, 0, 0, [], Outcome((put(v, 1),), compare(Read(w), "==", 1)), Outcome(()))
    relations = relations_of(builder)
    assert accord(relations, 0, 1)
    assert not accord(relations, 0, 2)


# left accordance ------------------------------------------------------------------------------------------------------


def test_left_accordance_has_a_direction() -> None:
    """`send` enables `receive`, never the other way round: a flipped matrix would claim what no state bears out."""
    builder = Builder()
    flag = builder.variable("flag", 1)
    p, q = builder.process("p", 2), builder.process("q", 2)
    send = builder.transition(p, 0, 1, [], (put(flag, 1),))
    receive = builder.transition(q, 0, 1, [compare(Read(flag), "==", 1)], ())
    relations = relations_of(builder)
    assert not left_accord(relations, receive, send)
    assert left_accord(relations, send, receive)
    states = reachable(builder.model())
    assert states is not None
    brute = Brute(builder.model(), states)
    assert all(brute.left_accord(send, receive, state) for state in states)
    assert not all(brute.left_accord(receive, send, state) for state in states)


def test_what_is_never_enabled_afterwards_left_accords() -> None:
    builder = Builder()
    v = builder.variable("v")
    builder.transition(None, 0, 0, [], (plus(v, 1),))
    close = builder.transition(None, 0, 0, [], (put(v, 0),))
    enter = builder.transition(None, 0, 0, [compare(Read(v), "==", 2)], (put(v, 3),))
    relations = relations_of(builder)
    assert bits(relations.must_disable[close], enter)
    assert left_accord(relations, enter, close)
    assert not left_accord(relations, close, enter)


# necessary enabling and disabling sets --------------------------------------------------------------------------------


def test_constants_enable_only_what_they_make_true() -> None:
    builder = Builder()
    v = builder.variable("v")
    to_1, to_2 = (builder.transition(None, 0, 0, [], (put(v, value),)) for value in (1, 2))
    builder.transition(None, 0, 0, [compare(Read(v), "==", 2)], ())
    relations = relations_of(builder)
    is_2 = guard(relations, compare(Read(v), "==", 2))
    assert list(members(relations.enabling[is_2])) == [to_2]
    assert list(members(relations.disabling[is_2])) == [to_1]


def test_counting_up_enables_no_upper_bound() -> None:
    builder = Builder()
    v = builder.variable("v", 5)
    low, high = compare(Read(v), "<", 3), compare(Read(v), ">", 3)
    up = builder.transition(None, 0, 0, [compare(Read(v), "<", 5)], (plus(v, 1),))
    down = builder.transition(None, 0, 0, [compare(Read(v), ">", 0)], (plus(v, -1),))
    builder.transition(None, 0, 0, [low], ())
    builder.transition(None, 0, 0, [high], ())
    relations = relations_of(builder)
    assert list(members(relations.enabling[guard(relations, low)])) == [down]
    assert list(members(relations.disabling[guard(relations, low)])) == [up]
    assert list(members(relations.enabling[guard(relations, high)])) == [up]
    assert list(members(relations.disabling[guard(relations, high)])) == [down]


def test_a_transition_enables_only_from_where_it_is_enabled_itself() -> None:
    builder = Builder()
    v = builder.variable("v")
    first = builder.transition(None, 0, 0, [compare(Read(v), "==", 0)], (plus(v, 1),))
    second = builder.transition(None, 0, 0, [compare(Read(v), "==", 1)], (plus(v, 1),))
    builder.transition(None, 0, 0, [compare(Read(v), "==", 2)], ())
    relations = relations_of(builder)
    assert list(members(relations.enabling[guard(relations, compare(Read(v), "==", 1))])) == [first]
    assert list(members(relations.enabling[guard(relations, compare(Read(v), "==", 2))])) == [second]


def test_a_step_disables_its_own_location_and_enables_the_next() -> None:
    builder = Builder()
    p = builder.process("p", 2)
    go, back, stay = (builder.transition(p, *move) for move in ((0, 1), (1, 0), (0, 0)))
    relations = relations_of(builder)
    assert relations.disabling == [1 << go, 1 << back]
    assert relations.enabling == [1 << back, 1 << go]
    assert bits(relations.must_disable[go], stay)
    assert not bits(relations.must_disable[stay], go)


def test_channel_operations_on_lengths() -> None:
    builder = Builder()
    channel = builder.channel("c", 3)
    room, some = compare(Read(channel.length), "<", 3), compare(Read(channel.length), ">", 0)
    send = builder.transition(None, 0, 0, [room], (Send(channel, (const(1),)),))
    receive = builder.transition(None, 0, 0, [some], (Receive(channel, (None,)),))
    relations = relations_of(builder)
    assert [list(members(relations.enabling[guard(relations, each)])) for each in (room, some)] == [[receive], [send]]
    assert [list(members(relations.disabling[guard(relations, each)])) for each in (room, some)] == [[send], [receive]]


def test_a_channels_head_is_changed_by_the_sender_only_where_it_is_empty() -> None:
    builder = Builder()
    channel = builder.channel("c", 3)
    head = compare(Read(channel.fields[0], Constant(0)), "==", 2)
    some = compare(Read(channel.length), ">", 0)
    send = builder.transition(None, 0, 0, [some, compare(Read(channel.length), "<", 3)], (Send(channel, (const(2),)),))
    builder.transition(None, 0, 0, [compare(Read(channel.length), "==", 0)], (Send(channel, (const(1),)),))
    builder.transition(None, 0, 0, [some, head], (Receive(channel, (None,)),))
    relations = relations_of(builder)
    assert not bits(relations.enabling[guard(relations, head)], send)


# visibility -----------------------------------------------------------------------------------------------------------


def test_visibility_is_sharper_than_write_sets() -> None:
    builder = Builder()
    v = builder.variable("v", 9)
    small = builder.transition(None, 0, 0, [compare(Read(v), "<", 4)], (plus(v, 1),))
    large = builder.transition(None, 0, 0, [compare(Read(v), "==", 4)], (put(v, 9),))
    other = builder.transition(None, 0, 0, [], ())
    relations = relations_of(builder)
    propositions = [compare(Read(v), ">", 5)]
    assert coarsely_visible(relations, propositions) == union((1 << small, 1 << large))
    assert visible(relations, propositions) == 1 << large
    adjusted = with_visible_dependent(relations, 1 << large | 1 << other)
    assert not accord(adjusted, large, other)
    assert not left_accord(adjusted, large, other)
    assert accord(relations, large, other)


def test_what_may_fail_is_visible_to_safety_and_absent_for_deadlocks() -> None:
    builder = Builder()
    k = builder.variable("k", 3)
    a = builder.variable("a", 1, length=2)
    up = builder.transition(None, 0, 0, [compare(Read(k), "<", 3)], (plus(k, 1),))
    read = builder.transition(None, 0, 0, [compare(Read(a, Read(k)), "==", 0)], ())
    write = builder.transition(None, 0, 0, [], (put(a, 1, Read(k)),))
    model = builder.model()
    domains = compute_domains(model)
    complete = with_error_transitions(model, domains)
    relations = derive(complete, domains)
    error = 3
    assert [t.name for t in complete.transitions[error:]] == ["t1: error"]
    assert error_transitions(relations) == 1 << error
    assert failing_transitions(relations) == union((1 << write, 1 << error))
    assert bits(relations.enabling[complete.transitions[error].guards[-1]], up)
    reduced = without(relations, error_transitions(relations))
    assert all(not bits(row, error) for row in (*reduced.do_not_accord, *reduced.enabling, *reduced.disabling))
    assert accord(reduced, read, error)


def test_visibility_of_a_predicate_over_many_processes() -> None:
    """As of "no process is at a progress label": too many combinations of locations to look at all of them."""
    builder = Builder()
    processes = [builder.process(f"p{number}", 40) for number in range(6)]
    for process in processes:
        for source in range(40):
            builder.transition(process, source, (source + 1) % 40)
    relations = relations_of(builder)
    locations = [Read(process.location) for process in relations.model.processes]
    idle = conjunction([compare(location, "!=", 20) for location in locations])
    around = [40 * process + source for process in range(6) for source in (19, 20)]
    assert list(members(visible(relations, [idle]))) == around


def test_a_costly_table_does_not_make_the_next_one_vague() -> None:
    """Each table of relations has its own effort: what excludes what is known as well the first time, after a table
    that used up all of its own, as by a decider that has nothing else to do."""
    path = Path(protocols.__file__).parent / "marriage.pml"
    model = load(path).model
    domains = compute_domains(model)
    alone = never_coenabled(Decider(model, domains, Accesses(model, domains)), domains)
    assert derive(model, domains).never_coenabled == alone
