"""Texts that ask for too much: a message with a place, soon, and no verdict."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Mule

HOA = """HOA: v1
States: {states}
Start: {start}
AP: 1 "left.critical"
Acceptance: {sets} Inf(0)
--BODY--
State: 0 {{{mark}}}
[{label}] {target}
--END--
"""
FINE = {"states": "1", "start": "0", "sets": "1", "mark": "0", "label": "t", "target": "0"}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"target": "99999999999"}, ":8:5: there is no state 99999999999"),
        ({"target": "9" * 5_000}, "is too large"),
        ({"start": "77"}, "there is no state 77 to start in"),
        ({"sets": "4000000000"}, ":5:24: the acceptance"),
        ({"mark": "4000000000"}, ":7:11: there is no acceptance set"),
        ({"label": "(" * 3_000 + "0" + ")" * 3_000}, "nested too deeply"),
        ({"label": "!" * 5_000 + "0"}, "nested too deeply"),
    ],
)
def test_automata(mule: Mule, examples: Path, tmp_path: Path, changed: dict[str, str], message: str) -> None:
    claim = tmp_path / "claim.hoa"
    claim.write_text(HOA.format(**FINE | changed))
    told = mule("check", str(examples / "peterson.dve"), "--claim", str(claim))
    assert told.status == 2
    assert message in told.err
    assert told.err.count("\n") <= 5
    assert max(map(len, told.err.splitlines())) < 400


@pytest.mark.parametrize("states", ["1", "30000", "4000000000"])
def test_states_that_nothing_leads_to_cost_nothing(mule: Mule, examples: Path, tmp_path: Path, states: str) -> None:
    claim = tmp_path / "claim.hoa"
    claim.write_text(HOA.format(**FINE | {"states": states}))
    assert mule("check", str(examples / "peterson.dve"), "--claim", str(claim)).status == 1


@pytest.mark.parametrize(
    "question",
    [
        ("--ltl", "(" * 20_000 + "left.critical" + ")" * 20_000),
        ("--ltl", "X " * 400 + "left.critical"),
        ("--ltl", "!" * 30_000 + "left.critical"),
        ("--ctl", "AX " * 400 + "left.critical"),
        ("--ctl", "(" * 20_000 + "left.critical" + ")" * 20_000),
    ],
)
def test_formulas(mule: Mule, examples: Path, question: tuple[str, str]) -> None:
    told = mule("check", str(examples / "peterson.dve"), *question)
    assert told.status == 2
    assert "nested too deeply" in told.err
    assert len(told.err) < 400


@pytest.mark.parametrize("question", [("--ltl", "X " * 40 + "true"), ("--ltl", "(" * 60 + "true" + ")" * 60)])
def test_formulas_that_people_write_are_fine(mule: Mule, examples: Path, question: tuple[str, str]) -> None:
    assert mule("check", str(examples / "peterson.dve"), *question).status == 0


def test_more_processes_than_there_can_be(mule: Mule, tmp_path: Path) -> None:
    model = tmp_path / "many.pml"
    model.write_text("active [2000000000] proctype p() { skip }\n")
    told = mule("check", str(model))
    assert told.status == 2
    assert "many.pml:1:1: there can be at most 255 processes" in told.err


@pytest.mark.parametrize("body", ["for i in range(10**9): self.n += 1", "self.n = len(list(range(10**9)))"])
def test_loops_of_a_handler(mule: Mule, tmp_path: Path, body: str) -> None:
    model = tmp_path / "loops.py"
    model.write_text(
        "from mule.actors import *\n"
        "class A(Process):\n"
        "    n: int = 0\n"
        "    @step(when=lambda self: self.n < 3)\n"
        "    def go(self):\n"
        f"        {body}\n"
        "def system(): return System([A()])\n"
    )
    told = mule("check", str(model))
    assert told.status == 2
    assert "loops.py:6" in told.err
    assert "more than 20,000 elements of this range" in told.err


HANDLER = """from mule.actors import *
class A(Process):
    n: int = 0
    @step(when=lambda self: self.n < 3)
    def go(self):
        self.n = {value}
def system(N: int = 1): return System([A() for _ in range(N)])
"""


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("-" * 100_000 + "1", "model.py:6: something in it is nested too deeply"),
        ("0" + " + 1" * 5_000, "model.py:6: something in it is nested too deeply"),
        ("10 ** 10 ** 9", "model.py:6:18: this number has more than 4,096 bits"),
        ("1 << 10 ** 9", "model.py:6:18: this number has more than 4,096 bits"),
        ("len([0] * 10 ** 9)", "model.py:6:22: this has more than 20,000 elements"),
        ("len('a' * 10 ** 9)", "model.py:6:22: this has more than 20,000 elements"),
    ],
)
def test_values_that_python_would_compute_for_ever(mule: Mule, tmp_path: Path, value: str, message: str) -> None:
    model = tmp_path / "model.py"
    model.write_text(HANDLER.format(value=value))
    told = mule("check", str(model))
    assert told.status == 2
    assert message in told.err
    assert len(told.err) < 600


def test_a_parameter_with_too_many_zeros(mule: Mule, tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(HANDLER.format(value="self.n + 1"))
    assert mule("check", str(model), "-D", "N=2").status == 0
    told = mule("check", str(model), "-D", "N=1000000000")
    assert told.status == 2
    assert "model.py:7: the model makes more than 1,000 processes" in told.err
    assert "'²' is no int" in mule("check", str(model), "-D", "N=²").err


SECOND = "HOA: v1\nStart: 0\nAP: 0\nAcceptance: 0 t\n--BODY--\n--END--\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.hoa", HOA.format(**FINE) + SECOND, "a.hoa:10:1: there is more than one automaton in it"),
        (
            "a.hoa",
            HOA.format(**FINE).replace("left.critical", "nobody"),
            "a.hoa:4:8: in `nobody`: there is no variable",
        ),
        ("a.hoa", HOA.format(**FINE).replace("[t] 0", "0 0 0"), "more edges without labels than there are letters"),
        ("a.never", "never { do :: true od }\nnever { skip }\n", "a.never:2:1: the never claim ends here"),
        ("a.never", "never {\n  do :: nobody od }\n", "a.never:2:9"),
    ],
)
def test_the_whole_of_a_claim_is_read(
    mule: Mule, examples: Path, tmp_path: Path, name: str, text: str, message: str
) -> None:
    claim = tmp_path / name
    claim.write_text(text)
    told = mule("check", str(examples / "peterson.dve"), "--claim", str(claim))
    assert told.status == 2
    assert message in told.err


def test_the_place_in_a_formula(mule: Mule, examples: Path) -> None:
    told = mule("check", str(examples / "peterson.dve"), "--ltl", "[] left.critical && <> nobody")
    assert "formula:1:24: in `nobody`: there is no variable nobody" in told.err


@pytest.mark.parametrize("option", ["--unknown", "--claim", "--language", "--por", "--invariant", "--cluster"])
@pytest.mark.parametrize("value", ["a" * 100_000, "local:" + "9" * 5_000, "line\n" * 1_000])
def test_messages_are_short(mule: Mule, examples: Path, option: str, value: str) -> None:
    told = mule("check", str(examples / "peterson.dve"), option, value)
    assert told.status == 2
    assert told.err.count("\n") <= 5
    assert max(map(len, told.err.splitlines())) < 320


def test_a_keyword_where_a_statement_should_be(mule: Mule, tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    for text in ("active proctype P() { inline f() { skip } }", "active proctype P() { run proctype() }"):
        model.write_text(text)
        assert mule("check", str(model)).status == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class R(LporRelations):\n    pass\n", "relations.py: the relations fail: TypeError"),
        (
            "class R(LporRelations):\n    def __init__(self, model): pass\n"
            "    def can_enable(self, a, b): return True\n    def dep(self, a, b): return a.nothing\n",
            "relations.py:5: the relations fail: AttributeError",
        ),
        ("class R(\n", "relations.py:2:8: this is not Python"),
    ],
)
def test_relations_that_fail(mule: Mule, examples: Path, tmp_path: Path, text: str, message: str) -> None:
    relations = tmp_path / "relations.py"
    relations.write_text(f"from mule.lpor import LporRelations\n{text}")
    told = mule("check", str(examples / "peterson.dve"), "--lpor", f"{relations}:R")
    assert told.status == 2
    assert message in told.err


def test_a_trail_with_a_number_that_is_too_long(mule: Mule, examples: Path, tmp_path: Path) -> None:
    trail = tmp_path / "t.json"
    trail.write_text('{"violations": [' + "9" * 5_000 + "]}")
    assert "too long" in mule("trail", str(examples / "peterson.dve"), str(trail)).err
    trail.write_text("1:0:" + "9" * 5_000)
    assert (
        "t.json:1: a number in this line is too large" in mule("trail", str(examples / "mailbox.pml"), str(trail)).err
    )


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ("Queue(10**30)", "a queue has room for at most 65536 items"),
        ("Queue(1.5)", "the bound of a queue is a whole number"),
        ("Semaphore(float('inf'))", "a semaphore begins with a whole number"),
        ("Semaphore(2**63)", "a semaphore begins with at most 2147483647"),
    ],
)
def test_shared_objects_without_end(mule: Mule, tmp_path: Path, made: str, message: str) -> None:
    model = tmp_path / "shared.py"
    model.write_text(
        "from mule.processes import *\n"
        "async def work(shared):\n    await pause()\n"
        f"def system():\n    return System([work({made})])\n"
    )
    told = mule("check", str(model))
    assert told.status == 2
    assert "shared.py:5: " in told.err
    assert message in told.err


PROTOCOL = """from __future__ import annotations
from typing import Annotated
from mule.actors import *
class M(Message):
    n: {field}
    m: Annotated[int, Range(0, 200)] = 0
class A(Process):
    x: {annotation}
    @step(when=lambda self: {condition})
    def go(self):
        {body}
def system(N: {parameter} = 1):
    return System([(a := A()){more}])
"""
GOOD = {
    **{"field": "bool = False", "annotation": "int = 0", "condition": "self.x < 3", "body": "self.x += 1"},
    **{"parameter": "int", "more": ""},
}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"annotation": "int % None = 0"}, "the annotations of A cannot be read: TypeError: unsupported operand"),
        ({"annotation": "1 // 0 = 0"}, "the annotations of A cannot be read: ZeroDivisionError: integer division"),
        ({"annotation": "'<class>' = 0"}, "the annotations of A cannot be read: "),
        ({"annotation": "Annotated[int, Range(0, 0.5)] = 0"}, "Range takes whole numbers, not 0.5"),
        ({"annotation": "Annotated[list[int], AtMost(1.5)] = []"}, "AtMost takes whole numbers, not 1.5"),
        ({"annotation": "Annotated[list[int], AtMost(10**9)] = []"}, "a list of a model cannot get longer than 4,096"),
        ({"annotation": "10**5000 = 0"}, "m.py: a number in it has more digits than Python writes"),
        ({"condition": "self.x < 10**4000"}, "m.py:9:"),
        ({"parameter": "unknown"}, "m.py:12: the annotations of system() cannot be read: NameError: name 'unknown'"),
        ({"more": ", Byzantine([M], to=[a])"}, "m.py: byzantine may send it: A has no handler for M"),
        (
            {"field": "Annotated[int, Range(0, 200)] = 0", "more": ", Byzantine([M], to=[a])"},
            "m.py: byzantine may send more than 4,096 different M: give its fields smaller ranges",
        ),
        ({"more": ", a"}, "m.py:13: a process appears twice in the system"),
    ],
)
def test_a_protocol_that_cannot_be_one(mule: Mule, tmp_path: Path, changed: dict[str, str], message: str) -> None:
    (tmp_path / "m.py").write_text(PROTOCOL.format(**GOOD | changed))
    told = mule("check", str(tmp_path / "m.py"))
    assert told.status == 2
    assert message in told.err


def test_f_strings_in_f_strings(mule: Mule, tmp_path: Path) -> None:
    """Older Pythons read no more than a few of them."""
    text = "1"
    for quote in ("'", '"', "'" * 3, '"' * 3) if sys.version_info < (3, 12) else ("'",) * 30:
        text = f"f{quote}{{{text}}}{quote}"
    (tmp_path / "m.py").write_text(PROTOCOL.format(**GOOD | {"annotation": f"{text} = 0"}))
    told = mule("check", str(tmp_path / "m.py"))
    assert told.status == 2
    assert "m.py" in told.err


def test_what_goes_wrong_inside_of_the_library_is_wrong_where_it_is_called(mule: Mule, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "from mule.processes import *\n"
        "async def work(c):\n    async with c:\n        c.notify(10**5)\n"
        "def system():\n    return System([work(Condition())])\n"
    )
    told = mule("check", str(tmp_path / "m.py"))
    assert told.status == 2
    assert "m.py:4:" in told.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--memory", "9" * 400], "argument --memory: '9999"),
        (["--workers", "65536"], "--workers is a whole number from 1 to 1024, not 65536"),
        (["--language", "sum"], "peterson.dve: unknown language sum (--language)"),
        (["--weight", "1001", "--search", "astar"], "--weight is a whole number from 1 to 1000"),
    ],
)
def test_options_that_make_no_sense(mule: Mule, examples: Path, words: list[str], message: str) -> None:
    told = mule("check", str(examples / "peterson.dve"), *words)
    assert told.status == 2
    assert message in told.err


def test_a_name_that_no_file_can_have(mule: Mule) -> None:
    told = mule("check", "1 " * 5_000)
    assert told.status == 2
    assert "the file cannot be read: File name too long" in told.err
    assert len(told.err) < 200


def test_trails_that_are_none(mule: Mule, examples: Path, tmp_path: Path) -> None:
    model, trail = str(examples / "broken_mutex.dve"), tmp_path / "t.json"
    found = json.loads(mule("check", model, "--json").out)
    found["violations"][0]["trail"][0]["transition"] = float("inf")
    trail.write_text(json.dumps(found))
    told = mule("trail", model, str(trail))
    assert told.status == 2
    assert "t.json: the trail in it cannot be read" in told.err


def test_only_a_violation_can_be_shortened(mule: Mule, examples: Path, tmp_path: Path) -> None:
    model, trail = str(examples / "broken_mutex.dve"), tmp_path / "t.json"
    found = json.loads(mule("check", model, "--json").out)
    violation = found["violations"][0]
    violation["trail"] = violation["trail"][:1]
    trail.write_text(json.dumps(found))
    told = mule("trail", model, str(trail), "--shorten")
    assert told.status == 2
    assert "t.json: only a trail to a violation can be made shorter" in told.err
