"""LPOR with and without NET and states, and DPOR with and without sleep sets, against the reference interpreter.

`MULE_FUZZ=2000 pytest tests/lpor` runs that many models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from mule.checking import check
from mule.engine import Found
from mule.errors import MuleError
from mule.model import Assign, Model, Move, Outcome
from mule.model.expressions import Binary, Conditional, Constant, Expression, Read
from mule.model.interpreter import Interpreter
from mule.options import Options
from mule.properties import Properties
from mule.records import replace
from mule.results import Verdict
from tests.fuzz import examples
from tests.lpor.acyclic import bounded, waiting_processes
from tests.lpor.searches import STATEFUL, STATELESS, Variants
from tests.small_models import Builder, compare, models, plus, put
from tests.soundness.reference import Space
from tests.soundness.trails import invariants

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

EXAMPLES = examples(60)
acyclic_models = st.one_of(waiting_processes(), st.builds(bounded, models(), st.integers(1, 3)))


@settings(max_examples=EXAMPLES)
@given(models())
def test_stored_states_all_deadlocks_are_found(model: Model) -> None:
    space = Space(model)
    if not space.complete:
        return
    variants = Variants(model, "deadlocks")
    for options in STATEFUL:
        for search in ("bfs", "dfs"):
            assert variants.search(options.but(search=search)).deadlocks == len(space.deadlocks), (options, search)


@settings(max_examples=EXAMPLES)
@given(acyclic_models)
def test_no_states_stored_all_deadlocks_are_visited(model: Model) -> None:
    space = Space(model)
    if not space.complete:
        return
    variants = Variants(model, "deadlocks")
    for options in STATELESS:
        visited = variants.visited(options)
        event("too long" if visited is None else "complete")
        if visited is not None:
            assert visited <= space.states
            assert space.deadlocks <= visited, options


@settings(max_examples=EXAMPLES)
@given(acyclic_models, st.booleans(), st.data())
def test_invariants_and_errors_are_kept(model: Model, deadlock: bool, data: st.DataObject) -> None:
    space = Space(model)
    if not space.complete:
        return
    drawn: tuple[Expression, ...] = () if space.fails else (data.draw(invariants(space)),)
    good = all(space.always(each) for each in drawn) and not space.fails and not (deadlock and space.deadlocks)
    event("holds" if good else "fails" if space.fails else "violated")
    variants = Variants(model, "safety", drawn)
    for options in (*STATEFUL, *STATELESS):
        found = variants.search(options, stop_at_assertion=True, stop_at_error=True, stop_at_deadlock=deadlock)
        if found.stopped:
            continue
        assert (found.found is Found.NOTHING) == good, options
        if not good:
            examine_trail(space, variants, found.found, found.path, drawn[found.proposition : found.proposition + 1])


def examine_trail(
    space: Space,
    variants: Variants,
    found: Found,
    path: Sequence[tuple[int, int]],
    broken: Sequence[Expression],
) -> None:
    trail = variants.prepared.trail(path)
    match found:
        case Found.DEADLOCK:
            assert trail.states[-1] in space.deadlocks
        case Found.PROPOSITION:
            assert not space.holds(broken[0], trail.states[-1])
        case _:
            assert trail.steps[-1].failure is not None


@settings(max_examples=EXAMPLES)
@given(models())
def test_cycles_are_refused_or_there_are_none(model: Model) -> None:
    """Where nothing is refused, all deadlocks were visited."""
    space = Space(model)
    if not space.complete:
        return
    variants = Variants(model, "deadlocks")
    for options in (Options(por="none", stateless=True), *STATELESS):
        with suppress(MuleError):
            visited = variants.visited(options)
            if visited is not None:
                event("searched")
                assert space.deadlocks <= visited, options


# runs that are told apart ---------------------------------------------------------------------------------------------


def runs(builder: Builder, options: Options) -> int:
    found = Variants(builder.model(), "deadlocks").search(options)
    assert not found.cut_runs
    return found.runs


def independent(count: int) -> Builder:
    builder = Builder()
    for number in range(count):
        own = builder.variable(f"v{number}")
        process = builder.process(f"p{number}", 3)
        builder.transition(process, 0, 1, (), (plus(own, 1),))
        builder.transition(process, 1, 2, (), (plus(own, 1),))
    return builder


def one_writer(readers: int) -> Builder:
    builder = Builder()
    x = builder.variable("x")
    builder.transition(builder.process("writer", 2), 0, 1, (), (put(x, 1),))
    for number in range(readers):
        own = builder.variable(f"own{number}")
        builder.transition(builder.process(f"p{number}", 2), 0, 1, (), (Assign(Read(own), Read(x)),))
    return builder


def locked(count: int) -> Builder:
    """Each takes a lock, works and gives it back: who waits is disabled, not slow."""
    builder = Builder()
    lock, shared = builder.variable("lock", 1), builder.variable("shared", 9)
    for number in range(count):
        process = builder.process(f"p{number}", 4)
        builder.transition(process, 0, 1, [compare(Read(lock), "==", 0)], (put(lock, 1),))
        builder.transition(process, 1, 2, (), (plus(shared, 1),))
        builder.transition(process, 2, 3, (), (put(lock, 0),))
    return builder


def test_independent_processes_need_one_run() -> None:
    assert runs(independent(3), Options(por="none", stateless=True)) == 90
    for options in STATELESS:
        assert runs(independent(3), options) == 1


def test_each_reader_comes_before_or_after_the_writer() -> None:
    assert runs(one_writer(4), Options(por="none", stateless=True)) == 120
    assert runs(one_writer(4), Options(por="dpor")) == 2**4
    assert runs(one_writer(4), Options(por="dpor-classic")) == 65


def test_those_who_wait_for_a_lock_get_it_in_every_order() -> None:
    for options in STATELESS:
        assert runs(locked(4), options) == 24


def meeting() -> Model:
    """Two processes meet, or one of them goes its own way."""
    builder = Builder()
    p, q = builder.process("p", 2), builder.process("q", 3)
    builder.joint((Move(p, 0, 1), Move(q, 0, 1)))
    builder.transition(q, 0, 2)
    return builder.model()


def meeting_later() -> Model:
    """The same, but a third process must let them meet."""
    builder = Builder()
    open_ = builder.variable("open", 1)
    p, q, r = (builder.process(name, 3) for name in "pqr")
    builder.transition(r, 0, 1, (), (put(open_, 1),))
    builder.joint((Move(p, 0, 1), Move(q, 0, 1)), [compare(Read(open_), "==", 1)])
    builder.transition(q, 0, 2)
    return builder.model()


def late_rival() -> Model:
    """Two processes write x, but the second one must be let by a third one: who is first to be tried against the
    first?"""
    builder = Builder()
    x, flag = builder.variable("x"), builder.variable("flag", 1)
    p, q, r = (builder.process(name, 2) for name in "pqr")
    builder.transition(p, 0, 1, (), (put(x, 1),))
    builder.transition(q, 0, 1, [compare(Read(flag), "==", 1)], (put(x, 2),))
    builder.transition(r, 0, 1, (), (put(flag, 1),))
    return builder.model()


def late_alternative() -> Model:
    """A process has a second choice, once another process has moved."""
    builder = Builder()
    flag = builder.variable("flag", 1)
    p, q = builder.process("p", 3), builder.process("q", 2)
    builder.transition(p, 0, 1)
    builder.transition(p, 0, 2, [compare(Read(flag), "==", 1)])
    builder.transition(q, 0, 1, (), (put(flag, 1),))
    return builder.model()


def closed_gate() -> Model:
    """A process shuts a gate; another one could go through, but only after a third has moved."""
    builder = Builder()
    gate, flag = builder.variable("gate", 1), builder.variable("flag", 1)
    p, q, r = (builder.process(name, 2) for name in "pqr")
    builder.transition(p, 0, 1, (), (put(gate, 1),))
    builder.transition(q, 0, 1, [compare(Read(flag), "==", 1), compare(Read(gate), "==", 0)])
    builder.transition(r, 0, 1, (), (put(flag, 1),))
    return builder.model()


def two_closed_gates() -> Model:
    """The same with two gates: the run that shows the race has shut both."""
    builder = Builder()
    first, second, flag = (builder.variable(name, 1) for name in ("first", "second", "flag"))
    p, g, r, q = (builder.process(name, 2) for name in "pgrq")
    builder.transition(p, 0, 1, (), (put(first, 1),))
    builder.transition(g, 0, 1, (), (put(second, 1),))
    builder.transition(r, 0, 1, (), (put(flag, 1),))
    builder.transition(
        q, 0, 1, [compare(Read(each), "==", value) for each, value in ((flag, 1), (first, 0), (second, 0))]
    )
    return builder.model()


def either_outcome() -> Model:
    """A step has two outcomes, and only the second lets another process move."""
    builder = Builder()
    x = builder.variable("x", 2)
    p, q = builder.process("p", 2), builder.process("q", 2)
    builder.transition(p, 0, 1, (), (put(x, 1),), (put(x, 2),))
    builder.transition(q, 0, 1, [compare(Read(x), "==", 2)])
    return builder.model()


def lost_outcome() -> Model:
    """A step stays enabled, but its only outcome is no longer possible once another process has moved."""
    builder = Builder()
    x = builder.variable("x", 1)
    p, q = builder.process("p", 2), builder.process("q", 2)
    builder.transition(p, 0, 1, (), (put(x, 1),))
    builder.transition(q, 0, 1, (), Outcome((), compare(Read(x), "==", 0)))
    return builder.model()


@pytest.mark.parametrize(
    "make",
    [
        meeting,
        meeting_later,
        late_rival,
        late_alternative,
        closed_gate,
        two_closed_gates,
        either_outcome,
        lost_outcome,
    ],
)
@pytest.mark.parametrize("options", STATELESS)
def test_both_ends_are_visited(make: Callable[[], Model], options: Options) -> None:
    space = Space(make())
    assert len(space.deadlocks) == 2
    visited = Variants(make(), "deadlocks").visited(options)
    assert visited is not None
    assert space.deadlocks <= visited


def hidden_race() -> Model:
    """Found by the tests above: t1 competes with t0 in one process, but is enabled only after steps of two others.
    Sleep sets that cut the run in which those steps race with t0 lost a deadlock."""
    builder = Builder()
    v0, v1, v2 = builder.variable("v0", 2), builder.variable("v1", 1, 1, low=-1), builder.variable("v2", 1)
    a = builder.variable("a", 2, length=2)
    p0, p1, p2 = (builder.process(f"p{number}", 2) for number in range(3))
    first = Read(a, Constant(0))
    news = Binary("and", compare(first, ">", 0), compare(Read(v1), "==", 0))
    calm = Binary("or", compare(first, "==", 0), compare(Read(v0), "==", 0))
    builder.transition(p0, 0, 1, (), (put(v1, 0), put(v2, 1)))
    builder.transition(p0, 0, 0, (news, calm), (plus(v0, 2),))
    builder.transition(p1, 0, 0, (), (plus(v2, 1), plus(v0, 1)))
    builder.transition(p1, 0, 1, (), (put(v0, 1),))
    inner = Read(a, Read(a, Read(v2)))
    builder.transition(p2, 0, 0, (), (Assign(inner, Binary("+", inner, Constant(1))),))
    either = Conditional(compare(Read(v1), "==", 1), Constant(0), Constant(1))
    builder.transition(p2, 0, 1, (), (put(a, 1, Constant(0)), put(a, 0, either)))
    builder.transition(None, 0, 0, (), (put(v0, 2),))
    return bounded(builder.model(), 1)


def test_sleep_sets_do_not_hide_races() -> None:
    model = hidden_race()
    space = Space(model)
    variants = Variants(model, "deadlocks")
    for options in STATELESS:
        visited = variants.visited(options)
        assert visited is not None
        assert space.deadlocks <= visited, options


# the interface --------------------------------------------------------------------------------------------------------


def spinning() -> Model:
    builder = Builder()
    x = builder.variable("x", 1)
    process = builder.process("p", 1)
    builder.transition(process, 0, 0, (), (plus(x, 1),))
    return builder.model()


@pytest.mark.parametrize("options", STATELESS)
def test_a_cyclic_model_is_refused_with_advice(options: Options) -> None:
    with pytest.raises(MuleError, match=r"comes back to a state .* Use --por lpor"):
        check(spinning(), Properties(deadlock=True), options)


@pytest.mark.parametrize("options", [*STATEFUL, *STATELESS])
def test_check_explains_a_deadlock(options: Options) -> None:
    result = check(locked(2).model(), Properties(deadlock=True), options)
    assert result.verdict is Verdict.VIOLATED
    trail = result.violations[0].trail
    assert not list(Interpreter(result.model).steps(trail.states[-1]))


def test_what_has_no_meaning_is_refused() -> None:
    model = locked(2).model()
    for options, problem in (
        (Options(por="dpor", search="bfs"), "depth first"),
        (Options(por="lpor", stateless=True, proviso="stack-"), "needs no proviso"),
        (Options(por="dpor", weak=True), "no weak form"),
        (Options(por="lpor", weak=True), "no weak form"),
    ):
        with pytest.raises(MuleError, match=problem):
            check(model, Properties(deadlock=True), options)
    temporal = replace(model, parse_expression=lambda text: compare(Read(model.variables[0]), "==", 0))
    with pytest.raises(MuleError, match="but not LTL"):
        check(temporal, Properties(ltl=("[] p",)), Options(por="lpor"))
