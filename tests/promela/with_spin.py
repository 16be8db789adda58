"""SPIN, where it is installed, and the snippets that it is asked about."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


SPIN = shutil.which("spin")


def snippets(file: str) -> list[str]:
    return (HERE / file).read_text().rstrip("\n").split("\n===\n")


def spin_accepts(text: str, folder: Path) -> bool:
    assert SPIN is not None
    (folder / "m.pml").write_text(text)
    result = subprocess.run([SPIN, "-a", "m.pml"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    return result.returncode == 0 and "Error" not in result.stdout + result.stderr
