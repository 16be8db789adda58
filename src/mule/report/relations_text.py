"""The relations of a model for people: grids where they fit, lists where they do not."""

from __future__ import annotations

from rich.text import Text

from mule.model import Model
from mule.report.layout import Page
from mule.report.relations import Matrix, Relations, matrices, members

TALLEST_GRID = 60


def relations_text(model: Model, relations: Relations, page: Page) -> None:
    page.item("", f"{model.name}: {len(model.guards)} guards, {len(model.transitions)} transitions")
    page.heading("guards")
    for number, guard in enumerate(model.guards):
        page.item(f"  g{number:<3} ", guard.text)
    page.heading("transitions")
    for number, transition in enumerate(model.transitions):
        guards = " ".join(f"g{guard}" for guard in transition.guards)
        page.item(f"  t{number:<3} ", Text.assemble(transition.name, (f"  when {guards or 'always'}", "dim")))
    for matrix in matrices(relations):
        columns = len(model.transitions) if matrix.columns == "transitions" else len(model.guards)
        page.heading(matrix.name.replace("_", " "))
        page.item("  ", Text(matrix.meaning, style="dim"))
        lines = grid(matrix, columns, page.width)
        if lines is None:
            _list(matrix, page)
            continue
        for line in lines:
            page.line(Text(line))


def grid(matrix: Matrix, columns: int, width: int) -> list[str] | None:
    """Rows of marks under numbered columns; None where that would be too wide or too tall."""
    letter = matrix.rows[0]
    labels = [f"  {letter}{number}" for number in range(len(matrix.bits))]
    margin = max((len(label) for label in labels), default=0) + 2
    gap = " " if margin + 2 * columns <= width else ""
    if margin + (1 + len(gap)) * columns > width or len(labels) > TALLEST_GRID:
        return None
    header = [
        " " * margin + gap.join(digits)
        for digits in zip(*(str(column).rjust(len(str(columns - 1))) for column in range(columns)), strict=True)
    ]
    body = [
        label.ljust(margin) + gap.join("x" if row >> column & 1 else "." for column in range(columns))
        for label, row in zip(labels, matrix.bits, strict=True)
    ]
    return [line.rstrip() for line in header + body]


def _list(matrix: Matrix, page: Page) -> None:
    row_letter, column_letter = matrix.rows[0], matrix.columns[0]
    for number, row in enumerate(matrix.bits):
        page.item(f"  {row_letter}{number:<4} ", ranges(members(row), column_letter) or "-")


def ranges(numbers: list[int], letter: str) -> str:
    """Ascending numbers, neighbours joined: `t1 t4-t7`."""
    parts: list[tuple[int, int]] = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1] = (parts[-1][0], number)
        else:
            parts.append((number, number))
    return " ".join(f"{letter}{a}" if a == b else f"{letter}{a}-{letter}{b}" for a, b in parts)
