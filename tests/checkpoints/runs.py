"""Runs that wait to be resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mule

FULL: dict[str, Any] = {"por": "none", "as_written": True}


def search_files(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.search"))


def go_on(file: Path, directory: Path, **options: Any) -> None:
    mule.load(file).explore(**{**FULL, **options}, checkpoint=str(directory), resume=True)
