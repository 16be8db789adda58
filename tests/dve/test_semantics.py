"""Each feature of DVE in a model small enough to count its states by hand."""

from __future__ import annotations

import pickle

import pytest

from mule.frontends.dve import load
from mule.model import Model
from mule.model.interpreter import Failure, Interpreter
from tests.dve.exploration import counts, explore, named, only_failure, only_successor


def evaluate(model: Model, text: str) -> int:
    assert model.parse_expression is not None
    interpreter = Interpreter(model)
    return interpreter.evaluate(model.parse_expression(text), interpreter.initial)


ASSIGNMENT = "%s x = %d; process P { state s; init s; trans s -> s { effect x = %s; }; } system async;"


@pytest.mark.parametrize(("type", "low", "high"), [("byte", 0, 255), ("int", -(2**15), 2**15 - 1)])
def test_a_type_holds_its_limits_and_a_value_beyond_them_is_an_error_of_the_model(
    type: str, low: int, high: int
) -> None:
    assert only_successor(ASSIGNMENT % (type, low + 1, "x - 1"))["x"] == low
    assert only_successor(ASSIGNMENT % (type, high - 1, "x + 1"))["x"] == high
    beyond = f"is out of range for x ({type}, {low}..{high})"
    assert only_failure(ASSIGNMENT % (type, low, "x - 1")) == f"{low - 1} {beyond}"
    assert only_failure(ASSIGNMENT % (type, high, "x + 1")) == f"{high + 1} {beyond}"


def test_a_counter_ends_in_an_error_of_the_model_not_at_zero() -> None:
    space = explore(load(ASSIGNMENT % ("byte", 250, "x + 3"), "test.dve"))
    # 250, 253, and 256 does not fit.
    assert (space.counts, space.failures, space.deadlocks) == ((2, 1), 1, 0)


def test_only_what_is_stored_must_fit_not_what_is_computed_on_the_way() -> None:
    assert only_successor(ASSIGNMENT % ("byte", 200, "(x + 200) / 2"))["x"] == 200


def test_a_value_that_does_not_fit_an_array_element_or_a_local_variable_is_an_error_of_the_model() -> None:
    text = "byte a[2]; process P { int y; state s; init s; trans s -> s { effect %s; }; } system async;"
    assert only_failure(text % "a[1] = 256") == "256 is out of range for a (byte, 0..255)"
    assert only_failure(text % "y = 40000") == "40000 is out of range for P->y (int, -32768..32767)"


def test_expressions_are_computed_with_32_bits() -> None:
    after = only_successor(
        "byte x = 200; process P { state s; init s; trans s -> s { effect x = (x * 300 + 100) / 300; }; } system async;"
    )
    assert after["x"] == 200


def test_effects_run_one_after_the_other() -> None:
    after = only_successor(
        "byte x, y; process P { state s; init s; trans s -> s { effect x = 5, y = x + 1, x = y * 2; }; } system async;"
    )
    assert (after["x"], after["y"]) == (12, 6)


def test_the_location_changes_before_the_effects() -> None:
    after = only_successor(
        "byte x; process P { state a, b; init a; trans a -> b { effect x = P.b * 10 + P.a; }; } system async;"
    )
    assert after["x"] == 10


def test_in_a_rendezvous_values_pass_then_the_receiver_acts_then_the_sender() -> None:
    text = """
    byte g = 1, got;
    channel c;
    process S { state a, b; init a; trans a -> b { sync c!g; effect g = g * 10; }; }
    process R { state p, q; init p; trans p -> q { sync c?got; effect g = g + got + 1; }; }
    system async;
    """
    after = only_successor(text)
    assert (after["got"], after["g"], after["S"], after["R"]) == (1, 30, 1, 1)


def test_a_rendezvous_is_one_joint_transition_of_two_processes() -> None:
    model = load(
        """
        channel c;
        process S { state a; init a; trans a -> a { guard 1 < 2; sync c!; }; }
        process R { byte n; state p; init p; trans p -> p { guard n < 3; sync c?; effect n = n + 1; }; }
        system async;
        """,
        "test.dve",
    )
    [transition] = model.transitions
    assert transition.name == "S ! c ? R: a -> a, p -> p"
    assert transition.text == "guard 1 < 2; sync c! | guard n < 3; sync c?; effect n = n + 1"
    assert [move.process for move in transition.moves] == [0, 1]
    assert [model.guards[guard].text for guard in transition.guards] == ["S at a", "R at p", "R->n < 3"]
    assert explore(model).counts == (4, 3)


def test_every_sender_meets_every_receiver_of_another_process() -> None:
    text = """
    channel c;
    process A { state a; init a; trans a -> a { sync c!; }, a -> a { sync c?; }; }
    process B { state b; init b; trans b -> b { sync c!; }, b -> b { sync c?; }; }
    process C { state d; init d; trans d -> d { sync c?; }; }
    system async;
    """
    # A to B, A to C, B to A, B to C; nobody talks to himself.
    assert counts(text) == (1, 4)


def test_a_synchronization_without_a_partner_blocks() -> None:
    space = explore(
        load("channel c; process P { state s; init s; trans s -> s { sync c!; }; } system async;", "test.dve")
    )
    assert (space.counts, space.deadlocks) == ((1, 0), 1)


@pytest.mark.parametrize(("channel", "received"), [("channel c;", 300), ("channel {byte} c[0];", 300 - 256)])
def test_a_typed_rendezvous_wraps_the_value_into_its_type(channel: str, received: int) -> None:
    text = f"""
    {channel} int x;
    process S {{ state a; init a; trans a -> a {{ sync c!300; }}; }}
    process R {{ state b; init b; trans b -> b {{ sync c?x; }}; }}
    system async;
    """
    assert only_successor(text)["x"] == received


def test_a_rendezvous_passes_several_values() -> None:
    text = """
    channel {byte, int} c[0];
    process S { state a; init a; trans a -> a { sync c!{7, -1}; }; }
    process R { byte x; int y[2]; state b; init b; trans b -> b { sync c?{x, y[1]}; }; }
    system async;
    """
    after = only_successor(text)
    assert (after["R->x"], after["R->y[1]"]) == (7, -1)


def test_a_buffer_keeps_the_order_and_blocks_when_full() -> None:
    text = """
    channel {byte} c[2];
    process S { byte n; state a; init a; trans a -> a { guard n < 3; sync c!n; effect n = n + 1; }; }
    process R { byte got; state b; init b; trans b -> b { sync c?got; }; }
    system async;
    """
    model = load(text, "test.dve")
    space = explore(model)
    # With s messages sent and r received, s - 2 <= r <= s. A send needs s < 3 and s - r < 2, a receive r < s.
    states, sends, receives = 1 + 2 + 3 + 3, 1 + 2 + 2, 1 + 2 + 2
    assert space.counts == (states, sends + receives)
    assert [model.guards[guard].text for guard in model.transitions[0].guards] == ["S at a", "len(c) < 2", "S->n < 3"]
    assert [model.guards[guard].text for guard in model.transitions[1].guards] == ["R at b", "len(c) > 0"]


def test_a_buffered_message_is_computed_before_the_effects() -> None:
    text = """
    channel {byte, byte} c[1]; byte x = 1;
    process S { state a, b; init a; trans a -> b { sync c!{x, x + 1}; effect x = 9; }; }
    system async;
    """
    after = only_successor(text)
    assert (after["c.0[0]"], after["c.1[0]"], after["len(c)"], after["x"]) == (1, 2, 1, 9)


def test_a_received_message_is_stored_before_the_effects() -> None:
    text = """
    channel {byte} c[1]; byte x, y;
    process P { state a, b, d; init a; trans a -> b { sync c!4; }, b -> d { sync c?x; effect y = x + 1; }; }
    system async;
    """
    model = load(text, "test.dve")
    space = explore(model)
    assert space.counts == (3, 2)
    assert {(named(model, state)["P"], named(model, state)["y"]) for state in space.states} == {(0, 0), (1, 0), (2, 5)}


COMMITTED = """
process A { state a, b; init a; %s trans a -> b {}, b -> a {}; }
process B { state c, d; init c; trans c -> d {}, d -> c {}; }
system async;
"""


def test_while_a_process_is_committed_only_it_moves() -> None:
    assert counts(COMMITTED % "") == (4, 8)
    # B stays put in the two states where A is in b.
    assert counts(COMMITTED % "commit b;") == (4, 6)


def test_two_committed_processes_may_both_move() -> None:
    text = """
    process A { state a, b; init a; commit a; trans a -> b {}; }
    process B { state c, d; init c; commit c; trans c -> d {}; }
    process C { state e, f; init e; trans e -> f {}; }
    system async;
    """
    # The square of A and B first, then C.
    assert counts(text) == (5, 5)


RENDEZVOUS = """
channel x;
process A { state a, b; init a; %s trans a -> b { sync x!; }; }
process B { state c, d; init c; %s trans c -> d { sync x?; }; }
process C { state e; init e; %s trans e -> e {}; }
system async;
"""


@pytest.mark.parametrize(
    ("commits", "expected"),
    [
        (("", "", ""), (2, 3)),  # the rendezvous, and C's loop in both states
        (("commit a;", "commit c;", ""), (2, 2)),  # C waits until the rendezvous is over
        (("commit a;", "", ""), (1, 0)),  # B is not committed: it may not take part
        (("", "commit c;", ""), (1, 0)),
        (("", "", "commit e;"), (1, 1)),  # C loops for ever
    ],
)
def test_a_rendezvous_needs_both_partners_committed_when_somebody_is(
    commits: tuple[str, str, str], expected: tuple[int, int]
) -> None:
    assert counts(RENDEZVOUS % commits) == expected


def test_the_committed_guard_is_shared_and_stands_before_the_author_s() -> None:
    text = """
    byte i = 5, a[2];
    process P { state s, t, u; init s; commit s, u; trans s -> t {}; }
    process Q { state v; init v; trans v -> v { guard a[i] == 0; }, v -> v { guard i == 5; }; }
    system async;
    """
    model = load(text, "test.dve")
    first, second = (transition.guards for transition in model.transitions[1:])
    texts = [model.guards[guard].text for guard in first]
    assert texts == ["Q at v", "P not at s and P not at u", "a[i] == 0"]
    assert first[:2] == second[:2]


def test_a_conjunction_becomes_guards_that_are_evaluated_in_order() -> None:
    text = """
    byte i, a[2] = {0, 0};
    process P { state s; init s; trans s -> s { guard i < 2 && a[i] == 0; effect i = i + 1; }; }
    system async;
    """
    model = load(text, "test.dve")
    assert [model.guards[guard].text for guard in model.transitions[0].guards] == ["P at s", "i < 2", "a[i] == 0"]
    space = explore(model)
    assert (space.counts, space.failures) == ((3, 2), 0)


def test_equal_guards_are_shared() -> None:
    model = load(
        "byte x; process P { state s; init s; trans s -> s { guard x == 0; }, s -> s { guard x == 0 and x < 3; }; }"
        " system async;",
        "test.dve",
    )
    assert [guard.text for guard in model.guards] == ["P at s", "x == 0", "x < 3"]


def test_an_index_out_of_range_in_an_effect_is_a_failure() -> None:
    text = "byte i, a[2]; process P { state s; init s; trans s -> s { effect a[i] = 1, i = i + 1; }; } system async;"
    space = explore(load(text, "test.dve"))
    assert (space.counts, space.failures) == ((3, 2), 1)


def test_a_transition_without_a_source_starts_where_the_one_before_did() -> None:
    model = load(
        "process P { state a, b, c; init a; trans a -> b {}, -> c {}, b -> a {}, -> c {}; } system async;", "test.dve"
    )
    assert [transition.name for transition in model.transitions] == [
        "P: a -> b",
        "P: a -> c",
        "P: b -> a",
        "P: b -> c",
    ]


def test_a_self_loop_does_not_write_its_location() -> None:
    model = load("byte x; process P { state s; init s; trans s -> s { effect x = 1; }; } system async;", "test.dve")
    assert len(model.transitions[0].outcomes[0].statements) == 1


def test_constants_are_folded_and_arrays_may_have_a_constant_size() -> None:
    text = """
    const byte N = 3, twice = N * 2;
    byte a[N + 1] = {1, N};
    process P { const int K = twice + 1; byte b[K]; state s; init s; trans s -> s { effect a[0] = K; }; }
    system async;
    """
    model = load(text, "test.dve")
    assert [(variable.name, variable.length, variable.initial) for variable in model.variables] == [
        ("a", 4, (1, 3, 0, 0)),
        ("P", None, (0,)),
        ("P->b", 7, (0,) * 7),
    ]
    assert only_successor(text)["a[0]"] == 7


def test_a_constant_array_can_be_read_at_any_index() -> None:
    text = """
    const byte next[3] = {2, 0, 1}; byte x;
    process P { state s; init s; trans s -> s { effect x = next[x]; }; }
    system async;
    """
    assert counts(text) == (3, 3)


def test_an_array_without_an_index_is_its_first_element() -> None:
    after = only_successor(
        "byte a[2] = {3, 4}, x; process P { state s; init s; trans s -> s { effect x = a + 1, a = 9; }; } system async;"
    )
    assert (after["x"], after["a[0]"], after["a[1]"]) == (4, 9, 4)


def test_values_past_the_end_of_an_array_are_ignored_where_they_are_zero() -> None:
    model = load("byte a[2] = {1, 2, 0}; process P { state s; init s; } system async;", "test.dve")
    assert model.variables[0].initial == (1, 2)


def test_the_names_of_a_process_hide_global_ones() -> None:
    text = """
    byte x = 1, done;
    process P { byte x = 5; state s, done; init s; trans s -> done { effect x = x + 1; }; }
    system async;
    """
    after = only_successor(text)
    assert (after["x"], after["P->x"]) == (1, 6)


SCOPES = """
byte x = 1;
process P { byte x = 2, a[2] = {3, 4}; const byte K = 8; state s, t; init s; }
process Q { byte y = 5; state u, v; init v; }
system async;
"""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x", 1),
        ("P->x", 2),
        ("P->a[1]", 4),
        ("P->a[x]", 4),
        ("P->K", 8),
        ("P.s", 1),
        ("P.t", 0),
        ("P.(x)", 2),
        ("P.(a[0] + x) + x", 6),
        ("P.(P.(P.s))", 1),
        ("P.(Q.(y))", 5),
        ("P.(Q.v)", 1),
        ("(P.s + Q.u + Q.v > 1)", 1),
    ],
)
def test_expressions_may_speak_of_processes(text: str, value: int) -> None:
    assert evaluate(load(SCOPES, "test.dve"), text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 or 1 and 0", 0),  # `and` and `or` bind equally: (1 or 1) and 0
        ("0 and 0 or 1", 1),
        ("1 || 0 && 0", 0),
        ("not 0 == 1", 1),  # (not 0) == 1
        ("! x == 0", 1),
        ("4 | 2 == 2", 4 | 1),
        ("1 | 2 & 2", 2),  # (1 | 2) & 2
        ("6 ^ 3 | 8", 13),
        ("1 < 2 == 1", 1),
        ("1 + 1 << 2", 8),
        ("2 + 3 * 4", 14),
        ("10 - 3 - 2", 5),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("7 / -2", -3),
        ("~0", -1),
        ("- -3", 3),
        ("3 imply 0", 0),
        ("0 imply 1 / 0", 1),
        ("1 imply 0 imply 0", 1),  # from the left: (1 imply 0) imply 0
        ("1 << 30 >> 28", 4),
        ("true + true", 2),
        ("false or 7", 1),
        ("x and 5", 1),
    ],
)
def test_operators_mean_what_divine_says(text: str, value: int) -> None:
    assert evaluate(load(SCOPES, "test.dve"), text) == value


@pytest.mark.parametrize("text", ["2147483647 + 1", "1 << 31", "1 << 33", "1 << -1", "x - 2147483647 - 4"])
def test_what_does_not_fit_has_no_value(text: str) -> None:
    with pytest.raises(Failure, match=r"does not fit 32 bits|is shifted by"):
        evaluate(load(SCOPES, "test.dve"), text)


def test_an_assertion_holds_where_its_process_is_elsewhere() -> None:
    model = load(
        "byte x = 3; process P { state s, t; init s; assert s: x == 3, t: x == 4; trans s -> t {}; } system async;",
        "test.dve",
    )
    first, second = model.assertions
    assert (first.name, second.name) == ("P.s: x == 3", "P.t: x == 4")
    interpreter = Interpreter(model)
    [step] = interpreter.steps(interpreter.initial)
    values = [
        [interpreter.evaluate(assertion.expression, state) for assertion in model.assertions]
        for state in (interpreter.initial, step.target)
    ]
    assert values == [[1, 1], [1, 0]]


def test_a_property_process_is_kept_apart() -> None:
    text = """
    byte x;
    process P { state s; init s; commit s; trans s -> s { effect x = 1 - x; }; }
    process LTL { state p, q; init p; accept buchi q; trans p -> q { guard x == 1; }, q -> q {}; }
    system async property LTL;
    """
    model = load(text, "test.dve")
    assert model.property_process == 1
    assert model.processes[1].accepting == {1}
    assert [transition.name for transition in model.transitions] == ["P: s -> s"]
    assert [transition.name for transition in model.property_transitions] == ["LTL: p -> q", "LTL: q -> q"]
    guards = model.property_transitions[0].guards
    assert [model.guards[guard].text for guard in guards] == ["LTL at p", "x == 1"]
    assert explore(model).counts == (2, 2)


def test_a_transition_knows_its_text_and_place() -> None:
    text = "process P {\n state s; init s;\n trans\n  s -> s { guard 1\n /* well */ == 1; // so\n effect ; };\n}"
    text = text.replace("effect ;", "") + " system async;"
    [transition] = load(text, "some/where.dve").transitions
    assert transition.text == "guard 1 == 1"
    assert str(transition.place) == "some/where.dve:4:3"


def test_a_model_can_be_sent_to_another_process() -> None:
    model = pickle.loads(pickle.dumps(load(SCOPES, "test.dve")))
    assert evaluate(model, "P.(x) + x") == 3


def test_a_long_chain_of_operators_is_balanced() -> None:
    model = load(SCOPES, "test.dve")
    assert evaluate(model, " + ".join(["x"] * 5000)) == 5000
    assert evaluate(model, " or ".join(["x - 1"] * 4000 + ["x"] + ["1 / 0"])) == 1


@pytest.mark.parametrize(
    "guard",
    [
        "-" * 98 + "x == 1",
        "x == (" * 98 + "x" + ")" * 98,
        "a[" * 95 + "0" + "]" * 95 + " == 0",
        "(x and x or " * 98 + "x" + ")" * 98,
        "(x imply " * 49 + "x" + ")" * 49,
        "P.(" * 95 + "x == 1" + ")" * 95,
    ],
    ids=lambda guard: guard[:6],
)
def test_the_deepest_expressions_work(guard: str) -> None:
    text = "byte x = 1, a[2]; process P { state s; init s; trans s -> s { guard %s; }; } system async;"
    model = load(text % guard, "test.dve")
    assert explore(model).counts == (1, 1)
    assert load(text % guard, "test.dve").guards[0].text == model.guards[0].text
    assert pickle.loads(pickle.dumps(model)).guards[1].text == model.guards[1].text
