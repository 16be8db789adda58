"""What cannot be compiled is refused with a place and a hint, never with a traceback."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mule.errors import MuleError
from mule.frontends import load
from tests.processes.errors import BODIES, FIRST_LINE, text_of


def _error(path: Path, text: str, defines: tuple[str, ...] = ()) -> MuleError:
    path.write_text(text)
    with pytest.raises(MuleError) as caught:
        load(path, defines=defines)
    return caught.value


@pytest.mark.parametrize(("body", "line", "part"), BODIES, ids=[body for body, _, _ in BODIES])
def test_a_body_that_cannot_be_compiled(body: str, line: int, part: str, tmp_path: Path) -> None:
    error = _error(tmp_path / "model.py", text_of(body))
    assert re.search(part, error.message), error.message
    assert error.place is not None
    assert error.place.file == str(tmp_path / "model.py")
    assert error.place.line == FIRST_LINE + line - 1
    assert error.place.column is not None


IMPORT = "from mule.processes import Queue, Range, Shared, System, pause\nfrom typing import Annotated\n"
TASK = "async def task(n=1): await pause()\n"
WHOLE = [
    ("x = 1", "no function system"),
    ("def system(): return 1", "must return a System of mule.processes"),
    ("def system(): return System([])", "at least one task"),
    (f"{TASK}def system(): return System([task])", "is none: call it"),
    ("async def task():\n    yield 1\ndef system(): return System([task()])", "has a yield in it"),
    (f"{TASK}def system(): return System([pause()])", "a task is a call of an async def function"),
    ("async def task(*all): await pause()\ndef system(): return System([task(1)])", "name each parameter"),
    ("async def task(q): await pause()\ndef system(): return System([task(Queue(0))])", "at least 1"),
    (
        "class M(Shared):\n    async def __aenter__(self): pass\n"
        "    async def __aexit__(self, kind, error, trace): return kind is ValueError\n"
        "async def task(m):\n    async with m:\n        await pause()\ndef system(): return System([task(M())])",
        "M.__aexit__ may neither look at the exception",
    ),
    *(
        (f"import asyncio\nasync def task(q): await pause()\ndef system(): return System([task(asyncio.{made})])", part)
        for made, part in (
            ("Lock()", r"use mule.processes.Lock"),
            ("Event()", r"use mule.processes.Event"),
            ("Condition()", r"use mule.processes.Condition"),
            ("Semaphore(1)", r"use mule.processes.Semaphore"),
            ("BoundedSemaphore(1)", r"use mule.processes.BoundedSemaphore"),
            ("Queue()", r"use mule.processes.Queue"),
            ("LifoQueue()", r"keep its items in fields"),
            ("PriorityQueue()", r"keep its items in fields"),
            ("Barrier(2)", r"use a Condition and a count"),
        )
    ),
    ("async def task(q): await q.put(1)\ndef system(): return System([task(Queue(1, of=float))])", "float is no type"),
    (
        "class S(Shared):\n    a: float = 1\nasync def task(s):\n    s.a = 2\ndef system(): return System([task(S())])",
        "float is no type",
    ),
    (
        "class S(Shared):\n    a: Annotated[int, Range(0, 1)]\nasync def task(s): s.a = 2\n"
        "def system(): return System([task(S(a=3))])",
        "out of range",
    ),
    (f"{TASK}def system(): return System([task()], invariants=[lambda: True])", "needs a name"),
    (
        f"{TASK}def system(): return System([task()], invariants={{'x': lambda a, b: True}})",
        "a predicate takes nothing",
    ),
    (f"{TASK}def system(): return System([task()]).tasks[5]", "IndexError"),
    (f"{TASK}def system(n: int): return System([task(n)])", "needs a value for n"),
    ("def system(:", "this is not Python"),
]


@pytest.mark.parametrize(("text", "part"), WHOLE)
def test_a_system_that_cannot_be_made(text: str, part: str, tmp_path: Path) -> None:
    assert part in str(_error(tmp_path / "model.py", IMPORT + text))


def test_modules_in_the_folder_of_the_model_belong_to_it(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(
        f"{IMPORT}from tools import twice\nclass S(Shared):\n    a: int = 1\n"
        "async def grow(s):\n    await pause()\n    s.a = twice(s.a)\n    return s.a\n"
    )
    (tmp_path / "tools.py").write_text("def twice(n):\n    return n * 2\n")
    path = tmp_path / "model.py"
    path.write_text(
        f"{IMPORT}import parts\nasync def task(s):\n    x = await parts.grow(s)\n    assert x == 2\n"
        "def system(): return System([task(parts.S())])"
    )
    assert [variable.name for variable in load(path).variables if "." in variable.name] == ["s.a"]


def test_a_parameter_that_is_not_there(tmp_path: Path) -> None:
    error = _error(tmp_path / "model.py", f"{IMPORT}{TASK}def system(n: int = 1): return System([task(n)])", ("m=1",))
    assert "no parameter m" in error.message


def test_an_expression_about_what_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(f"{IMPORT}{TASK}def system(): return System([task()])")
    parse = load(path).parse_expression
    assert parse is not None
    for text, part in (
        ("task.x == 1", "keeps nothing called x across an await: it has done, line"),
        ("nobody.x == 1", "nobody is not defined"),
        ("task.done = 1", "expected one expression"),
        ("task.done ==", "this is not Python"),
    ):
        with pytest.raises(MuleError, match=part):
            parse(text)


def test_the_exit_status_of_a_refusal(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(text_of("while True: s.a = 1"))
    run = subprocess.run([sys.executable, "-m", "mule", "check", path], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert f"{path}:{FIRST_LINE}:5: this loop never ends" in run.stderr
    assert "Traceback" not in run.stderr
