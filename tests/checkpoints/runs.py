"""Runs that wait to be resumed, and what becomes of their files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mule

FULL: dict[str, Any] = {"por": "none", "as_written": True}


def search_files(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.search"))


def stopped_run(file: Path, directory: Path, **options: Any) -> Path:
    """A run that waits to be resumed."""
    found = mule.load(file).explore(**FULL, **options, checkpoint=str(directory), max_states=300)
    assert found.stopped == "states"
    return directory


def go_on(file: Path | mule.System, directory: Path, **options: Any) -> None:
    """`file`: or what was read from it."""
    (mule.load(file) if isinstance(file, Path) else file).explore(
        **{**FULL, **options}, checkpoint=str(directory), resume=True
    )


def damaged(data: bytes, step: int) -> Iterator[bytes]:
    """Cut short, or changed, now and then."""
    for at in range(0, len(data), step):
        yield data[:at]
        yield data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]
