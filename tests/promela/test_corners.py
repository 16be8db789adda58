"""What SPIN's verifier calls an error in corners of the language: each program was tried with SPIN 6.5.2 (`spin -a`,
`gcc -DSAFETY -DNOREDUCE`, `pan`), whose words stand beside it."""

from __future__ import annotations

import pytest

from mule.checking import Properties, check, explore
from mule.errors import MuleError
from mule.frontends.promela import load
from mule.model.interpreter import Failure, Interpreter
from mule.options import Options
from mule.results import ViolationKind

SAFETY = Properties(deadlock=True, assertions=True)
CHANNELS = "chan q[2] = [1] of {byte}; byte i; "
ARRAY = "byte a[2]; int i; "
HANDSHAKE = "chan r = [0] of {byte}; "
NO_CHANNEL = "chan v; byte x; "


def answers(program: str) -> set[str]:
    """What is wrong with a program, as written and with whatever the search does to it by default."""
    model = load(program, "corner.pml")
    found = set()
    for options in (Options(por="none", as_written=True), Options()):
        result = check(model, SAFETY, options)
        found.add(
            "; ".join(
                each.message if each.kind is ViolationKind.MODEL_ERROR else each.kind.value
                for each in result.violations
            )
        )
    return found


@pytest.mark.parametrize(
    ("program", "wrong"),
    [
        ("active proctype P(){chan c; i=2; c=q[i]; c!1}", "index 2 is out of range for q[2]"),
        ("proctype R(chan c){c!1} active proctype P(){i=2; run R(q[i])}", "index 2 is out of range for q[2]"),
        ("chan d=[1] of {chan}; active proctype P(){i=2; d!q[i]}", "index 2 is out of range for q[2]"),
        ("active[3] proctype P(){chan c; c=q[_pid]; c!1}", "index 2 is out of range for q[2]"),
        ("proctype P(byte k){chan c=q[k]; c!1} init{run P(1); run P(2)}", "index 2 is out of range for q[2]"),
        ('active proctype P(){i=2; printf("%d", q[i])}', "the index of q is out of range"),
        ("active proctype P(){i=2; (i>=2 && len(q[i])==0)}", "index 2 is out of range for q[2]"),
        ("active proctype P(){i=2; (i<2 || q[i]?[1])}", "index 2 is out of range for q[2]"),
        ("active proctype P(){i=2; i=(i==2 -> len(q[i]) : 1)}", "index 2 is out of range for q[2]"),
        ("active proctype P(){i=2; end: (i<2 && len(q[i])==0)}", ""),
        ("active proctype P(){i=2; i=(i==2 -> 1 : len(q[i]))}", ""),
        ("active proctype P(){chan c; i=1; c=q[i]; c!1; assert(len(q[1])==1)}", ""),
    ],
)
def test_index_into_an_array_of_channels(program: str, wrong: str) -> None:
    """SPIN: assertion violated - invalid array index"""
    assert answers(CHANNELS + program) == {wrong}


@pytest.mark.parametrize(
    ("statement", "wrong"),
    [
        ('printf("%d", a[i])', "the index of a is out of range"),
        ('printf("no conversion", a[i])', "the index of a is out of range"),
        ("printm(a[i])", "the index of a is out of range"),
        ("_ = a[i]", "the index of a is out of range"),
        ('atomic { skip; printf("%d", a[i]) }', "the index of a is out of range"),
        ('d_step { skip; printf("%d", a[i]) }', "the index of a is out of range"),
        ('printf("%d", (i == 2 -> 1 : a[i]))', ""),
        ("assert(i == 2 || a[i])", ""),
        ("r!a[i]", "the index of a is out of range"),
        ("b!1; end: b!a[i]", ""),
        ("end: b?a[i]", ""),
        ("end: b??eval(a[i])", ""),
        ("end: b?[eval(a[i])]", ""),
        ("end: b??[eval(a[i])]", "the index of a is out of range"),
        ("b!1; b?[a[i]]", ""),
    ],
)
def test_index_in_a_value_that_is_not_used(statement: str, wrong: str) -> None:
    """SPIN evaluates it: assertion violated - invalid array index"""
    channels = "chan r = [0] of {byte}; chan b = [1] of {byte}; "
    assert answers(ARRAY + channels + f"active proctype P(){{ i=2; {statement} }}") == {wrong}


def test_index_in_the_arguments_of_set_priority() -> None:
    text = "byte a[2]; int i; active proctype P() priority 2 { i=2; set_priority(9, a[i]) }"
    assert answers(text) == {"the index of a is out of range"}


def test_index_in_the_arguments_of_printf_of_a_structure() -> None:
    text = 'typedef T { byte a }; T task[2]; int c; active proctype P(){ c = -1; printf("%d", task[c].a) }'
    assert answers(text) == {"the index of task.a is out of range"}


@pytest.mark.parametrize(
    "program",
    [
        "byte a[2]; int c = 2; active proctype P() { byte x = a[c]; skip }",
        "chan q[2] = [1] of {byte}; active[3] proctype P() { chan c = q[_pid]; c!1 }",
        "chan q[2] = [1] of {byte}; chan c = q[2]; init { c!1 }",
    ],
)
def test_initial_value_with_an_index_out_of_range(program: str) -> None:
    """SPIN rejects the first and the third, and stops before the first step of the second."""
    with pytest.raises(MuleError, match="out of range"):
        load(program, "corner.pml")


@pytest.mark.parametrize(
    ("statement", "wrong"),
    [
        ("nfull(r)", ""),
        ("full(r)", "deadlock"),
        ("empty(r)", ""),
        ("nempty(r)", "deadlock"),
        ("len(r) == 0", ""),
        ("len(r) > 0", "deadlock"),
    ],
)
def test_a_rendezvous_channel_is_empty_and_never_full(statement: str, wrong: str) -> None:
    assert answers(HANDSHAKE + f"active proctype P() {{ {statement} }}") == {wrong}


@pytest.mark.parametrize(
    ("statement", "wrong"),
    [
        ("end: r?[1]", "r is a rendezvous channel: it never holds a message that could be polled"),
        ("end: r??[1]", "r is a rendezvous channel: it never holds a message that could be polled"),
        ("end: (!x && r?[1])", "r is a rendezvous channel: it never holds a message that could be polled"),
        ("end: (x && r?[1])", ""),
        ("end: r?<x>", "r is a rendezvous channel: it never holds a message that could be polled"),
        ("end: r??<x>", "r is a rendezvous channel: it never holds a message that could be polled"),
        ("end: if :: r?<x> :: else fi", "r is a rendezvous channel: it never holds a message that could be polled"),
        ("{ r?<x> } unless { x == 0 }", ""),
    ],
)
def test_poll_of_a_rendezvous_channel(statement: str, wrong: str) -> None:
    """SPIN: error to poll rendezvous channel, or polling rv chan"""
    assert answers(HANDSHAKE + f"byte x; active proctype P() {{ {statement} }}") == {wrong}


def test_poll_of_a_rendezvous_channel_in_a_formula_is_refused() -> None:
    model = load(HANDSHAKE + "active proctype P() { skip }", "corner.pml")
    assert model.parse_expression is not None
    with pytest.raises(MuleError, match="r is a rendezvous channel: it never holds a message"):
        model.parse_expression("r?[1]")


@pytest.mark.parametrize(
    ("statement", "wrong"),
    [
        ("end: (x && len(v))", ""),
        ("end: (!x && len(v))", "v holds no channel that could be asked"),
        ("x = (x -> len(v) : 2)", ""),
        ("q!1; end: q!len(v)", ""),
        ("q!len(v)", "v holds no channel that could be asked"),
        ('printf("%d", len(v))', "v holds no channel that could be asked"),
    ],
)
def test_no_channel_is_asked_only_where_it_is_evaluated(statement: str, wrong: str) -> None:
    """SPIN: ref to uninitialized chan name"""
    assert answers(NO_CHANNEL + f"chan q = [1] of {{byte}}; active proctype P() {{ {statement} }}") == {wrong}


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ("skip", ""),
        ("x = 1; x = 2", "v holds no channel that could be asked"),
        ("atomic { x = 1; x = 0 }", "v holds no channel that could be asked"),
        ("d_step { x = 1; x = 0 }", ""),
        ("v = q; x = 1; x = 2", ""),
    ],
)
def test_no_channel_is_asked_by_provided(body: str, wrong: str) -> None:
    """SPIN: ref to uninitialized chan name"""
    process = f"active proctype P() provided (x == 0 || len(v) == 0) {{ {body} }}"
    assert answers(NO_CHANNEL + f"chan q = [1] of {{byte}}; {process}") == {wrong}


@pytest.mark.parametrize(
    "program",
    [
        "active proctype P(){ d_step{ skip; r!1 } } active proctype Q(){ r?_ }",
        "active proctype P(){ d_step{ r!1; skip } } active proctype Q(){ r?_ }",
        "active proctype P(){ end: d_step{ r!1; skip } }",
    ],
)
def test_a_d_step_that_sends_in_a_rendezvous(program: str) -> None:
    """SPIN: rv-attempt in d_step"""
    assert answers(HANDSHAKE + program) == {"a d_step cannot send to r, a rendezvous channel"}


def test_a_d_step_may_begin_with_the_receive_of_a_rendezvous() -> None:
    assert answers(HANDSHAKE + "byte x; active proctype P(){ d_step{ r?x; skip } } active proctype Q(){ r!1 }") == {""}


BRANCHES = "byte x, y; init {{ if :: y = 1 :: y = 2 :: y = 3 fi; d_step {{ x = y; if {options} fi; x = 0 }} }}"


@pytest.mark.parametrize(
    "options",
    [
        ":: { x == 1 } :: x == 2 :: else",
        ":: atomic { x == 1 } :: x == 2 :: x == 3",
        ":: if :: x == 1 :: x == 2 fi :: x == 3",
        ":: do :: x == 1 -> break :: x == 2 -> break od :: x == 3",
    ],
)
def test_a_d_step_goes_into_braces_without_a_look(options: str) -> None:
    """SPIN: block in d_step seq, or blocking sel in d_step"""
    assert answers(BRANCHES.format(options=options)) == {"a d_step cannot go on inside"}


@pytest.mark.parametrize("options", [":: x == 1 :: x == 2 :: { x == 3 }", ":: x == 1 :: x == 2 :: else -> { skip }"])
def test_a_d_step_goes_into_braces_as_the_last_resort(options: str) -> None:
    assert answers(BRANCHES.format(options=options)) == {""}


@pytest.mark.parametrize(
    ("statements", "wrong"),
    [
        ("c = b; c!1; assert(false)", "assertion"),
        ("b = 2; b++; c = b; c!1", "c holds no channel that could be sent to"),
        ("b = b + 2; d!b; d?c; c!1", "c holds no channel that could be sent to"),
        ("d!data; d?c; c!1", "c holds no channel that could be sent to"),
        ("d!ok; d?c; c!1; assert(len(q) == 1)", ""),
        ("b = 7; c = b; b = len(c)", "c holds no channel that could be asked"),
    ],
)
def test_other_numbers_in_a_channel_variable(statements: str, wrong: str) -> None:
    """A channel is a number to SPIN. To send to a number that is none, its verifier says "qsend bad queue#", or reads
    what lies behind its channels."""
    names = "mtype = {data, more, ok}; byte b = 1; chan q = [1] of {byte}; chan d = [1] of {chan}; chan c;"
    assert answers(f"{names} active proctype P() {{ {statements} }}") == {wrong}


def test_a_process_begins_with_its_own_channel_though_it_is_assigned_another() -> None:
    process = "proctype P() { chan c = [1] of {byte}; c!1; assert(len(q) == 0); c = q }"
    assert answers(f"chan q = [1] of {{byte}}; {process} init {{ run P() }}") == {""}


def test_a_bool_that_receives_integers() -> None:
    """pan stores 31 states: to take the receive back, it puts what the variable holds into the channel. It has 42 where
    the message goes through a variable of its own: `atomic { c?t; b = t; t = 0 }`."""
    text = """bool b = -1; int x; chan c = [2] of {int};
        active proctype P() { do :: c!5 :: c!4 od }
        active proctype R() { do :: c?x od }
        active proctype Q() { do :: RECEIVE od }"""
    direct = load(text.replace("RECEIVE", "c?b"), "corner.pml")
    by_hand = load("int t; " + text.replace("RECEIVE", "atomic { c?t; b = t; t = 0 }"), "corner.pml")
    for model in (direct, by_hand):
        assert explore(model, Options(por="none", as_written=True)).statistics.states == 42


def test_an_atomic_loop_that_waits_for_a_timeout() -> None:
    """pan stores 119 states, 113 where the sender's second loop is atomic, and 107 where the receiver's is."""
    text = """mtype = { msg0, msg1, ack0, ack1 };
        chan sender = [1] of { byte }; chan receiver = [1] of { byte };
        proctype Sender() { byte any;
          again: do :: receiver!msg1; if :: sender?ack1 -> break :: sender?any :: timeout fi od;
          SEND { do :: receiver!msg0; if :: sender?ack0 -> break :: sender?any :: timeout fi od };
          goto again }
        proctype Receiver() { byte any;
          again: do :: receiver?msg1 -> sender!ack1; break :: receiver?msg0 -> sender!ack0 :: receiver?any od;
          RECEIVE { do :: receiver?msg0 -> sender!ack0; break :: receiver?msg1 -> sender!ack1 :: receiver?any od };
          goto again }
        init { atomic { run Sender(); run Receiver() } }"""
    for send, receive, states in (("", "", 119), ("atomic", "", 113), ("", "atomic", 107)):
        model = load(text.replace("SEND", send).replace("RECEIVE", receive), "corner.pml")
        assert explore(model, Options(por="none", as_written=True)).statistics.states == states


@pytest.mark.parametrize("asked", ["len(v) <= 2", "len(q[i]) <= 2", "q[i] != 0", "q[i]?[7]", "v?[7]"])
def test_an_expression_about_no_channel_has_no_value(asked: str) -> None:
    """SPIN: ref to uninitialized chan name, or invalid array index"""
    model = load("chan v; chan q[2] = [2] of {byte}; byte i = 2; active proctype P() { v = q[0]; i = 1 }", "corner.pml")
    assert model.parse_expression is not None
    interpreter, expression = Interpreter(model), model.parse_expression(asked)
    with pytest.raises(Failure):
        interpreter.evaluate(expression, interpreter.initial)
    last = interpreter.initial
    for _ in range(2):
        (step,) = interpreter.steps(last)
        last = step.target
    assert interpreter.evaluate(expression, last) in (0, 1)
