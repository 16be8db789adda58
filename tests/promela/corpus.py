"""The models of the shared corpus, where it is present."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "models" / "promela"


def files() -> list[str]:
    expected = CORPUS / "expected.json"
    if not expected.is_file():
        return []
    return [model["file"] for model in json.loads(expected.read_text())["models"]]


needs_corpus = pytest.mark.skipif(not files(), reason=f"the corpus of Promela models is not at {CORPUS}")


def read(file: str) -> str:
    return (CORPUS / file).read_text(encoding="latin-1")
