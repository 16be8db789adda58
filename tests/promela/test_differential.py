"""What SPIN accepts we accept, and what it rejects we reject (names and types are the translation's business)."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.errors import MuleError
from mule.frontends.promela import parse
from tests.promela.with_spin import SPIN, snippets, spin_accepts

pytestmark = pytest.mark.slow


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
