"""The library against the paper's algorithms and examples; it knows nothing of Mule's models."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mule.lpor import Facts, Lpor, MessagePassing
from tests.lpor.literal import Given, forward_enable_set, stubborn

# Figure 2, a Petri net: t4 and t5 each put a token where t3 takes two, t3 one where t2 takes it, and t1 and t2 compete.
# The paper's text has the pairs of net the other way round than its Definition 3.
FIGURE_2 = Given(
    6,
    dependencies=frozenset({(1, 2), (2, 1)}),
    enabling=frozenset({(3, 2), (4, 3), (5, 3)}),
    necessary=frozenset({(3, 4), (3, 5)}),
)


def test_figure_2_forward_enable_sets() -> None:
    both = frozenset({4, 5})
    assert forward_enable_set(FIGURE_2, 4) == {(4, frozenset()), (3, both), (2, both)}
    assert forward_enable_set(FIGURE_2, 5) == {(5, frozenset()), (3, both), (2, both)}
    sets = Lpor(range(6), FIGURE_2).forward_enable_sets
    assert (sets[4], sets[5]) == (1 << 4 | 1 << 3 | 1 << 2, 1 << 5 | 1 << 3 | 1 << 2)


def test_figure_2_one_necessary_transition_is_enough() -> None:
    lpor = Lpor(range(6), FIGURE_2)
    assert lpor.stubborn(1, [1, 4, 5], executed=[]) == [1, 4]
    assert lpor.stubborn(1, [1, 4, 5], state="the marking shown") == [1, 4]
    assert lpor.stubborn(1, [1, 4, 5]) == [1, 4, 5], "without NET"
    assert lpor.stubborn(1, [1, 5], executed=[4]) == [1, 5], "t4 has run, so it keeps nobody waiting"
    assert lpor.stubborn(4, [1, 4, 5], executed=[]) == [4]


def test_figure_1_the_transition_that_enables_a_rival_is_taken_along() -> None:
    """t2 enables t3, which disables t1."""
    lpor = Lpor([1, 2, 3], Given(4, frozenset({(3, 1)}), frozenset({(2, 3)})))
    assert lpor.stubborn(1, [1, 2]) == [1, 2]
    assert lpor.stubborn(2, [1, 2]) == [2]


def test_dependency_has_a_direction() -> None:
    lpor = Lpor([0, 1], Given(2, frozenset({(0, 1)}), frozenset()))
    assert lpor.stubborn(1, [0, 1]) == [0, 1], "1 is dependent on 0"
    assert lpor.stubborn(0, [0, 1]) == [0]


def test_visible_transitions_keep_their_order() -> None:
    relations = Given(3, frozenset(), frozenset())
    lpor = Lpor(range(3), relations, visible=lambda t: t != 1)
    assert lpor.stubborn(0, [0, 1, 2]) == [0, 2]
    assert lpor.stubborn(1, [0, 1, 2]) == [1]


def test_bad_questions_are_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        Lpor([1, 1], FIGURE_2)
    with pytest.raises(ValueError, match="not enabled"):
        Lpor(range(6), FIGURE_2).stubborn(3, [1, 4])


@st.composite
def situations(draw: st.DrawFn) -> tuple[Given, list[int], list[int]]:
    count = draw(st.integers(1, 7))
    pair = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda two: two[0] != two[1])
    pairs = st.frozensets(pair, max_size=2 * count) if count > 1 else st.just(frozenset())
    enabled = sorted(draw(st.sets(st.integers(0, count - 1), min_size=1)))
    # Necessary transitions of lower numbers only, so that none waits for itself; and the closure, as the paper allows.
    necessary = {(a, b) for a, b in draw(pairs) if b < a and a not in enabled}
    for a in range(count):
        necessary |= {(a, c) for x, b in necessary if x == a for y, c in necessary if y == b}
    relations = Given(count, draw(pairs), draw(pairs), frozenset(necessary))
    executed = draw(st.lists(st.integers(0, count - 1), max_size=2, unique=True))
    return relations, enabled, executed


@given(situations())
def test_without_net_the_sets_are_the_papers(situation: tuple[Given, list[int], list[int]]) -> None:
    relations, enabled, _ = situation
    bare = Given(relations.count, relations.dependencies, relations.enabling)
    lpor = Lpor(range(bare.count), bare)
    for initial in enabled:
        assert set(lpor.stubborn(initial, enabled)) == stubborn(bare, initial, enabled, [], lpor.is_transitive)


@given(situations())
def test_with_net_nothing_is_added_that_the_paper_leaves_out(situation: tuple[Given, list[int], list[int]]) -> None:
    """The paper lets enabling sequences run through enabled transitions, so its sets may be larger, never smaller."""
    relations, enabled, executed = situation
    lpor = Lpor(range(relations.count), relations)
    for initial in enabled:
        ours = set(lpor.stubborn(initial, enabled, executed=executed))
        theirs = stubborn(relations, initial, enabled, executed, lpor.is_transitive)
        if not any(t in enabled for _, t in relations.enabling):
            assert ours == theirs
        bare = Given(relations.count, relations.dependencies, relations.enabling)
        assert ours <= set(Lpor(range(relations.count), bare).stubborn(initial, enabled))


@given(situations())
def test_a_transitive_dependency_needs_less_work(situation: tuple[Given, list[int], list[int]]) -> None:
    """What is left out besides is what enables a member of the set once more."""
    count, enabled = situation[0].count, situation[1]
    alike = frozenset((a, b) for a in range(count) for b in range(count) if a != b and a % 2 == b % 2)
    relations = Given(count, alike, situation[0].enabling)
    lpor = Lpor(range(count), relations)
    assert lpor.is_transitive
    for initial in enabled:
        found = set(lpor.stubborn(initial, enabled))
        assert found == stubborn(relations, initial, enabled, [], transitive=True)
        assert found <= stubborn(relations, initial, enabled, [], transitive=False)


# message passing ------------------------------------------------------------------------------------------------------

SEND_A = Facts("a", "A", outputs=frozenset("C"), sends=frozenset({"vote"}))
SEND_B = Facts("b", "B", outputs=frozenset("C"), sends=frozenset({"vote"}))
QUORUM = Facts("c", "C", inputs=frozenset("AB"), receives=frozenset({"vote"}), input_deterministic=True)
OTHER = Facts("d", "C", inputs=frozenset("A"), receives=frozenset({"stop"}))


def test_messages_enable_and_are_depended_on_in_one_direction() -> None:
    relations = MessagePassing([SEND_A, SEND_B, QUORUM, OTHER])
    assert relations.can_enable(SEND_A, QUORUM)
    assert not relations.can_enable(QUORUM, SEND_A)
    assert relations.dep(SEND_A, QUORUM)
    assert not relations.dep(QUORUM, SEND_A)
    assert not relations.can_enable(SEND_A, OTHER), "another kind of message"
    assert relations.dep(QUORUM, OTHER), "one process"
    assert relations.dep(OTHER, QUORUM), "one process"
    assert not relations.dep(SEND_A, SEND_B)


def test_a_quorum_needs_a_message_from_each_of_its_senders() -> None:
    relations = MessagePassing([SEND_A, SEND_B, QUORUM], pending=lambda state, t, process: process in state)
    assert set(relations.net(None, QUORUM)) == {SEND_A, SEND_B}
    assert relations.net("A", QUORUM) == [SEND_B]
    lpor = Lpor(
        [SEND_A, SEND_B, QUORUM, OTHER], MessagePassing([SEND_A, SEND_B, QUORUM, OTHER], lambda s, t, p: p in s)
    )
    assert lpor.stubborn(OTHER, [OTHER, SEND_A, SEND_B], state=()) == [OTHER, SEND_A]
    assert lpor.stubborn(OTHER, [OTHER, SEND_A, SEND_B]) == [OTHER, SEND_A, SEND_B]


def test_without_certainty_about_the_input_nothing_is_necessary() -> None:
    vague = Facts("c", "C", inputs=frozenset("AB"), receives=frozenset({"vote"}))
    relations = MessagePassing([SEND_A, SEND_B, vague], pending=lambda state, t, process: False)
    assert not relations.net(None, vague)
    assert not relations.net("", vague)
    second = Facts("a2", "A", outputs=frozenset("C"), sends=frozenset({"vote"}))
    relations = MessagePassing([SEND_A, second, SEND_B, QUORUM])
    assert relations.net(None, QUORUM) == [SEND_B], "A has two ways to vote"
    assert [SEND_A, second] in relations.enabling_sets(None, QUORUM)


def test_a_timestamp_that_grows_enables_no_comparison_with_it() -> None:
    tick = Facts("tick", "A", writes=frozenset({"clock"}), increments=frozenset({"clock"}))
    reset = Facts("reset", "A", writes=frozenset({"clock"}))
    newer = Facts("newer", "A", reads=frozenset({"clock"}), compares_timestamp=frozenset({"clock"}))
    equal = Facts("equal", "A", reads=frozenset({"clock"}))
    relations = MessagePassing([tick, reset, newer, equal])
    assert not relations.can_enable(tick, newer)
    assert relations.can_enable(tick, equal)
    assert relations.can_enable(reset, newer)
    elsewhere = Facts("elsewhere", "B", reads=frozenset({"clock"}))
    assert not relations.can_enable(reset, elsewhere), "variables belong to their process"
