"""A folder of benchmark models with an `expected.json` beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mule.errors import MuleError, Place


@dataclass(frozen=True, slots=True)
class Entry:
    """One model and what the reference tools say of it."""

    path: Path
    facts: dict[str, Any]

    @property
    def name(self) -> str:
        return str(self.facts["model"])

    @property
    def states(self) -> int | None:
        states: int | None = self.facts.get("states")
        return states


def entries(models: Path) -> Iterator[Entry]:
    for facts in read_json(models / "expected.json"):
        yield Entry(models / facts["file"], facts)


def ltsmin_rows(models: Path, language: str) -> dict[str, dict[str, Any]]:
    """LTSmin's figures for the models of a language, by name; empty where there are none beside the models."""
    path = models.parent.parent / "peers" / "ltsmin.json"
    if not path.exists():
        return {}
    return {row["model"]: row for row in read_json(path)["rows"] if row["language"] == language}


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except OSError as error:
        raise MuleError(f"cannot read it: {error.strerror}", Place(str(path))) from error
    except ValueError as error:
        raise MuleError(f"not JSON: {error}", Place(str(path))) from error
