"""What docs/reductions.md shows, made again: `python -m tests.docs.figures`."""

from __future__ import annotations

import re
from pathlib import Path

import mule

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reductions.md"
EXAMPLE = ROOT / "examples" / "philosophers.dve"
PLACE = re.compile(r"(?<=^\|---\|---:\|---:\|---:\|---:\|---:\|\n).*?(?=^<!-- end -->$)", re.MULTILINE | re.DOTALL)


def table() -> str:
    """What `mule compare` prints, without the time that it took here."""
    rows = mule.load(EXAMPLE).compare()
    full = rows[0]

    def cells(name: str, states: int, transitions: int, deadlocks: int) -> str:
        shares = f"{states / full.states:.1%}", f"{transitions / full.transitions:.1%}"
        return f"| {name} | {states} | {shares[0]} | {transitions} | {shares[1]} | {deadlocks} |\n"

    return "".join(cells(row.algorithm, row.states, row.transitions, row.deadlocks) for row in rows)


def main() -> None:
    PAGE.write_text(PLACE.sub(table(), PAGE.read_text()))
    mule.load(EXAMPLE).graph("interference").save(ROOT / "docs" / "images" / "interference.svg")


if __name__ == "__main__":
    main()
