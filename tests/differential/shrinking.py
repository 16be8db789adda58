"""Programs made smaller while something stays true of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

Lines = list[str]


def shrunk(program: str, still_differs: Callable[[str], bool]) -> str:
    """A smaller program that differs too: lines and statements are left out, blocks opened, expressions made simple."""
    lines = program.splitlines()
    tried: set[str] = set()
    progress = True
    while progress:
        progress = False
        for way in (_without_block, _without_lines, _with_open_block, _with_simpler_line):
            position = 0
            while (candidates := list(way(lines)))[position:]:
                candidate = candidates[position]
                text = "\n".join(candidate) + "\n"
                if text not in tried and still_differs(text):
                    lines, progress = candidate, True
                else:
                    position += 1
                tried.add(text)
    return "\n".join(lines) + "\n"


def _without_block(lines: Lines) -> Iterator[Lines]:
    for begin, end in _blocks(lines):
        yield lines[:begin] + lines[end + 1 :]


def _without_lines(lines: Lines) -> Iterator[Lines]:
    for size in (8, 4, 2, 1):
        for begin in range(0, len(lines), size):
            yield lines[:begin] + lines[begin + size :]


def _with_open_block(lines: Lines) -> Iterator[Lines]:
    """What is inside, or of one option what is inside, in place of the whole."""
    for begin, end in _blocks(lines):
        inner = lines[begin + 1 : end]
        yield [*lines[:begin], *inner, *lines[end + 1 :]]
        options = [i for i, line in enumerate(inner) if line.lstrip().startswith("::")]
        for first, last in pairwise([*options, len(inner)]):
            option = [inner[first].replace("::", "", 1), *inner[first + 1 : last]]
            yield [*lines[:begin], *option, *lines[end + 1 :]]


def _with_simpler_line(lines: Lines) -> Iterator[Lines]:
    for i, line in enumerate(lines):
        for simple in _simpler(line):
            yield [*lines[:i], simple, *lines[i + 1 :]]


def _blocks(lines: Lines) -> Iterator[tuple[int, int]]:
    """The first and the last line of everything with an end, larger ones first."""
    found: list[tuple[int, int]] = []
    opened: list[int] = []
    for i, line in enumerate(lines):
        words = line.strip().rstrip(";").removesuffix(" ->")
        closes = words.startswith("} unless") or ("{" not in words and words.endswith(("}", "fi", "od")))
        if closes and opened:
            found.append((opened.pop(), i))
        if words.endswith("{") or re.search(r"\b(if|do)$", words):
            opened.append(i)
    return iter(sorted(found, key=lambda block: block[0] - block[1]))


def _simpler(line: str) -> Iterator[str]:
    label = re.match(r"( *(?::: )?)[A-Za-z]\w*: ", line)
    if label:
        yield label.group(1) + line[label.end() :]
    assignment = re.match(r"(.*[^=!<>]=) (?![=\[])(.*?)(;?)$", line)
    if assignment and len(assignment.group(2)) > 1:
        for value in "01":
            yield f"{assignment.group(1)} {value}{assignment.group(3)}"
    condition = re.match(r"( *(?::: )?)([(!].*?)((?: ->|;)?)$", line)
    if condition:
        for value in ("true", "false"):
            yield condition.group(1) + value + condition.group(3)
    for match in re.finditer(r"\((?:[^()]|\([^()]*\))*\)", line):
        for value in "01":
            yield f"{line[: match.start()]} {value} {line[match.end() :]}"
