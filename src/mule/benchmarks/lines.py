"""Lines of figures: as they are, however narrow the terminal, and as soon as they are known."""

from __future__ import annotations

from rich.console import Console


def show(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)
    console.file.flush()
