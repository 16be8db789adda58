"""What the pages of the documentation show as the output of commands, made again: `python -m tests.docs.outputs`.

Where a page leaves out a part (a line `…`), as much is shown before and after it as now. Outputs
that differ in figures of time and memory alone stay as they are.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.docs.blocks import Code, Command, Script, blocks
from tests.docs.reader import PAGES, Reader, is_synopsis


def remade(page: Path) -> str:
    text = page.read_text()
    lines = text.splitlines()
    found: list[tuple[Command, tuple[str, ...]]] = []
    with tempfile.TemporaryDirectory() as directory:
        reader = Reader(Path(directory), page.name)
        for block in blocks(text):
            if isinstance(block, Code):
                reader.write(block)
            elif isinstance(block, Script):
                reader.execute(block)
            elif not is_synopsis(block.text):
                printed = reader.run(block)
                if printed is not None and block.output and not block.matches(printed):
                    found.append((block, block.shown_of(printed)))
    for block, shown in reversed(found):
        begin = block.first - 1
        lines[begin : begin + len(block.output)] = [f"{block.indent}{line}".rstrip() for line in shown]
    return "\n".join(lines) + "\n"


def main() -> None:
    for page in PAGES:
        text = remade(page)
        if text != page.read_text():
            page.write_text(text)
            print(page.name)


if __name__ == "__main__":
    main()
