"""Models in Python that do what no model should: they are refused, and never judged by what they say or raise."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import mule
from tests.cli.conftest import Mule

MODEL = """from mule.actors import *
class A(Process):
    n: int = 0
    @step(when=lambda self: self.n < 3)
    def go(self):
        {body}
def system():
    a = A()
    return {made}
{at_once}
"""
FINE = {"body": "self.n = (self.n + 1) % 3", "made": "System([a])", "at_once": ""}
STRANGE = {
    "no Exception": "class E(BaseException): pass\nraise E('x')",
    "GeneratorExit": "raise GeneratorExit",
    "CancelledError": "raise __import__('asyncio').CancelledError",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "a group": "raise BaseExceptionGroup('a', [KeyboardInterrupt()])",
    "no words": "class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
    "words that are none": "class E(Exception):\n    def __str__(self): return 5\nraise E",
    "words that end": "class E(Exception):\n    def __str__(self): raise SystemExit(0)\nraise E",
    "many words": "raise ValueError('a\\n' * 10**6)",
    "commands for a terminal": "raise ValueError('\\x1b[31mred\\x1b]0;title\\x07\\r')",
    "a name of many lines": "class E(Exception): pass\nE.__name__ = '\\x1b[31m\\n' * 9\nraise E",
    "a message of many lines": "from mule import MuleError\nraise MuleError('\\x1b[31m\\n' * 9)",
}


def written(folder: Path, **changed: str) -> str:
    model = folder / "m.py"
    model.write_text(MODEL.format(**FINE | changed))
    return str(model)


def alone(*words: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, which a model may leave in any state, with little time and memory."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return subprocess.run(
        [sys.executable, "-m", "mule", *words], capture_output=True, text=True, check=False, preexec_fn=limited
    )


@pytest.mark.parametrize("raised", STRANGE)
@pytest.mark.parametrize("where", ["as it is read", "in system()"])
def test_whatever_is_raised_is_bad_input(tmp_path: Path, raised: str, where: str) -> None:
    code = STRANGE[raised]
    if where == "in system()":
        code = "def system():\n" + "\n".join(f"    {line}" for line in code.split("\n"))
    told = alone("check", written(tmp_path, at_once=code))
    assert told.returncode == 2
    assert told.stdout == ""
    assert "m.py" in told.stderr
    assert told.stderr.startswith("mule: ")
    assert len(told.stderr.splitlines()) <= 5
    assert max(map(len, told.stderr.splitlines())) <= 320
    assert told.stderr.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ("System([a], name='\\x1b[31m')", "a name in a system is a text of one line"),
        ("System([A(name='a\\nb')])", "a name in a system is a text of one line"),
        ("System([a], invariants={'\\x1b[31m': lambda: True})", "a name in a system is a text of one line"),
        ("System([a], propositions={5: lambda: True})", "a name in a system is a text of one line"),
        ("System(iter(A, 1))", "1,000 processes"),
        ("System(iter(int, 1))", "a system has at most 1,000 processes"),
        ("System([a], ltl={'a': 5})", "ltl takes a text"),
        ("System([a], invariants={'a': 5})", "5 is no function"),
        ("System([a], invariants=[type('C', (), {'__call__': print})()])", "is no function"),
        ("System([type('C', (), {'__repr__': lambda self: 1 // 0})()])", "is none: derive its class from Process"),
    ],
)
def test_systems_of_strange_parts(mule: Mule, tmp_path: Path, made: str, message: str) -> None:
    told = mule("check", written(tmp_path, made=made))
    assert told.status == 2
    assert message in told.err
    assert told.err.replace("\n", "").isprintable()


@pytest.mark.parametrize("kind", ["actors", "processes"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("s.invariants = 5", "give invariants to System"),
        ("s.invariants['a'] = 5", "TypeError"),
        ("s.ltl = s.propositions = None", "give ltl to System"),
        ("s.processes = s.tasks = s.tasks = None", "to System"),
        ("s.name = 5", "a name in a system is a text"),
    ],
)
def test_a_system_stays_as_it_was_made(mule: Mule, tmp_path: Path, kind: str, change: str, message: str) -> None:
    made = {"actors": "class A(Process): pass", "processes": "async def a(): await pause()"}[kind]
    one = {"actors": "A()", "processes": "a()"}[kind]
    model = tmp_path / "m.py"
    model.write_text(
        f"from mule.{kind} import *\n{made}\ndef system():\n    s = System([{one}])\n    {change}\n    return s\n"
    )
    told = mule("check", str(model))
    assert told.status == 2
    assert "m.py:5: " in told.err
    assert message in told.err


@pytest.mark.parametrize("command", [("check",), ("show",), ("graph",), ("simulate", "--seed", "1"), ("relations",)])
def test_what_a_model_is_called_commands_no_terminal(mule: Mule, tmp_path: Path, command: tuple[str, ...]) -> None:
    net = tmp_path / "n.pnml"
    net.write_text(
        '<pnml><net id="&#x9b;31mN" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">'
        '<place id="&#x9b;31mP"><initialMarking><text>1</text></initialMarking></place>'
        '<transition id="&#x9b;31mT&#x202e;"/><arc id="a" source="&#x9b;31mP" target="&#x9b;31mT&#x202e;"/>'
        "</page></net></pnml>"
    )
    told = mule(command[0], str(net), *command[1:])
    assert told.status in (0, 1)
    assert "31m" in told.out
    assert "\x9b" not in told.out
    assert "\u202e" not in told.out


def test_json_commands_no_terminal(mule: Mule, tmp_path: Path) -> None:
    failing = "self.n += 1\n        assert self.n < 2, '\\x9b31m'"
    told = mule("check", written(tmp_path, body=failing), "--json")
    assert told.status == 1
    assert "\x9b" not in told.out
    assert "\x9b31m" in json.dumps(json.loads(told.out), ensure_ascii=False)


@pytest.mark.parametrize(
    "at_once",
    [
        "print('holds')",
        "import sys; sys.stdout.close()",
        "import sys; sys.stdout = sys.stderr = None",
        "import os; os.chdir('/')",
        "import sys; sys.setrecursionlimit(60)",
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)",
        "import signal; signal.signal(signal.SIGALRM, print); signal.setitimer(signal.ITIMER_REAL, 1e-3, 1e-3)",
        "import signal; signal.signal(signal.SIGALRM, lambda *_: 1 // 0); signal.setitimer(signal.ITIMER_REAL, 0.1)",
        "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (3, r.getrlimit(r.RLIMIT_NOFILE)[1]))",
        "import resource as r; r.setrlimit(r.RLIMIT_DATA, (3, r.getrlimit(r.RLIMIT_DATA)[1]))",
    ],
)
def test_what_a_program_changes_is_put_back(tmp_path: Path, at_once: str) -> None:
    told = alone("check", written(tmp_path, at_once=at_once), "--json")
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["verdict"] == "holds"


def test_a_timer_of_whoever_calls_goes_on(tmp_path: Path) -> None:
    signal.setitimer(signal.ITIMER_VIRTUAL, 1000)
    try:
        mule.load(written(tmp_path))
        assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] > 0
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def test_a_limit_that_cannot_be_taken_back(tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))"
    told = alone("check", written(tmp_path, at_once=limit))
    assert told.returncode == 0 or "m.py: it has limited Mule, too (RLIMIT_NOFILE)" in told.stderr
    assert told.returncode in (0, 2)


def test_data_that_is_deeper_than_calls_may_go(tmp_path: Path) -> None:
    deep = "import sys\nsys.setrecursionlimit(10**9)\nx = ()\nfor _ in range(100_000): x = (x,)"
    told = alone("check", written(tmp_path, body="self.n = len(x)", at_once=deep))
    assert told.returncode == 2
    assert "m.py:6:" in told.stderr
    assert "nested too deeply" in told.stderr


@pytest.mark.parametrize(
    ("body", "at_once", "message"),
    [
        (
            "self.n = f(30, self.n) % 3",
            "def f(n, m): return m if n == 0 else (f(n - 1, m + m) if m > n else f(n - 1, m + 1))",
            "this value is computed in too many steps",
        ),
        ("self.n = self.x[0]", "l = []\nl.append(l)\nA.__init__ = lambda self: self.__dict__.update(x=l, name='')", ""),
    ],
)
def test_what_would_never_end(tmp_path: Path, body: str, at_once: str, message: str) -> None:
    told = alone("check", written(tmp_path, body=body, at_once=at_once))
    assert told.returncode == 2
    assert message in told.stderr


def test_a_long_list_at_a_place_that_is_not_known(tmp_path: Path) -> None:
    model = tmp_path / "m.py"
    model.write_text(
        "from mule.processes import *\n"
        "class S(Shared):\n    n: int = 0\n    l: list[int]\n"
        "async def work(s):\n    s.l[s.n] = 1\n    s.n = (s.n + 1) % 3000\n    await pause()\n"
        "def system():\n    s = S(l=[0] * 3000)\n    return System([work(s)])\n"
    )
    told = alone("check", str(model))
    assert told.returncode == 2
    assert "m.py:7:5: more than 100,000 steps" in told.stderr


@pytest.mark.parametrize(
    "text",
    ["\n" * 300_000 + "x", "<!-- a -->" * 50_000 + "x", "/* " * 300_000],
    ids=["empty lines", "comments of XML", "comments that never end"],
)
def test_the_language_of_a_text_that_is_none(tmp_path: Path, text: str) -> None:
    model = tmp_path / "m"
    model.write_text(text)
    told = alone("check", str(model))
    assert told.returncode == 2
    assert "cannot tell the language" in told.stderr


def test_a_long_chain_of_references(tmp_path: Path) -> None:
    net = tmp_path / "n.pnml"
    chain = "".join(f'<referencePlace id="r{n}" ref="r{n + 1}"/>' for n in range(50_000))
    net.write_text(
        '<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">'
        f'<place id="p"/><transition id="t"/>{chain}<referencePlace id="r50000" ref="p"/>'
        '<arc id="a" source="r0" target="t"/></page></net></pnml>'
    )
    told = alone("check", str(net), "--deadlock")
    assert told.returncode == 1, told.stderr


def test_a_width_that_is_no_number(mule: Mule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "²")
    assert mule("check", written(tmp_path)).status == 0


@pytest.mark.parametrize("condition", ["1 << 99999999999", "(1 << 64) != 0", "(1 << 3) != 8"])
def test_a_shift_by_more_bits_than_there_are(tmp_path: Path, condition: str) -> None:
    model = tmp_path / "m.pml"
    model.write_text(f"#if {condition}\ninit {{ assert(false) }}\n#else\ninit {{ skip }}\n#endif\n")
    assert alone("check", str(model)).returncode == 0


@pytest.mark.parametrize("more", [(), ("--workers", "2"), ("--checkpoint", "run")])
def test_an_automaton_of_very_many_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    model = tmp_path / "m.pml"
    formula = " && ".join(f"[]<>(x == {n})" for n in range(14))
    model.write_text(f"ltl p {{ {formula} }}\nint x;\ninit {{ skip }}\n")
    told = alone("check", str(model), *more)
    assert told.returncode == 1, told.stderr


def test_a_long_chain_of_jumps(tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    chain = ";\n".join(f"l{n}: goto l{n + 1}" for n in range(20_000))
    model.write_text(f"init {{ {chain};\nl20000: skip }}\n")
    assert alone("check", str(model)).returncode == 0


@pytest.mark.parametrize("kind", ["d_step", "atomic"])
@pytest.mark.parametrize(
    "how",
    ["", "--search dfs", "--search astar", "--workers 2", "--store compact", "--ltl <>(x==-1)"],
)
def test_the_limit_on_states_ends_a_step_that_does_not_end(mule: Mule, tmp_path: Path, kind: str, how: str) -> None:
    model = tmp_path / "m.pml"
    model.write_text(f"int x; init {{ {kind} {{ do :: x < 2000000000 -> x++ :: else -> break od }} }}\n")
    told = mule("check", str(model), "--max-states", "10", *how.split(), "--json")
    assert told.status == 3, told.err
    assert json.loads(told.out)["states"] <= 10


@pytest.mark.parametrize("closed", [True, False])
def test_elements_in_each_other_without_end(mule: Mule, tmp_path: Path, closed: bool) -> None:
    net = tmp_path / "n.pnml"
    net.write_text('<pnml>\n<net id="n">' + "<x>" * 200_000 + closed * ("</x>" * 200_000 + "</net></pnml>"))
    told = mule("check", str(net))
    assert told.status == 2
    assert "n.pnml:2:300007: this element is nested too deeply" in told.err


def test_text_between_many_elements(mule: Mule, tmp_path: Path) -> None:
    net = tmp_path / "n.pnml"
    net.write_text(
        '<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g"><place id="p">'
        "<initialMarking><text>1<a/>2</text></initialMarking></place></page></net></pnml>"
    )
    told = mule("show", str(net))
    assert "12" in told.out


def test_words_that_are_no_text(mule: Mule, tmp_path: Path) -> None:
    model = tmp_path / "\udcc3.pml"
    model.write_text("init { assert(false) }\n")
    page = tmp_path / "page.html"
    assert mule("check", str(model), "--report", str(page)).status == 1
    assert "\\udcc3" in page.read_text()
    told = mule("automaton", "\udcc3")
    assert told.status == 2
    assert "formula:1:1: this formula is no text" in told.err
