"""What `mule check` says about tiny programs: the kind of error, and the way there by process, line and statement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mule.cli.main import main

HEAD = "byte x;\nactive proctype P() {\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            HEAD + "  x = 1;\n  assert(x == 2)\n}\n",
            [
                "an assertion can fail",
                "  1  P: line 3: x = 1   x: 0 → 1",
                "  2  P: line 4: assert(x == 2)",
                "     here: assertion violated: x == 2",
            ],
        ),
        (
            HEAD + "  x = 1;\n  x == 2\n}\n",
            ["it can deadlock", "  1  P: line 3: x = 1", "invalid end state: no process can move, with P in line 4"],
        ),
        (
            "byte a[2];\nbyte i = 1;\nactive proctype P() {\n  i++;\n  a[i] = 1\n}\n",
            ["  1  P: line 4: i++   i: 1 → 2", "  2  P: line 5: a[i] = 1", "here: index 2 is out of range for a[2]"],
        ),
        (
            "chan c[2] = [1] of {byte};\nbyte i = 1;\nactive proctype P() {\n  i++;\n  c[i]!1\n}\n",
            ["  2  P: line 5: c[i]!1", "here: the index of c is out of range"],
        ),
        (
            HEAD + "  d_step {\n    x = 1;\n    x == 2;\n    x = 3\n  }\n}\n",
            ["the model itself can go wrong", "  1  P: line 4: x = 1", "here: a d_step cannot go on inside"],
        ),
        (
            "chan c;\nchan d = [1] of {byte};\nactive proctype P() {\n  skip;\n  c!1\n}\n",
            ["  2  P: line 5: c!1", "here: c holds no channel that could be sent to"],
        ),
        (
            "chan c;\nchan d = [1] of {byte};\nactive proctype P() {\n  skip;\n  len(c) == 0\n}\n",
            ["  2  P: line 5: len(c) == 0", "here: c holds no channel that could be asked"],
        ),
        (
            "chan c = [1] of {byte, byte};\nactive proctype P() {\n  c!1\n}\n",
            ["  1  P: line 3: c!1", "here: a message of c has 2 fields, not 1"],
        ),
        (HEAD + "  x = 1 / x\n}\n", ["  1  P: line 3: x = 1 / x", "here: division by zero"]),
        (
            "chan c = [2] of {byte};\nactive proctype P() {\n  c!enabled(0) + 1;\n"
            '  printf("%d", timeout);\n  assert(false)\n}\n',
            ["  1  P: line 3: c!enabled(0) + 1   c: [] → [2]", "     prints: 0"],
        ),
        (
            "chan c = [0] of {byte};\nactive proctype P() {\n  c!3\n}\n"
            "active proctype Q() {\n  byte y;\n  c?y;\n  assert(y > 3)\n}\n",
            ["  1  P: line 3: c!3", "     Q: line 7: c?y   Q:y: 0 → 3", "  2  Q: line 8: assert(y > 3)"],
        ),
        (
            HEAD + "  atomic {\n    x = 1;\n    x = 2;\n    assert(x == 1)\n  }\n}\n",
            ["  1  P: line 4: x = 1", "     P: line 5: x = 2", "     P: line 6: assert(x == 1)"],
        ),
        (
            HEAD + '  printf("x is %d\\n", x);\n  assert(x)\n}\n',
            ['  1  P: line 3: printf("x is %d\\n", x)', "     prints: x is 0", "  2  P: line 4: assert(x)"],
        ),
        (
            "proctype P(byte n) {\n  assert(n < 2)\n}\ninit {\n  run P(1);\n  run P(2)\n}\n",
            ["init: line 5: run P(1)", "init: line 6: run P(2)", "line 2: assert(n < 2)"],
        ),
    ],
)
def test_violated(text: str, lines: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.pml").write_text(text)
    assert main(["check", str(tmp_path / "m.pml")]) == 1
    said = capsys.readouterr().out
    assert "✗ violated" in said
    assert [line for line in lines if line not in said] == []


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "  x = 1;\nend: x == 2\n}\n",
        HEAD + "  x = 1;\nend_waiting: do :: x == 2 -> skip od\n}\n",
        HEAD + "  x = 1;\n  assert(x == 1)\n}\n",
        HEAD + "  d_step { x == 0; x = 2; x = 1 }\n}\n",
        HEAD + "  timeout -> x = 1\n}\n",
        "chan c = [1] of {byte};\nbyte x;\nactive proctype P() {\n  c!1;\n  c?<x>;\n  c?x\n}\ntrace { c!_; c?_ }\n",
    ],
)
def test_holds(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.pml").write_text(text)
    assert main(["check", str(tmp_path / "m.pml")]) == 0
    assert "✓ holds" in capsys.readouterr().out


TWO = "byte x;\nactive proctype P() { x = 1; x == 3 }\nactive proctype Q() { skip; skip }\n"


@pytest.mark.parametrize(
    ("claim", "fails"),
    [
        ("never { do :: _last == 0 :: _last == 1 -> break od }", True),
        ("never { do :: _last < 2 :: _last == 2 -> break od }", False),
        ("never { do :: enabled(0) :: !enabled(0) -> break od }", True),
        ("never { do :: x == 0 :: x == 0 && !enabled(0) -> break od }", False),
        ("ltl p { [] (_last == 0) }", True),
        ("ltl p { [] (_last < 2) }", False),
        ("ltl p { [] (enabled(0) || x == 1) }", False),
    ],
)
def test_claims_about_who_moves(claim: str, fails: bool, tmp_path: Path) -> None:
    """What no process mentions is part of the state if a claim does."""
    (tmp_path / "m.pml").write_text(TWO + claim + "\n")
    assert main(["check", "--claim", "all", str(tmp_path / "m.pml")]) == int(fails)


BOTH = (
    HEAD.replace("byte x;", "byte x; byte a[3];")
    + """  do
  :: x < 6 -> x++
  :: x == 5 -> assert(x != 5)
  :: x == 4 -> a[x] = 1
  :: x == 6 -> break
  od
}
"""
)


@pytest.mark.parametrize(
    "options", ["--por none", "--por deletion --search dfs", "--por ample", "--search bfs --workers 2"]
)
def test_a_violated_assertion_and_an_error_have_a_trail_each(
    options: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "both.pml"
    file.write_text(BOTH)
    assert main(["check", str(file), "--assertions", "--json", *options.split()]) == 1
    found = json.loads(capsys.readouterr().out)["violations"]
    assert {each["kind"]: (each["trail"][-1]["text"], each["message"]) for each in found} == {
        "assertion": ("assert(x != 5)", "assertion violated: x != 5"),
        "model error": ("a[x] = 1", "index 4 is out of range for a[3]"),
    }
