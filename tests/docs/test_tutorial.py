"""docs/tutorial.md, followed to the letter."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import mule
from mule.cli.main import main
from tests.docs.tutorial import Code, Command, blocks

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial.md").read_text()


def test_the_tutorial(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for block in blocks(PAGE):
        if isinstance(block, Code):
            file = tmp_path / block.file
            file.write_text(block.added_to(file.read_text() if file.exists() else ""))
        else:
            printed = output_of(block, capsys)
            assert block.matches(printed), f"line {block.line}: {' '.join(block.words)} prints\n{printed}"


def output_of(command: Command, capsys: pytest.CaptureFixture[str]) -> str:
    match command.words:
        case ("mule", *arguments):
            capsys.readouterr()
            main(arguments)
            return capsys.readouterr().out
        case ("python", "-m", "pytest", *arguments):
            words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
            environment = {**os.environ, "PYTHONPATH": str(Path(mule.__file__).parents[1])}
            return subprocess.run(words, capture_output=True, text=True, check=False, env=environment).stdout
        case ("pip", "install", package):
            project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
            assert package == project["name"]
            return ""
    raise AssertionError(f"line {command.line}: nobody knows how to run {' '.join(command.words)}")


def test_the_tutorial_leads_to_a_bug_and_out_of_it() -> None:
    outputs = [block.output for block in blocks(PAGE) if isinstance(block, Command)]
    verdicts = [output.split()[1] for output in outputs if output.startswith(("✗", "✓"))]
    assert verdicts[0] == "violated"
    assert "holds" in verdicts


def test_wrong_output_is_noticed() -> None:
    command = Command(("mule",), "✓ holds\n…\nend", 1)
    assert command.matches("✓ holds\nend\n")
    assert command.matches("✓ holds  \n 1\n 2\nend\n")
    assert not command.matches("✗ violated\nend\n")
    assert not command.matches("✓ holds\n 1\n")
    assert not Command(("mule",), "one\ntwo", 1).matches("one\nnew\ntwo\n")


def test_a_definition_replaces_the_one_before() -> None:
    before = "import a\n\n\n@a.b\ndef f():\n    return 1\n\n\nclass C:\n    pass\n"
    after = Code("m.py", "def f():\n    return 2\n", 1).added_to(before)
    assert after == "import a\n\n\ndef f():\n    return 2\n\n\nclass C:\n    pass\n"
    assert Code("m.py", "x = 1\n", 1).added_to(after) == f"{after}\n\nx = 1\n"


def test_every_block_says_what_it_is() -> None:
    with pytest.raises(AssertionError, match="which file"):
        list(blocks("\n```python\nx = 1\n```\n"))
    with pytest.raises(AssertionError, match="python or console"):
        list(blocks("\n```text\nx\n```\n"))
