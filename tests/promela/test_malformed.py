"""What is wrong with a program is said once, with its line; no input ends in a traceback.

`loaded.txt` has programs that SPIN and we accept, `not_loaded.txt` programs that both refuse. What only we refuse is
listed here, with the reason in the message.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from mule.cli.main import main
from mule.errors import MuleError, Place
from mule.frontends.promela import load
from mule.frontends.promela.lexer import KEYWORDS, TYPES
from tests.promela.corpus import CORPUS, needs_corpus, read
from tests.promela.with_spin import SPIN, snippets, spin_accepts

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

DAMAGED = ["Samples/p329.pml", "Tests/leader", "Tests/snoopy", "Tests/mobile1", "jspin-examples/frogs.pml"]
WORD = re.compile(r"[A-Za-z_]\w*")
TOKEN = re.compile(r"[A-Za-z_]\w*|\d+|\S")


def complaint(text: str) -> str:
    with pytest.raises(MuleError) as caught:
        load(text, "m.pml")
    assert caught.value.place is not None
    assert caught.value.place.line is not None
    return str(caught.value)


@pytest.mark.parametrize("text", snippets("loaded.txt"))
def test_accepted(text: str) -> None:
    assert load(text, "m.pml").processes


@pytest.mark.parametrize("text", snippets("not_loaded.txt"))
def test_rejected(text: str) -> None:
    complaint(text)


@pytest.mark.skipif(SPIN is None, reason="spin is not installed")
@pytest.mark.parametrize(("file", "verdict"), [("loaded.txt", True), ("not_loaded.txt", False)])
def test_spin_says_the_same(file: str, verdict: bool, tmp_path: Path) -> None:
    assert [text for text in snippets(file) if spin_accepts(text, tmp_path) != verdict] == []


ONLY_OURS = [
    ("byte x = 1/0; init { skip }", "m.pml:1:6: `x` has no initial value: an index is out of range, or it divides by"),
    ("init { skip } init { skip }", "m.pml:1:15: `init` is declared twice"),
    ("byte b[100000]; init { skip }", "m.pml:1:6: the array `b` has 100000 elements, expected 1 to 65536"),
    ("byte c; init { len(c) == 1 }", "m.pml:1:20: `c` is no channel"),
    ("chan c = [1] of { byte }; init { c?_pid }", "m.pml:1:36: `_pid` cannot be assigned to"),
    ("active [200] proctype P() { skip } active [56] proctype Q() { skip }", "there can be at most 255 processes"),
    ("chan c = [-1] of {byte}; init { skip }", "m.pml:1:10: a channel of -1 messages with 1 fields"),
    ("byte x; byte y[x]; init { skip }", "m.pml:1:16: `x` has no initial value that could be a constant"),
    ("proctype P() { skip } init { byte x; x = run P() + run P() }", "a statement can create only one process"),
    ("proctype P() { skip } init { byte i; for (i : 1 .. run P()) { skip } }", "cannot create a process"),
    ("byte x; never { x = 1 } init { skip }", "m.pml:1:17: a never claim only looks"),
    ("active proctype P() { byte x; skip } active proctype Q() { P:y == 1 }", "`P` has no variable `y`"),
]


@pytest.mark.parametrize(("text", "message"), ONLY_OURS)
def test_what_only_we_refuse(text: str, message: str) -> None:
    assert message in complaint(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("init { x = 1 }", "m.pml:1:8: `x` is not declared"),
        ("byte x;\ninit {\n byte x;\n x = 1 }", "m.pml:3:7: `x` is declared twice, first in line 1"),
        ("init { if :: x = 1 fi; byte x }", "m.pml:1:14: `x` is not declared"),
        ("byte y = y; init { skip }", "m.pml:1:10: `y` is not declared"),
        ("init { run Q() }", "m.pml:1:8: there is no proctype `Q`"),
        ("proctype P(byte a) { skip } init { run P() }", "m.pml:1:36: `P` is given 0 arguments, expected 1"),
        ("typedef T { byte a }; T t; init { t.b = 1 }", "m.pml:1:37: the type `T` has no field `b`"),
        ("byte t; init { t.b = 1 }", "m.pml:1:18: `t` is no structure: it has no field `b`"),
        ("typedef T { byte a }; T t; init { t = 1 }", "m.pml:1:35: `t` is a whole structure, expected one of its"),
        ("byte b; init { b[1] = 1 }", "m.pml:1:16: `b` is no array"),
        ("byte b[3]; init { b = 1 }", "m.pml:1:19: `b` is an array: it needs an index"),
        ("byte b[0]; init { skip }", "m.pml:1:6: the array `b` has 0 elements, expected 1 to 65536"),
        ("chan c = [1] of {byte}; byte x; init { x = c + 1 }", "m.pml:1:44: `c` is a channel, expected a number"),
        ("chan c = [1] of {byte}; init { c = 1 }", "m.pml:1:32: `c` is a channel: it cannot be set to a number"),
        ("byte c; init { c!1 }", "m.pml:1:16: `c` is no channel"),
        ("chan c = [1] of {byte}; init { c!1,2 }", "2 fields are sent, but no channel takes more than 1"),
        ("init { _pid = 1 }", "m.pml:1:8: `_pid` cannot be assigned to"),
        ("init { byte x; x = _ }", "m.pml:1:20: `_` takes values, it has none"),
        ("init { goto L; d_step { skip; L: skip } }", "m.pml:1:8: no jump can lead into a d_step, or out of one"),
        ("init { d_step { skip; goto L }; L: skip }", "m.pml:1:23: no jump can lead into a d_step, or out of one"),
        ("proctype P() { skip } init { d_step { run P(); skip } }", "a d_step cannot create processes: use atomic"),
        ("init { L: goto L }", "m.pml:1:11: this `goto` leads nowhere but to itself"),
        ("byte x; init { byte i; for (i in x) { skip } }", "m.pml:1:34: `x` is neither an array nor a channel"),
        ("init { byte i; for (i : 3 .. 1) { skip } }", "m.pml:1:25: the range begins with 3, after its end 1"),
        ("init { np_ }", "m.pml:1:8: `np_` can only be used in a never claim or an LTL property"),
        ("init { do :: end: true od }", "m.pml:1:14: the label `end` must stand before the `do`, not in an option"),
        (
            "init { if :: L: accept: skip fi }",
            "m.pml:1:17: the label `accept` must stand before the `if`, not in an option",
        ),
        ("active [256] proctype P() { skip }", "m.pml:1:1: there can be at most 255 processes"),
        ("mtype = { a, a }; init { skip }", "m.pml:1:1: a name stands twice in this mtype"),
        ("mtype = {u}; mtype:x = {a}; mtype:x b; init { b = u }", "m.pml:1:51: `u` is no constant of mtype:x"),
        ("proctype Q() { L: skip } active proctype P() { Q@M }", "there is no label `M` in proctype `Q`"),
        ("byte x;", "m.pml:1:1: nothing ever runs: there is neither `init` nor an `active proctype`"),
        ('#include "nothere.pml"\ninit { skip }', "m.pml:1:2: cannot find the file `nothere.pml`"),
    ],
)
def test_messages(text: str, message: str) -> None:
    assert message in complaint(text)


HANDSHAKE = "active proctype P() { c!1 } active proctype Q() { c?_ }"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"chan c = [0] of {{byte}}; {HANDSHAKE.replace('()', '() priority 2', 1)}",
            "m.pml:1:10: a program with priorities cannot have rendezvous channels: give this one room for a message",
        ),
        ("init { chan c = [0] of {byte}; _priority = 2 }", "m.pml:1:17: a program with priorities cannot have"),
        (
            f"chan c = [0] of {{byte}}; {HANDSHAKE} never {{ do :: enabled(0) od }}",
            "`enabled` cannot be used beside rendezvous channels: give each channel room for a message",
        ),
        (f"chan c = [0] of {{byte}}; {HANDSHAKE.replace('c!1', 'c!1; enabled(1)')}", "`enabled` cannot be used beside"),
    ],
)
def test_what_spins_verifier_has_not_beside_rendezvous_channels(text: str, message: str) -> None:
    """gcc: use of priorities cannot be combined with rendezvous; spin: error, cannot use 'enabled()'"""
    assert message in complaint(text)
    assert load(text.replace("[0]", "[1]"), "m.pml").processes


def test_code_that_never_runs_is_checked_too() -> None:
    assert "`x` is not declared" in complaint("proctype Q() { x = 1 } init { skip }")
    assert "`x` is not declared" in complaint("init { goto L; x = 1; L: skip }")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "typedef T0 { byte a; byte b };"
            + "".join(f"typedef T{n} {{ T{n - 1} a; T{n - 1} b }};" for n in range(1, 40))
            + "T39 x; init { skip }",
            "numbers, expected at most 65536",
        ),
        ("typedef T { byte a[60000] }; T x[60000]; init { skip }", "`x` consists of 3600000000 numbers"),
        ("byte a[60000]; byte b[60000]; init { skip }", "b makes the state longer than 65536 values"),
        ("active [200] proctype P() { byte a[60000]; skip }", "makes the state longer than 65536 values"),
        ("chan c[256] = [2] of {int}; init { skip }", "there are more than 255 channels"),
    ],
)
def test_too_large(text: str, message: str) -> None:
    assert message in complaint(text)


@pytest.mark.parametrize(
    "text",
    [
        "byte x; init { " + "{ " * 90 + "skip" + " } unless { x == 1; x = 2 }" * 90 + " }",
        "byte x; init { " + "if :: x == 0 -> " * 90 + "skip" + " fi" * 90 + " }",
        "byte x; init { do " + " ".join(f":: x == {n} -> x = {n + 1}" for n in range(1500)) + " :: else -> break od }",
        "byte x; init { x = " + "+".join(["x"] * 2000) + " }",
        "byte x; init { atomic { " + ";".join(["x++"] * 1000) + " } }",
        "byte x; init { atomic { " + ";".join(["if :: x++ :: skip fi"] * 100) + " } }",
        "byte x0 = 1; " + "".join(f"byte x{n} = x{n - 1}; " for n in range(1, 2000)) + "init { skip }",
    ],
)
def test_deep_and_long_programs_are_read(text: str) -> None:
    assert load(text, "m.pml").transitions


# damaged models -------------------------------------------------------------------------------------------------------


def damaged(file: str, spans: list[tuple[int, int]], new: str, count: int) -> int:
    """How many of the changed models are refused; each of those with a line."""
    text = read(file)
    refused = 0
    for start, end in random.Random(file).sample(spans, min(count, len(spans))):
        place: Place | None = Place(file, 1)
        try:
            load(text[:start] + new + text[end:], str(CORPUS / file))
        except MuleError as error:
            refused += 1
            place = error.place
        assert place is not None
        assert place.line is not None
    return refused


def words(file: str, *, keywords: bool) -> list[tuple[int, int]]:
    known = KEYWORDS | TYPES
    return [match.span() for match in WORD.finditer(read(file)) if (match.group() in known) == keywords]


@needs_corpus
@pytest.mark.parametrize("file", DAMAGED)
def test_truncated(file: str) -> None:
    length = len(read(file))
    ends = [(match.end(), length) for match in TOKEN.finditer(read(file))]
    assert damaged(file, ends, "", 40) > 30


@needs_corpus
@pytest.mark.parametrize("file", DAMAGED)
def test_each_keyword_deleted_in_turn(file: str) -> None:
    assert damaged(file, words(file, keywords=True), "", 60) > 5


@needs_corpus
@pytest.mark.parametrize("file", DAMAGED)
def test_names_that_nobody_declared(file: str) -> None:
    assert damaged(file, words(file, keywords=False), "undeclared_", 60) > 5


# the command ----------------------------------------------------------------------------------------------------------


def test_the_command_says_it_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.pml"
    file.write_text("byte x;\nactive proctype P() {\n  y = 1\n}\n")
    assert main(["check", str(file)]) == 2
    said = capsys.readouterr()
    assert said.err.splitlines()[0] == f"mule: {file}:3:3: `y` is not declared"
    assert said.out == ""
