"""What SPIN accepts we accept, and what it rejects we reject (names and types are the translation's business)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from mule.errors import MuleError
from mule.frontends.promela import parse

HERE = Path(__file__).parent
SPIN = shutil.which("spin")


def snippets(file: str) -> list[str]:
    return (HERE / file).read_text().rstrip("\n").split("\n===\n")


@pytest.mark.parametrize("text", snippets("accepted.txt"))
def test_accepted(text: str) -> None:
    assert parse(text, "m.pml").units


@pytest.mark.parametrize("text", snippets("rejected.txt"))
def test_rejected(text: str) -> None:
    with pytest.raises(MuleError) as caught:
        parse(text, "m.pml")
    assert caught.value.place is not None
    assert caught.value.place.line is not None


@pytest.mark.skipif(SPIN is None, reason="spin is not installed")
@pytest.mark.parametrize(("file", "verdict"), [("accepted.txt", True), ("rejected.txt", False)])
def test_spin_says_the_same(file: str, verdict: bool, tmp_path: Path) -> None:
    different = [text for text in snippets(file) if spin_accepts(text, tmp_path) != verdict]
    assert different == []


def spin_accepts(text: str, folder: Path) -> bool:
    assert SPIN is not None
    (folder / "m.pml").write_text(text)
    result = subprocess.run([SPIN, "-a", "m.pml"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    return result.returncode == 0 and "Error" not in result.stdout + result.stderr
