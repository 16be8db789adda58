"""Every reduction side by side, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from mule.model import Model
from mule.report.comparison import CompareRow
from mule.report.layout import Page


def comparison_table(model: Model, rows: Sequence[CompareRow], page: Page) -> None:
    """One row a reduction; the percentages are of the first row, the search without reduction."""
    page.item("", f"{model.name}: reductions that preserve deadlocks")
    page.blank()
    header = ["reduction", "states", "%", "transitions", "%", "deadlocks", "seconds"]
    first = rows[0] if rows else None
    table = []
    for row in rows:
        whole = first is not None and first.stopped is None and row.stopped is None
        table.append(
            [
                row.algorithm + ("" if row.stopped is None else " *"),
                f"{row.states:,}",
                _share(row.states, first.states) if whole and first else "",
                f"{row.transitions:,}",
                _share(row.transitions, first.transitions) if whole and first else "",
                f"{row.deadlocks:,}",
                f"{row.seconds:.2f}",
            ]
        )
    page.table(header, table, expendable=(4, 2, 6, 5))
    for row in rows:
        if row.stopped is not None:
            page.item("* ", f"{row.algorithm} ended early: {row.stopped}")


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else ""
