"""A Markdown page as something to run: the files it writes and the commands it shows, with what they print."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)

ANYTHING = "…"
"""A line that stands for any number of lines of output."""


@dataclass(frozen=True)
class Code:
    """Goes to the end of a file, or takes the place of the definition with the same name."""

    file: str
    text: str
    line: int

    def added_to(self, before: str) -> str:
        (*_, last) = ast.parse(self.text).body
        for node in ast.parse(before).body:
            if _name(node) is not None and _name(node) == _name(last):
                lines = before.splitlines()
                lines[_first_line(node) - 1 : node.end_lineno] = self.text.rstrip().splitlines()
                return "\n".join(lines) + "\n"
        return f"{before.rstrip()}\n\n\n{self.text}" if before else self.text


@dataclass(frozen=True)
class Command:
    words: tuple[str, ...]
    output: str
    line: int

    def matches(self, printed: str) -> bool:
        lines = (r"(?:.*\n)*?" if line == ANYTHING else f"{re.escape(line)}\n" for line in self.output.splitlines())
        trimmed = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
        return re.fullmatch("".join(lines), trimmed) is not None


def blocks(page: str) -> Iterator[Code | Command]:
    """In the order of the page. A block of another kind is an error: nothing on the page goes untested."""
    assert page.count("\n```") == 2 * len(FENCE.findall(page)), "a block without its end, or without its kind"
    for match in FENCE.finditer(page):
        kind, file, text = match.groups()
        line = page.count("\n", 0, match.start()) + 1
        if kind == "python":
            assert file, f"line {line}: which file is this?"
            yield Code(file, text, line)
        else:
            assert kind == "console", f"line {line}: python or console, not {kind}"
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                yield Command(tuple(command.split()), output.rstrip(), line)


def _name(node: ast.stmt) -> str | None:
    return node.name if isinstance(node, ast.ClassDef | ast.FunctionDef) else None


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])
