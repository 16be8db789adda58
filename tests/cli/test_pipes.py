"""Models that come through a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mule.cli.main import main

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DVE = (ROOT / "examples" / "peterson.dve").read_text()
PROMELA = (ROOT / "examples" / "mailbox.pml").read_text()
ACTORS = (ROOT / "examples" / "register.py").read_text()


def mule(*arguments: str, given: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mule", *arguments]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", ["check", "explore", "show", "relations", "simulate", "validate", "compare"])
def test_every_command_reads_standard_input(command: str) -> None:
    answer = mule(command, "-", given=DVE)
    assert answer.returncode == 0, answer.stderr
    assert "<stdin>" in answer.stdout


def test_a_pipe_that_has_a_name(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.write(write, PROMELA.encode())
    os.close(write)
    command = [sys.executable, "-m", "mule", "check", f"/dev/fd/{read}"]
    answer = subprocess.run(command, capture_output=True, text=True, pass_fds=[read], check=False)
    os.close(read)
    assert answer.returncode == 0, answer.stderr
    assert "holds  <pipe>" in answer.stdout
    assert "holds  <stdin>" in mule("check", "/dev/stdin", given=PROMELA).stdout


def test_python_is_run_only_where_it_is_asked_for(tmp_path: Path) -> None:
    trap = f"import pathlib\nfrom mule.actors import *\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\n"
    answer = mule("check", "-", given=trap)
    assert answer.returncode == 2
    assert "to run it, say --language actors" in answer.stderr
    assert not (tmp_path / "ran").exists()
    assert mule("check", "-", "--language", "actors", given=ACTORS).returncode in (0, 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "nothing came, expected a model"),
        ("hello", "cannot tell the language"),
        ("active proctype P() { y = 1 }", "<stdin>:1:23: `y` is not declared"),
    ],
)
def test_mistakes(given: str, message: str) -> None:
    answer = mule("check", "-", given=given)
    assert answer.returncode == 2
    assert message in answer.stderr
    assert "Traceback" not in answer.stderr


def test_choices_do_not_come_after_the_model() -> None:
    answer = mule("simulate", "-", "--interactive", given=DVE)
    assert answer.returncode == 2
    assert "the model comes from standard input, so the choices cannot" in answer.stderr


# every option that takes a file, in this process: what is read twice finds nothing the second time


RELATIONS = """from mule.lpor import LporRelations
class R(LporRelations):
    def __init__(self, model): pass
    def dep(self, a, b): return True
    def can_enable(self, a, b): return True
"""
HOA = 'HOA: v1\nStart: 0\nAP: 1 "left.critical"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[0] 0\n--END--\n'
NEVER = "never { T0: if :: true -> goto T0 :: (left.critical) -> goto accept fi; accept: skip }\n"


@pytest.fixture
def piped() -> Iterator[Callable[[str], str]]:
    """A name for a text that can be read once."""
    opened: list[int] = []

    def name(text: str) -> str:
        reading, writing = os.pipe()
        opened.append(reading)
        os.write(writing, text.encode())
        os.close(writing)
        return f"/dev/fd/{reading}"

    yield name
    for each in opened:
        os.close(each)


@pytest.mark.parametrize("command", ["check", "explore", "show", "relations", "simulate", "validate", "compare"])
@pytest.mark.parametrize("text", [DVE, PROMELA], ids=["dve", "promela"])
def test_a_model(command: str, text: str, piped: Callable[[str], str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, piped(text)]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(("claim", "status"), [(HOA, 0), (NEVER, 1)], ids=["hoa", "never"])
@pytest.mark.parametrize("more", [(), ("--por", "none"), ("--json",)], ids=["plain", "unreduced", "json"])
def test_a_claim(claim: str, status: int, more: tuple[str, ...], piped: Callable[[str], str]) -> None:
    assert main(["check", piped(DVE), "--claim", piped(claim), *more]) == status


@pytest.mark.parametrize("command", ["check", "validate"])
def test_relations(command: str, piped: Callable[[str], str]) -> None:
    assert main([command, str(ROOT / "examples" / "peterson.dve"), "--lpor", f"{piped(RELATIONS)}:R"]) == 0


def test_a_trail(piped: Callable[[str], str], capsys: pytest.CaptureFixture[str]) -> None:
    broken = (ROOT / "examples" / "broken_mutex.dve").read_text()
    main(["check", piped(broken), "--json"])
    trail = capsys.readouterr().out
    assert main(["trail", piped(broken), piped(trail), "--shorten"]) == 1
    assert main(["trail", piped(broken), piped("{}")]) == 2
    assert "<pipe>: there is no trail in it" in capsys.readouterr().err


@pytest.mark.parametrize("model", [("check", "{pipe}"), ("check", "peterson.dve", "--claim", "{pipe}")])
def test_a_mistake_in_a_named_pipe_is_told(model: tuple[str, ...], tmp_path: Path) -> None:
    """Whoever opens the pipe again to show the line waits for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "mule", *(word.format(pipe=pipe) for word in model)]
    run = subprocess.Popen(command, cwd=ROOT / "examples", stderr=subprocess.PIPE, text=True)
    pipe.write_text("active proctype P() {\n  y = 1 }")
    _, told = run.communicate(timeout=120)
    assert run.returncode == 2
    assert "<pipe>:" in told


@pytest.mark.parametrize(
    "words",
    [
        ("check", "/dev/zero"),
        ("show", "/dev/zero"),
        ("trail", "peterson.dve", "/dev/zero"),
        ("check", "peterson.dve", "--claim", "/dev/zero"),
        ("check", "peterson.dve", "--lpor", "/dev/zero:R"),
    ],
)
def test_what_never_ends(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "examples")
    monkeypatch.setattr("mule.frontends.MOST_BYTES", 2**20)
    assert main(list(words)) == 2


@pytest.mark.parametrize("included", ["/dev/zero", "pipe"])
def test_what_is_included_is_a_file(included: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    model = tmp_path / "m.pml"
    model.write_text(f'#include "{included}"\nactive proctype P() {{ skip }}\n')
    assert main(["check", str(model)]) == 2
    assert "m.pml:1" in capsys.readouterr().err


def test_a_graph_is_a_file(piped: Callable[[str], str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", piped("PK\x03\x04")]) == 2
    assert "a saved graph cannot be read from a pipe" in capsys.readouterr().err
