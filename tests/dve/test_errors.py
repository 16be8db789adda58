"""Bad input: every message says where, what is wrong and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.errors import MuleError
from mule.frontends import load as load_file
from mule.frontends.dve import load

P = "process P { state s, t; init s; trans s -> t {}; }\n"


def message(text: str) -> str:
    with pytest.raises(MuleError) as caught:
        load(text, "m.dve")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "m.dve:1:1: expected `system async;`, which ends every DVE model, found end of file"),
        (P, "m.dve:2:1: expected `system async;`, which ends every DVE model, found end of file"),
        ("system async;", "m.dve:1:1: expected a process: a model has at least one, found the keyword `system`"),
        (
            P + "system sync;",
            "m.dve:2:1: synchronous systems (`system sync`) are not supported, only `system async`",
        ),
        (P + "system async; byte x;", "m.dve:2:15: expected the end of the file after the system line, found"),
        ("foo;", "m.dve:1:1: expected a declaration, `channel`, `process` or `system`, found `foo`"),
        ("byte 3;", "m.dve:1:6: expected the name of a variable, found `3`"),
        ("byte x y;", "m.dve:1:8: expected `,` or `;`, found `y`"),
        ("byte guard;", "m.dve:1:6: expected the name of a variable, found the keyword `guard`"),
        ("byte x = ;", "m.dve:1:10: expected an expression, found `;`"),
        ("byte x = (1 + 2;", "m.dve:1:16: expected an operator, or `)` for the bracket opened at line 1, found `;`"),
        ("byte a[2;", "m.dve:1:9: expected `]`, found `;`"),
        ("byte x = 3 $ 4;", "m.dve:1:12: unexpected character '$'"),
        ("byte x = 12ab;", "m.dve:1:10: `12ab` is neither a number nor a name"),
        ("byte x; /* open", "m.dve:1:9: this comment is never closed: expected `*/`"),
        ("int x = 99999999999;", "m.dve:1:9: the number 99999999999 is too large: numbers have 32 bits"),
        ("int x = 2147483648;", "m.dve:1:9: the number 2147483648 is too large: numbers have 32 bits"),
        ("byte x = 256;", "m.dve:1:10: 256 does not fit into x: the type byte holds 0 to 255"),
        ("int x = -32769;", "m.dve:1:9: -32769 does not fit into x: the type int holds -32768 to 32767"),
        ("byte x; byte x;", "m.dve:1:14: x is already declared, as a variable, at line 1"),
        ("byte x;\nchannel x;", "m.dve:2:9: x is already declared, as a variable, at line 1"),
        ("byte x = y;", "m.dve:1:10: there is no variable y"),
        ("byte y, x = y;", "m.dve:1:13: expected a constant as the initial value of x"),
        ("const byte k;", "m.dve:1:12: the constant k needs a value"),
        ("byte a[0];", "m.dve:1:8: an array needs at least one element, but a has 0"),
        ("byte a[-1];", "m.dve:1:8: an array needs at least one element, but a has -1"),
        ("byte a[1000000000];", "m.dve:1:8: the array a is too large: 1000000000 elements, at most 65536"),
        ("byte a[60000], b[60000];", "m.dve:1:16: b makes the state longer than 65536 values"),
        ("byte a[2] = {1, 2, 3};", "m.dve:1:20: too many values: a has 2 elements"),
        ("byte a[2] = 1;", "m.dve:1:13: expected a list of values in braces for a"),
        ("byte a = {1};", "m.dve:1:11: expected one value for a"),
        ("byte a[1/0];", "m.dve:1:8: the size of a has no value"),
        ("channel c[3];", "m.dve:1:10: expected `,` or `;` (a channel with a capacity needs the types of its messages"),
        ("channel {byte} c;", "m.dve:1:17: expected the capacity of the typed channel, such as `[0]`, found `;`"),
        ("channel {long} c[1];", "m.dve:1:10: expected the type `byte` or `int`, found `long`"),
        ("channel {byte} c[-1];", "m.dve:1:18: the capacity of c is -1, expected 0 to 65536"),
        ("channel {byte} c[66000];", "m.dve:1:18: the capacity of c is 66000, expected 0 to 65536"),
        ("channel {byte, byte} c[60000];", "m.dve:1:22: c.1 makes the state longer than 65536 values"),
    ],
)
def test_declarations(text: str, expected: str) -> None:
    rest = "" if "system" in text or text in ("", P) else "\n" + P + "system async;"
    assert message(text + rest).startswith(expected)


def test_a_file_that_ends_after_accept() -> None:
    expected = "m.dve:1:36: expected the name of a state, found end of file"
    assert message("process P { state s; init s; accept").startswith(expected)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("state s; trans;", "9: process P needs an `init` line with its first state"),
        ("", "9: process P needs `state` and `init` lines"),
        ("state s, s; init s;", "22: s is already declared, as a state, at line 1"),
        ("state start; init strat;", "31: process P has no state strat; did you mean start?"),
        ("state s; init s; init s;", "35: process P has a second `init`"),
        ("state s; init s; accept q;", "37: process P has no state q"),
        ("state s; init s; accept rabin (s);", "37: rabin acceptance is not supported, only buchi"),
        ("state s; init s; commit q;", "37: process P has no state q"),
        ("state s; init s; assert q: 1;", "37: process P has no state q"),
        ("state s; init s; trans s -> q {};", "41: process P has no state q"),
        ("state s; init s; trans q -> s {};", "36: process P has no state q"),
        ("state s; init s; trans -> s {};", "36: expected the state where a transition starts, found `->`"),
        ("state s; init s; trans s => {s: 1};", "38: probabilistic transitions (`=>`) are not supported"),
        ("state s; init s; trans s -> s { effect x = 1 };", "58: expected an operator, `,` or `;` after an effect"),
        ("state s; init s; trans s -> s { guard 1 };", "53: expected an operator, or `;` after the guard, found `}`"),
        (
            "state s; init s; trans s -> s { effect x = 1; guard 1; };",
            "59: expected `guard`, `sync`, `effect` (at most one of each, in this order) or `}`, found the keyword",
        ),
        ("state s; init s; trans s -> s {}", "46: expected `,` or `;`, found `}`"),
        ("state s; init s; foo;", "30: expected a declaration, `state`, `init`"),
        ("state s; init s; trans s -> s { sync c; };", "51: expected `!` (send) or `?` (receive), found `;`"),
        ("state s; init s; trans s -> s { sync d!; };", "50: there is no channel d"),
        ("state s; init s; trans s -> s { sync chnl!; };", "50: there is no channel chnl; did you mean chan?"),
        ("state s; init s; trans s -> s { sync x!; };", "50: expected a channel, but x is a variable"),
        ("state s; init s; trans s -> s { sync c!1; };", "50: messages of c have 2 values (as declared), but this one"),
        (
            "state s; init s; trans s -> s { sync chan!1; }, s -> s { sync chan?; };",
            "75: messages of chan have 1 value (as in its first use), but this one has no value",
        ),
        ("state s; init s; trans s -> s { sync chan?x + 1; };", "55: expected a variable that receives the value"),
        ("state s; init s; trans s -> s { sync chan?k; };", "55: k is a constant and cannot be assigned to"),
        ("state s; init s; trans s -> s { effect k = 1; };", "52: k is a constant and cannot be assigned to"),
        ("state s; init s; trans s -> s { effect kk[0] = 1; };", "52: kk is a constant and cannot be assigned to"),
        ("state s; init s; trans s -> s { effect 3 = 1; };", "52: expected a variable to assign to, found `3`"),
        ("state s; init s; trans s -> s { effect x + 1 = 1; };", "52: only a variable or an element of an array can"),
        (
            "state s; init s; trans s -> s { effect countr = 1; };",
            "52: there is no variable countr; did you mean counter?",
        ),
        ("state s; init s; trans s -> s { effect x[0] = 1; };", "52: x is not an array"),
        ("state s; init s; trans s -> s { guard k[0] == 1; };", "51: k is not an array"),
        ("state s; init s; trans s -> s { guard s; };", "51: s is a state of P: write P.s"),
        ("state s; init s; trans s -> s { guard Q.s; };", "51: there is no process Q"),
        ("state s; init s; trans s -> s { guard x.s; };", "51: expected a process, but x is a variable"),
        ("state s; init s; trans s -> s { guard P.q; };", "53: process P has no state q"),
        ("byte z; state s; init s; trans s -> s { guard P.z; };", "61: z is a variable of process P: write P->z"),
        ("state s; init s; trans s -> s { guard P->s; };", "51: s is a state of P: write P.s"),
        ("state s; init s; trans s -> s { guard P->y == 1; };", "51: there is no variable in process P named y"),
        ("state s; init s; trans s -> s { guard chan == 1; };", "51: expected a variable, but chan is a channel"),
    ],
)
def test_processes(body: str, expected: str) -> None:
    text = f"process P {{ {body} }}\nbyte x, counter; const byte k = 1; const byte kk[1] = {{1}};\n"
    text += "channel chan; channel {byte, byte} c[0];\nsystem async;"
    assert message(text).startswith(f"m.dve:1:{expected}")


def test_a_property_process_cannot_use_channels() -> None:
    text = "channel c;\nprocess P { state s; init s; trans s -> s { sync c?; }; }\nsystem async property P;"
    assert message(text) == "m.dve:2:50: a property process only observes: it cannot use channels"


def test_a_property_process_cannot_assign() -> None:
    text = "byte x;\nprocess P { byte k; state s; init s; trans s -> s { guard k < 3; effect k = k + 1; }; }\n"
    expected = (
        "m.dve:2:73: a property process only observes: it cannot assign; what it is to remember are states of its own"
    )
    assert message(text + "system async property P;") == expected


def test_a_property_process_has_no_assertions() -> None:
    text = "process P { state s; init s; assert s: 0; trans s -> s {}; }\nsystem async property P;"
    assert message(text) == "m.dve:1:37: a property process only observes: it has no assertions"


def test_a_property_process_commits_nobody() -> None:
    text = "process P { state s; init s; commit s; trans s -> s {}; }\nsystem async property P;"
    assert message(text) == "m.dve:1:37: a property process only observes: it commits nobody"


def test_the_system_does_not_look_at_the_property_process() -> None:
    text = "process P { state s; init s; trans s -> s { guard N.n; }; }\n"
    text += "process N { state n; init n; trans n -> n {}; }\nsystem async property N;"
    expected = "m.dve:1:51: N is the property process: it only observes, and is no part of the system"
    assert message(text) == expected


def test_an_unknown_property_process() -> None:
    assert message(P + "system async property LTL;") == "m.dve:2:23: there is no process LTL"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1:1: expected an expression, found end of file"),
        ("P.s P.t", "1:5: expected an operator or the end of the expression, found `P`"),
        ("P.r", "1:3: process P has no state r"),
        ("x == 1", "1:1: there is no variable x"),
        ("1 +", "1:4: expected an expression, found end of file"),
        ("(1", "1:3: expected an operator, or `)` for the bracket opened at line 1, found end of file"),
        ("1)", "1:2: expected an operator or the end of the expression, found `)`"),
        ("P.(1]", "1:5: expected `)`, found `]`"),
        ("1\n = 2", "2:2: expected an operator or the end of the expression, found `=`"),
        ("not " * 500 + "1", "1:1601: this expression is nested too deeply: more than 100 levels"),
    ],
)
def test_expressions_have_places_of_their_own(text: str, expected: str) -> None:
    parse = load(P + "system async;", "m.dve").parse_expression
    assert parse is not None
    with pytest.raises(MuleError) as caught:
        parse(text)
    assert str(caught.value) == f"<expression>:{expected}"


def problem(path: Path, language: str | None = None) -> str:
    with pytest.raises(MuleError) as caught:
        load_file(path, language)
    return str(caught.value).replace(f"{path}: ", "")


def test_files_that_are_no_models(tmp_path: Path) -> None:
    assert problem(tmp_path / "none.dve") == "there is no such file"
    (tmp_path / "folder.dve").mkdir()
    assert problem(tmp_path / "folder.dve") == "this is a directory, expected a file"
    empty = tmp_path / "empty.dve"
    empty.write_text(" \n")
    assert problem(empty) == "the file is empty, expected a model"
    binary = tmp_path / "binary.dve"
    binary.write_bytes(b"\x7fELF\0\0")
    assert problem(binary) == "this is a binary file, expected text"
    for name, told in (("plain", "no extension: expected one of"), ("model.xyz", "the extension .xyz")):
        unknown = tmp_path / name
        unknown.write_text("byte x;")
        assert problem(unknown).startswith(f"cannot tell the language from {told}")
    assert problem(unknown, "klingon").startswith("unknown language klingon (--language): expected one of")
    assert problem(empty / "below.dve").startswith("the file cannot be read")


def test_the_language_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "model.txt"
    path.write_bytes(("\ufeff" + P + "system async;").replace("\n", "\r\n").encode())
    assert len(load_file(path, "dve").transitions) == 1


def test_comments_may_be_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "model.dve"
    path.write_bytes("// d\u00e1vno\n".encode("latin-1") + (P + "system async;").encode())
    assert load_file(path).transitions[0].place is not None
