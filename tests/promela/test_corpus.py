"""Every model of the corpus is read, and damage to a model gives a message, never a crash."""

from __future__ import annotations

import re

import pytest

from mule.errors import MuleError, Place
from mule.frontends.promela import parse
from mule.frontends.promela.lexer import EMBEDDED_C, KEYWORDS, TYPES
from tests.promela.corpus import CORPUS, files, needs_corpus, read

DAMAGED = ["Samples/p329.pml", "giop/giop1.pr", "smcs/smcs.promela", "fgs/fgs.promela", "Tests/snoopy"]
WORD = re.compile(r"[A-Za-z_]\w*")

pytestmark = [pytest.mark.corpus, pytest.mark.slow, needs_corpus]


@pytest.mark.parametrize("file", files())
def test_every_model_is_read(file: str) -> None:
    text = read(file)
    words = set(WORD.findall(re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)))
    if words & EMBEDDED_C:
        with pytest.raises(MuleError, match="embedded C is not supported"):
            parse(text, str(CORPUS / file))
    else:
        assert parse(text, str(CORPUS / file)).units


@pytest.mark.parametrize("file", DAMAGED)
def test_each_keyword_deleted_in_turn(file: str) -> None:
    text = read(file)
    at = [match.span() for match in WORD.finditer(text) if match.group() in KEYWORDS | TYPES]
    messages = 0
    for start, end in at[:: max(len(at) // 60, 1)]:
        messages += _read_or_complain(text[:start] + text[end:], file)
    assert messages > 0


@pytest.mark.parametrize("file", DAMAGED)
def test_truncated(file: str) -> None:
    text = read(file)
    for cut in range(0, len(text), len(text) // 40):
        _read_or_complain(text[:cut], file)


def _read_or_complain(text: str, file: str) -> bool:
    place: Place | None = Place(file, 1)
    try:
        parse(text, str(CORPUS / file))
        complained = False
    except MuleError as error:
        place, complained = error.place, True
    assert place is not None
    assert place.line is not None
    return complained
