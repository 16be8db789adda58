"""A Markdown page as something to run: the files it writes and the commands it shows, with what they print.

```python lock.py     a file: it is written, or added to what a block before has written
```console            commands after `$ `, each with its output
an indented block     the same; or a list of commands, if the first word of its first line is a program, and what
                      the last of them prints, if that begins with a verdict; or Python code
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

FENCE = re.compile(r"^```(\w+)(?: (\S+))?$")
INDENT = "    "
ANYTHING = "…"
"""A line that stands for any number of lines of output."""
PROGRAM = re.compile(
    r"(?:[A-Z_]+=\S+ )*(?:\.venv/bin/|\.ci/)?"
    r"(?:mule|python3?|pip|pytest|spin|ray|helm|kubectl|cmake|mkdocs|echo|run)(?= |$)"
)
COMMENT = re.compile(r"\s+# .*$")
MEANING = re.compile(r"\s{2,}[^-'\s].*$")
"""Words in a second column, beside a command."""
VERDICT = ("✓", "✗", "?")


@dataclass(frozen=True)
class Code:
    """Goes to the end of a file, or takes the place of the definition with the same name."""

    file: str
    text: str
    line: int

    def added_to(self, before: str) -> str:
        if not before or not self.file.endswith(".py"):
            return self.text
        (*_, last) = ast.parse(self.text).body
        for node in ast.parse(before).body:
            if _name(node) is not None and _name(node) == _name(last):
                lines = before.splitlines()
                lines[_first_line(node) - 1 : node.end_lineno] = self.text.rstrip().splitlines()
                return "\n".join(lines) + "\n"
        return f"{before.rstrip()}\n\n\n{self.text}"


@dataclass(frozen=True)
class Script:
    """Python code that is shown without the name of a file."""

    text: str
    line: int


@dataclass(frozen=True)
class Command:
    text: str
    line: int
    output: tuple[str, ...] = ()
    """As the page shows it."""
    first: int = 0
    """The line of the page with the first line of the output."""
    indent: str = ""

    def matches(self, printed: Sequence[str]) -> bool:
        """Figures of time and memory are those of another run."""
        pattern = (r"(?:.*\n)*?" if line == ANYTHING else f"{re.escape(_steady(line))}\n" for line in self.output)
        return re.fullmatch("".join(pattern), "".join(f"{_steady(line.rstrip())}\n" for line in printed)) is not None

    def shown_of(self, printed: Sequence[str]) -> tuple[str, ...]:
        """What the page should show: as much as it shows now before and after what it leaves out."""
        lines = tuple(line.rstrip() for line in printed)
        if ANYTHING not in self.output:
            return lines
        if self.output.count(ANYTHING) > 1:
            raise ValueError(
                f"line {self.line}: {self.text}: somebody must choose what is shown of\n" + "\n".join(lines)
            )
        before = self.output.index(ANYTHING)
        after = len(self.output) - before - 1
        return (*lines[:before], ANYTHING, *lines[len(lines) - after :])


def _steady(line: str) -> str:
    line = re.sub(r"^(  time +).*\d s .*$", r"\1…", line)
    return re.sub(r"^(  memory +)[\d.]+ \w+(.*?)(?:[\d.]+ \w+( on disk))?$", r"\1…\2\3", line)


Block = Code | Command | Script


def blocks(page: str) -> Iterator[Block]:
    """In the order of the page."""
    lines = page.splitlines()
    at = 0
    while at < len(lines):
        if fence := FENCE.match(lines[at]):
            end = lines.index("```", at)
            inner, start = lines[at + 1 : end], at + 2
            at = end + 1
            if fence[2] is not None:
                yield Code(fence[2], "\n".join(inner) + "\n", start)
            elif fence[1] == "console":
                yield from _inside(inner, start, "")
        elif lines[at].startswith(INDENT) and not lines[at - 1].strip():
            inner = _indented(lines, at)
            yield from _inside(inner, at + 1, INDENT)
            at += len(inner)
        else:
            at += 1


def _indented(lines: Sequence[str], at: int) -> list[str]:
    """The block, with the empty lines in it."""
    end = at
    for number in range(at, len(lines)):
        if lines[number].startswith(INDENT):
            end = number + 1
        elif lines[number].strip():
            break
    return [line.removeprefix(INDENT) for line in lines[at:end]]


def _inside(lines: Sequence[str], start: int, indent: str) -> Iterator[Block]:
    if lines[0].startswith("$ "):
        commands = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    elif lines[0].startswith(("import ", "from ", "mule.")):
        yield Script("\n".join(lines), start)
        return
    elif PROGRAM.match(lines[0]):
        printed = next((number for number, line in enumerate(lines) if line.startswith(VERDICT)), len(lines))
        commands = [number for number in range(printed) if lines[number]]
    else:
        return
    for begin, end in zip(commands, [*commands[1:], len(lines)], strict=True):
        text = MEANING.sub("", COMMENT.sub("", lines[begin].removeprefix("$ ")))
        blank = begin + 1 < end and not lines[begin + 1]
        first = begin + 1 + blank
        output = tuple(lines[first:end])
        while output and not output[-1]:
            output = output[:-1]
        yield Command(text, start + begin, output, start + first, indent)


def _name(node: ast.stmt) -> str | None:
    return node.name if isinstance(node, ast.ClassDef | ast.FunctionDef) else None


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])
