"""Ample sets: the labels of control locations, and the sets that a search takes by them.

`MULE_FUZZ=5000 pytest tests/reduction` runs that many models."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mule.checking import Properties, check, explore
from mule.engine import Algorithm
from mule.errors import MuleError
from mule.frontends.dve import load
from mule.model import Assign, Model, Receive, Send
from mule.model.expressions import Constant, Expression, Read
from mule.options import Options, Preserve
from mule.planning import Preparation, plan_for, resolve, search_options
from mule.relations import Relations
from mule.relations.ample import AmpleLocation, Block, Condition, label_locations
from mule.results import Verdict
from tests.fuzz import examples
from tests.reduction.space import Space
from tests.small_models import Builder, compare, models, plus, predicates, put

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

EXAMPLES = examples(60)
AMPLE = Options(por="ample", as_written=True)


# the labels -----------------------------------------------------------------------------------------------------------


def relations_of(model: Model, preserve: Preserve = "deadlocks", *propositions: Expression) -> Relations:
    return Preparation(plan_for(model, resolve(AMPLE, preserve), preserve, propositions)).relations


def labels(relations: Relations) -> dict[tuple[int, int], tuple[Condition, ...]]:
    """The conditions of each location (process, location) that is safe or may be."""
    return {(each.process, each.location): each.conditions for each in label_locations(relations).locations}


def test_a_location_with_local_steps_only_is_safe() -> None:
    builder = Builder()
    shared, first, second = builder.variable("shared"), builder.process("p", 3), builder.process("q", 2)
    own = builder.variable("own", process=first)
    builder.transition(first, 0, 1, (), (plus(own, 1),))
    builder.transition(first, 0, 2, (compare(Read(own), "==", 1),))
    builder.transition(first, 1, 0, (), (plus(shared, 1),))
    builder.transition(second, 0, 1, (compare(Read(shared), "==", 1),))
    assert labels(relations_of(builder.model())) == {(0, 0): ()}


def test_a_step_that_does_not_accord_with_another_process_s_is_not_safe() -> None:
    """x + 1 and 2 * x do not commute; x + 1 and x + 2 do."""
    found = {}
    for name, effect in (("doubles", "x = 2 * x"), ("adds", "x = x + 2")):
        text = f"""
            byte x;
            process P {{ state a, b; init a; trans a -> b {{ effect x = x + 1; }}; }}
            process Q {{ state a, b; init a; trans a -> b {{ effect {effect}; }}; }}
            system async;"""
        found[name] = labels(relations_of(load(text, "x.dve")))
    assert found == {"doubles": {}, "adds": {(0, 0): (), (1, 0): ()}}


def channel_model(receivers: int, senders: int) -> Model:
    """Processes that receive, then processes that send, over a buffer of two messages."""
    builder = Builder()
    channel = builder.channel("c", 2)
    for number in range(receivers):
        process = builder.process(f"r{number}", 2)
        target = builder.variable(f"w{number}", process=process)
        nonempty = compare(Read(channel.length), ">", 0)
        builder.transition(process, 0, 1, (nonempty,), (Receive(channel, (Read(target),)),))
    for number in range(senders):
        process = builder.process(f"s{number}", 2)
        room = compare(Read(channel.length), "<", 2)
        builder.transition(process, 0, 1, (room,), (Send(channel, (Constant(number + 1),)),))
    return builder.model()


def test_exclusive_receives_and_sends_are_safe_where_they_are_enabled() -> None:
    """What SPIN learns from xr and xs, the relations know."""
    assert labels(relations_of(channel_model(1, 1))) == {
        (0, 0): (Condition(0, True, ()),),
        (1, 0): (Condition(1, True, ()),),
    }
    assert labels(relations_of(channel_model(1, 2))) == {(0, 0): (Condition(0, True, ()),)}
    assert labels(relations_of(channel_model(2, 1))) == {(2, 0): (Condition(2, True, ()),)}


def test_a_receive_of_another_message_stays_disabled_while_there_is_one() -> None:
    builder = Builder()
    channel = builder.channel("c", 2)
    receiver, sender = builder.process("r", 3), builder.process("s", 1)
    nonempty, room = compare(Read(channel.length), ">", 0), compare(Read(channel.length), "<", 2)
    for message in (1, 2):
        matches = compare(Read(channel.fields[0], Constant(0)), "==", message)
        builder.transition(receiver, 0, message, (nonempty, matches), (Receive(channel, (None,)),))
    for message in (1, 2):
        builder.transition(sender, 0, 0, (room,), (Send(channel, (Constant(message),)),))
    model = builder.model()
    guard = {each.expression: number for number, each in enumerate(model.guards)}
    ready = guard[nonempty]
    found = labels(relations_of(model))
    assert set(found) == {(0, 0), (1, 0)}
    first, second = (guard[compare(Read(channel.fields[0], Constant(0)), "==", each)] for each in (1, 2))
    assert found[0, 0] == (
        Condition(0, True, (Block(first, ready),)),
        Condition(1, True, (Block(second, ready),)),
    )


def test_a_message_that_another_process_can_take_away_keeps_nothing_disabled() -> None:
    """R counts, or receives a 1. While a 2 is in front it may count alone, unless a thief can take the 2."""
    found = {}
    for thief in (False, True):
        builder = Builder()
        channel = builder.channel("c", 1)
        receiver, sender = builder.process("r", 2), builder.process("s", 1)
        nonempty, room = compare(Read(channel.length), ">", 0), compare(Read(channel.length), "<", 1)
        own, shared = builder.variable("own", process=receiver), builder.variable("shared")
        matches = compare(Read(channel.fields[0], Constant(0)), "==", 1)
        builder.transition(receiver, 0, 0, (), (plus(own, 1),))
        builder.transition(receiver, 0, 1, (nonempty, matches), (put(shared, 2), Receive(channel, (None,))))
        for message in (1, 2):
            builder.transition(sender, 0, 0, (room,), (plus(shared, 1), Send(channel, (Constant(message),))))
        if thief:
            builder.transition(builder.process("t", 1), 0, 0, (nonempty,), (Receive(channel, (None,)),))
        model = builder.model()
        guard = {each.expression: number for number, each in enumerate(model.guards)}
        found[thief] = labels(relations_of(model)).get((0, 0))
        block = Block(guard[matches], guard[nonempty])
    assert found == {False: (Condition(1, True, (block,)),), True: None}


def test_a_guard_shields_another_only_from_what_needs_it_to_be_false() -> None:
    """P counts, or goes on where its flag and x are up. Q raises x where the flag is up: then x may come, so that only
    the flag keeps P's second step disabled; or where it is down: then x cannot come while the flag is up."""
    found = {}
    for up in (0, 1):
        text = f"""
            byte flag, x, shared;
            process P {{ byte w; state a, b; init b;
                trans a -> a {{ guard w < 3; effect w = w + 1; }},
                      a -> b {{ guard flag == 1 and x == 1; effect shared = 1; }},
                      b -> a {{}}, b -> a {{ effect flag = 1 - flag; }}; }}
            process Q {{ state a; init a; trans a -> a {{ guard flag == {up}; effect x = 1, shared = 2; }}; }}
            system async;"""
        relations = relations_of(load(text, "shield.dve"))
        guard = {each.text: number for number, each in enumerate(relations.model.guards)}
        [condition] = labels(relations)[0, 0]
        names = {number: name for name, number in guard.items()}
        found[up] = {(names[block.guard], block.given and names[block.given]) for block in condition.blocks}
    assert found == {1: {("flag == 1", None)}, 0: {("flag == 1", None), ("x == 1", "flag == 1")}}


def test_another_process_may_start_this_one_but_not_move_it() -> None:
    """Q creates P: it moves it from location 0, where it does nothing, to 1. R sends it back, from wherever it is."""
    found = {}
    for name in "QR":
        builder = Builder()
        child, other = builder.process("p", 3), builder.process(name, 2)
        place = Read(builder.processes[child].location)
        builder.transition(child, 1, 2)
        builder.transition(child, 2, 1)
        builder.transition(other, 0, 1, (compare(place, "==", 0),), (Assign(place, Constant(1)),))
        if name == "R":
            builder.transition(other, 1, 1, (), (Assign(place, Constant(1)),))
        found[name] = set(labels(relations_of(builder.model())))
    assert found == {"Q": {(0, 1), (0, 2), (1, 0)}, "R": {(1, 0)}}


def test_what_others_can_enable_must_be_enabled_or_blocked_by_an_own_guard() -> None:
    text = """
        byte x;
        process P { byte w; state a, b; init a;
            trans a -> a { guard w < 3; effect w = w + 1; },
                  a -> b { guard w == 2 and x == 1; }; }
        process Q { state a, b; init a; trans a -> b { effect x = 1; }; }
        system async;"""
    relations = relations_of(load(text, "block.dve"))
    [own] = [number for number, guard in enumerate(relations.model.guards) if guard.text == "P->w == 2"]
    assert labels(relations) == {(0, 0): (Condition(1, True, (Block(own),)),), (1, 0): ()}


def test_a_rendezvous_belongs_to_both_processes() -> None:
    text = """
        channel c;
        process P { state a, b; init a; trans a -> b { sync c!; }; }
        process Q { state a, b; init a; trans a -> b { sync c?; }; }
        process R { state a, b; init a; trans a -> b { sync c?; }; }
        system async;"""
    found = labels(relations_of(load(text, "rendezvous.dve")))
    assert set(found) == {(0, 0)}, "P takes part in both steps, Q and R each in one of two that exclude each other"


def test_visible_steps_are_in_no_ample_set() -> None:
    text = """
        byte x;
        process P { state a, b; init a; trans a -> b { effect x = 1; }; }
        process Q { byte w; state a, b; init a; trans a -> b { effect w = 1; }; }
        system async;"""
    model = load(text, "visible.dve")
    assert model.parse_expression is not None
    invariant = model.parse_expression("x == 0")
    assert set(labels(relations_of(model))) == {(0, 0), (1, 0)}
    assert set(labels(relations_of(model, "safety", invariant))) == {(1, 0)}


# the sets -------------------------------------------------------------------------------------------------------------


@settings(max_examples=EXAMPLES)
@given(models(), st.sampled_from(["deadlocks", "safety"]), st.sampled_from(["none", "valid"]), st.data())
def test_ample_sets_are_stubborn_invisible_and_all_that_one_process_can_do(
    model: Model, preserve: Preserve, remember: str, data: st.DataObject
) -> None:
    space = Space(model, preserve)
    scalars = [variable for variable in model.variables if variable.length is None]
    proposition = data.draw(predicates(scalars, [variable for variable in model.variables if variable.length]))
    relations = relations_of(model, preserve, proposition)
    processes = label_locations(relations).transitions_of
    reducer = space.engine.reducer(relations, Algorithm("ample", remember=remember))
    for state in space.states:
        enabled = space.enabled(state)
        if not enabled:
            continue
        chosen = set(reducer.choose(list(state), enabled))
        assert chosen
        assert space.is_stubborn(state, chosen, weak=False)
        if chosen != set(enabled):
            assert any(chosen == {number for number in enabled if own >> number & 1} for own in processes)
            assert not any(relations.visible >> number & 1 for number in chosen)


def kinds_of_labels(location: AmpleLocation) -> set[str]:
    if not location.conditions:
        return {"safe"}
    kinds = set()
    for condition in location.conditions:
        kinds |= set() if condition.blocks else {"enabled"}
        kinds |= set() if condition.may_be_enabled else {"disabled"}
        kinds |= {"block" if block.given is None else "shield" for block in condition.blocks}
    return kinds


def test_the_small_models_have_labels_of_every_kind() -> None:
    kinds: set[str] = set()

    @settings(max_examples=250, database=None, derandomize=True)
    @given(models())
    def collect(model: Model) -> None:
        found = label_locations(relations_of(model))
        for location in found.locations:
            kinds.update(kinds_of_labels(location))
        kinds.update("joint step" for starts in found.starts if len(starts) == 2)

    collect()
    assert kinds == {"safe", "enabled", "disabled", "block", "shield", "joint step"}


PIPELINE = """
channel {byte} one[1], two[1];
process Source { byte n; state a; init a; trans a -> a { guard n < 5; sync one!n; effect n = n + 1; }; }
process Stage { byte m; state a, b; init a; trans a -> b { sync one?m; }, b -> a { sync two!m; }; }
process Sink { byte m; state a; init a; trans a -> a { sync two?m; }; }
system async;
"""


def test_channels_between_two_processes_need_no_interleaving() -> None:
    model = load(PIPELINE, "pipeline.dve")
    full = explore(model, AMPLE.but(por="none")).statistics
    reduced = explore(model, AMPLE).statistics
    assert (full.deadlocks, reduced.deadlocks) == (1, 1)
    assert reduced.states == reduced.transitions + 1, "one run stands for all"
    assert reduced.states < full.states


def test_sets_of_one_transition_are_preferred() -> None:
    text = """
        process P { byte w; state a, b; init a; trans a -> b { effect w = 1; }, a -> b { effect w = 2; }; }
        process Q { byte w; state a, b; init a; trans a -> b { effect w = 1; }; }
        system async;"""
    space = Space(load(text, "prefer.dve"), "deadlocks")
    [start] = [state for state in space.states if len(space.enabled(state)) == 3]
    assert space.reducer(Algorithm("ample", remember="none")).choose(list(start), space.enabled(start)) == [2]


def test_a_violation_is_found_and_its_trail_replays() -> None:
    builder = Builder()
    x, process, other = builder.variable("x", 1), builder.process("p", 2), builder.process("q", 2)
    builder.transition(process, 0, 1, (), (put(x, 1),))
    builder.transition(other, 0, 1)
    result = check(builder.model(), Properties(deadlock=True), AMPLE)
    assert (result.verdict, len(result.violations[0].trail)) == (Verdict.VIOLATED, 2)


def test_ample_sets_have_no_weak_form() -> None:
    with pytest.raises(MuleError, match="no weak form"):
        explore(channel_model(1, 1), AMPLE.but(weak=True))


def test_where_one_process_only_goes_round_in_circles_depth_first_search_takes_another_one_s_set() -> None:
    """P toggles for ever, Q counts to 5. Where P's step leads back to the stack, Q's is taken alone; a set that was
    looked up has no other beside it, and everything is."""
    text = """
        process P { byte w; state a; init a; trans a -> a { effect w = 1 - w; }; }
        process Q { byte w; state a; init a; trans a -> a { guard w < 5; effect w = w + 1; }; }
        system async;"""
    model = load(text, "circles.dve")
    counts = {}
    for remember in ("none", "exact"):
        options = resolve(AMPLE.but(search="dfs", remember=remember), "safety")
        prepared = Preparation(plan_for(model, options, "safety", ()))
        found = prepared.search(search_options(options, "safety"), None)
        counts[remember] = (found.progress.states, found.progress.transitions, found.fully_expanded)
    assert counts == {"none": (12, 12, 0), "exact": (12, 17, 5)}
