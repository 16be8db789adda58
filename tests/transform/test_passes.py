"""What each pass does, on models small enough to see it."""

from __future__ import annotations

from collections.abc import Sequence

from mule.checking import Properties, check, explore
from mule.frontends.dve import load
from mule.model import Model, Move
from mule.model.expressions import Binary, Constant, Expression, Read, negation
from mule.model.failures import with_error_transitions
from mule.model.model import Assign, Receive, Transition
from mule.model.printer import format_outcome
from mule.model.value_analysis import compute_domains
from mule.options import Options
from mule.planning import Preparation, plan_for
from mule.records import replace
from mule.results import Verdict, ViolationKind
from mule.transform import merge_local_steps, optimise, prune, reset_dead_variables
from mule.validation import validate
from tests.small_models import Builder, compare, plus, put, reachable
from tests.transform.cases import PASSES


def passed(name: str, model: Model, observed: Sequence[Expression] = ()) -> Model:
    domains = compute_domains(model)
    return PASSES[name](with_error_transitions(model, domains), domains, observed)


def guards(model: Model, transition: int) -> list[Expression]:
    return [model.guards[guard].expression for guard in model.transitions[transition].guards]


def effect(model: Model, transition: int) -> str:
    [outcome] = model.transitions[transition].outcomes
    return format_outcome(outcome)


def states(model: Model) -> int:
    found = reachable(model)
    assert found is not None
    return len(found)


# pruning --------------------------------------------------------------------------------------------------------------


def test_what_can_never_run_goes_and_what_is_always_true_is_not_asked() -> None:
    builder = Builder()
    x, k = builder.variable("x"), builder.variable("k", initial=2)
    p = builder.process("p", 2)
    builder.transition(p, 0, 1, [compare(Read(k), "==", 2)], (Assign(Read(x), Read(k)),))
    builder.transition(p, 1, 0, [compare(Read(x), "==", 3)])
    pruned = passed("prune", builder.model())
    assert len(pruned.transitions) == 1
    assert guards(pruned, 0) == [compare(Read(builder.processes[p].location), "==", 0)]
    assert effect(pruned, 0) == "x = 2; p = 1"


# dead variables -------------------------------------------------------------------------------------------------------


def test_a_variable_is_reset_where_it_is_assigned_before_it_is_read_again() -> None:
    """x is read at 1 and assigned at 0: what it holds at 0 nobody knows, and nobody needs to."""
    builder = Builder()
    x, g = builder.variable("x"), builder.variable("g")
    p = builder.process("p", 2)
    for value in range(3):
        builder.transition(p, 0, 1, [], (put(x, value),))
    builder.transition(p, 1, 0, [], (Assign(Read(g), Read(x)),))
    model = builder.model()
    smaller = passed("reset", model, [compare(Read(g), "==", 0)])
    assert effect(smaller, 3) == "g = x; p = 0; x = 0"
    assert (states(model), states(smaller)) == (3 * 3 + 3, 3 * 3 + 3)
    assert states(passed("reset", model)) == 1 + 1


def test_a_variable_that_is_only_counted_up_is_never_needed() -> None:
    builder = Builder()
    n = builder.variable("n", 255)
    p = builder.process("p", 1)
    builder.transition(p, 0, 0, [], (plus(n, 1),))
    assert states(builder.model()) == 256
    assert states(passed("reset", builder.model())) == 1
    assert states(passed("reset", builder.model(), [compare(Read(n), "<", 9)])) == 256


def test_an_assignment_that_can_fail_stays() -> None:
    builder = Builder()
    n = builder.variable("n", 3, checked=True)
    p = builder.process("p", 1)
    builder.transition(p, 0, 0, [], (plus(n, 1),))
    model = builder.model()
    assert passed("reset", model) is model


def test_a_message_that_nobody_reads_is_received_all_the_same() -> None:
    builder = Builder()
    x = builder.variable("x")
    c = builder.channel("c", 1)
    p = builder.process("p", 2)
    builder.transition(p, 0, 1, [compare(Read(c.length), ">", 0)], (Receive(c, (Read(x),)),))
    [outcome] = passed("reset", builder.model()).transitions[0].outcomes
    assert outcome.statements[0] == Receive(c, (None,))


def test_a_property_automaton_watches_too() -> None:
    builder = Builder()
    n = builder.variable("n", 3)
    p, q = builder.process("p", 1), builder.process("q", 1)
    builder.transition(p, 0, 0, [], (plus(n, 1),))
    asked = builder.guard(compare(Read(n), "==", 2))
    observer = Transition("observer", (asked,), (), (Move(q, 0, 0),))
    model = replace(builder.model(), property_process=q, property_transitions=(observer,))
    assert states(passed("all", model)) == 4
    assert states(passed("all", replace(model, property_transitions=()))) == 1


def test_whether_a_state_is_transient_can_be_seen() -> None:
    builder = Builder()
    n = builder.variable("n", 3)
    p = builder.process("p", 1)
    builder.transition(p, 0, 0, [], (plus(n, 1),))
    assert states(passed("all", replace(builder.model(), transient=compare(Read(n), "==", 2)))) == 4


# merging --------------------------------------------------------------------------------------------------------------


def test_a_choice_on_local_variables_is_joined_to_the_step_before_it() -> None:
    builder = Builder()
    x = builder.variable("x")
    p = builder.process("p", 4)
    builder.transition(p, 0, 1, [compare(Read(x), "<", 3)], (plus(x, 1),))
    builder.transition(p, 1, 0, [compare(Read(x), "<", 2)])
    builder.transition(p, 1, 2, [compare(Read(x), ">=", 2)], (put(x, 0),))
    merged = passed("merge", builder.model())
    assert [transition.origins for transition in merged.transitions] == [(0, 1), (0, 2)]
    assert [transition.moves for transition in merged.transitions] == [(Move(p, 0, 0),), (Move(p, 0, 2),)]
    ahead = Binary("+", Read(x), Constant(1))
    assert [guards(merged, number)[2] for number in (0, 1)] == [compare(ahead, "<", 2), compare(ahead, ">=", 2)]
    assert [effect(merged, number) for number in (0, 1)] == ["x = x + 1; p = 0", "x = x + 1; x = 0; p = 2"]


def test_a_step_that_may_have_to_wait_is_kept_apart() -> None:
    builder = Builder()
    x = builder.variable("x")
    p = builder.process("p", 3)
    builder.transition(p, 0, 1, [], (plus(x, 1),))
    builder.transition(p, 1, 0, [compare(Read(x), "<", 2)])
    assert passed("merge", builder.model()).transitions == builder.model().transitions


def test_a_step_whose_location_somebody_asks_for_is_kept_apart() -> None:
    def model(asks: str) -> Model:
        builder = Builder()
        p, q = builder.process("p", 3), builder.process("q", 2)
        builder.transition(p, 0, 1)
        builder.transition(p, 1, 2)
        builder.transition(q, 0, 1, [compare(Read(builder.processes[p].location), asks, 1)])
        return builder.model()

    assert len(passed("merge", model("==")).transitions) == 3
    # q waits while p is at 1: p may go on at once.
    assert len(passed("merge", model("!=")).transitions) == 2


def test_a_location_that_is_observed_is_kept() -> None:
    builder = Builder()
    p = builder.process("p", 4)
    for source in range(3):
        builder.transition(p, source, source + 1)
    location = Read(builder.processes[p].location)
    assert len(passed("merge", builder.model()).transitions) == 1
    assert len(passed("merge", builder.model(), [compare(location, "==", 3)]).transitions) == 2
    kept = passed("merge", builder.model(), [compare(location, "==", 1)])
    assert [each.origins for each in kept.transitions] == [(0,), (1, 2)]


def test_a_loop_of_local_steps_keeps_a_location() -> None:
    builder = Builder()
    p = builder.process("p", 4)
    builder.transition(p, 0, 1)
    for source, target in ((1, 2), (2, 3), (3, 1)):
        builder.transition(p, source, target)
    assert [each.origins for each in passed("merge", builder.model()).transitions] == [(0, 1, 2), (3, 1, 2)]


def test_a_condition_on_what_others_write_is_not_taken_into_the_step_before() -> None:
    """p copies what q writes and looks at the copy. Joining would keep the behaviour, but p would depend on q more."""
    builder = Builder()
    g, x = builder.variable("g"), builder.variable("x")
    p, q = builder.process("p", 4), builder.process("q", 2)
    builder.transition(p, 0, 1, [], (Assign(Read(x), Read(g)),))
    test = compare(Read(x), "==", 1)
    builder.transition(p, 1, 2, [test])
    builder.transition(p, 1, 3, [negation(test)])
    builder.transition(q, 0, 1, [], (put(g, 2),))
    model = builder.model()
    assert passed("merge", model) is model


def test_a_step_that_reads_what_others_write_is_kept_apart() -> None:
    """p lets q write g, and copies g afterwards: before q, or after it."""
    builder = Builder()
    start, g, x = (builder.variable(name, 1) for name in ("start", "g", "x"))
    p, q = builder.process("p", 4), builder.process("q", 2)
    builder.transition(p, 0, 1, [], (put(start, 1),))
    builder.transition(p, 1, 2, [], (Assign(Read(x), Read(g)),))
    builder.transition(p, 2, 3, [compare(Read(x), "==", 1)])
    builder.transition(q, 0, 1, [compare(Read(start), "==", 1)], (put(g, 1),))
    model = builder.model()
    assert passed("merge", model) is model


def test_a_step_that_computes_with_its_location_is_kept_apart() -> None:
    builder = Builder()
    x = builder.variable("x")
    p = builder.process("p", 3)
    builder.transition(p, 0, 1)
    builder.transition(p, 1, 2, [], (Assign(Read(x), Read(builder.processes[p].location)),))
    model = builder.model()
    assert passed("merge", model) is model


# the whole way --------------------------------------------------------------------------------------------------------

SEQUENCE = """
byte g;
process P {
  byte x, y; state a, b, c, d, e; init a;
  trans a -> b { effect x = g; }, b -> c { effect y = x + 1; }, c -> d { effect y = y * 2; },
        d -> a { guard y < 6; effect g = g + 1; }, d -> e { guard y >= 6; };
}
process Q { byte z; state a, b; init a; trans a -> b { effect z = 1; }, b -> a { effect z = 2; }; }
system async;
"""


def test_trails_are_told_in_the_steps_that_the_author_wrote() -> None:
    model = load(SEQUENCE, "sequence.dve")
    for por in ("none", "deletion"):
        result = check(model, Properties(invariants=("g < 2",)), Options(por=por))
        [violation] = result.violations
        names = [result.model.transitions[step.transition].name for step in violation.trail.steps]
        assert [name for name in names if name.startswith("P")] == [
            *("P: a -> b", "P: b -> c", "P: c -> d", "P: d -> a") * 2
        ]
        assert not violation.shortest


def test_as_written_means_as_written() -> None:
    model = load(SEQUENCE, "sequence.dve")
    prepared = Preparation(plan_for(model, Options(por="none", as_written=True), "deadlocks", ()))
    assert prepared.searched is prepared.model
    written = explore(model, Options(por="none", as_written=True)).statistics
    smaller = explore(model, Options(por="none")).statistics
    assert smaller.states < written.states
    assert (smaller.deadlocks, written.deadlocks) == (0, 0)


def test_a_deadlock_is_still_one() -> None:
    model = load(SEQUENCE.replace("b -> a", "b -> b").replace("effect z = 2;", "guard g > 9;"), "stuck.dve")
    for options in (Options(), Options(por="none"), Options(as_written=True)):
        result = check(model, Properties(deadlock=True), options)
        assert result.verdict is Verdict.VIOLATED
        assert result.violations[0].kind is ViolationKind.DEADLOCK


def test_validate_compares_with_the_model_as_written() -> None:
    result = validate(load(SEQUENCE, "sequence.dve"))
    assert result.findings == []
    assert not any("not compared" in note for note in result.notes)


def test_nothing_to_do_gives_the_same_model() -> None:
    builder = Builder()
    g = builder.variable("g", 1)
    p, q = builder.process("p", 2), builder.process("q", 2)
    builder.transition(p, 0, 1, [compare(Read(g), "==", 0)], (put(g, 1),))
    builder.transition(q, 0, 1, [compare(Read(g), "==", 1)], (put(g, 0),))
    model = builder.model()
    domains = compute_domains(model)
    assert prune(model, domains) is model
    assert reset_dead_variables(model, domains, ()) is model
    assert merge_local_steps(model, domains, ()) is model
    assert optimise(model, domains, ()) is model
