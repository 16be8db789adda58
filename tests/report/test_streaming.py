"""JSON in pieces is the JSON that there is as a whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from mule.checking import check
from mule.frontends import load
from mule.report.json import result_object
from mule.report.streaming import Streamed, pieces

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_pieces_make_the_whole() -> None:
    result = check(load(EXAMPLES / "broken_mutex.dve"))
    assert "".join(pieces(result_object(result, streamed=True))) == json.dumps(
        result_object(result), ensure_ascii=False
    )


def test_nothing_is_made_before_it_is_written() -> None:
    made: list[int] = []

    def steps() -> Iterator[int]:
        for number in range(1000):
            made.append(number)
            yield number

    written = pieces({"trail": Streamed(steps), "after": [1]})
    most = max(len(made) - told for told, piece in enumerate(piece for piece in written if piece.isdigit()))
    assert most == 1


def test_empty_lists_and_names() -> None:
    value = {"ä": Streamed(lambda: []), "nested": [{"trail": Streamed(lambda: [{"a": None}, "b"])}]}
    assert "".join(pieces(value)) == '{"ä": [], "nested": [{"trail": [{"a": null}, "b"]}]}'
