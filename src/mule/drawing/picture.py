"""A graph as text in the DOT language, and as vector graphics where Graphviz is there to lay it out."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath

from mule.errors import MuleError
from mule.files import written_whole

LONGEST = 60.0
"""Seconds for Graphviz: larger graphs are no help to anybody."""

WIDE = 44
"""Characters of a line."""

Attributes = Mapping[str, str]


@dataclass
class Picture:
    """Nodes, edges between them, and groups of nodes; in a notebook it draws itself."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    """What the reader must know: what the colours mean, what is left out."""

    def __post_init__(self) -> None:
        self.nodes: dict[str, Attributes] = {}
        self.edges: list[tuple[str, str, Attributes]] = []
        self.groups: dict[str, list[str]] = {}

    def node(self, name: str, group: str | None = None, **attributes: str) -> None:
        self.nodes[name] = attributes
        if group is not None:
            self.groups.setdefault(group, []).append(name)

    def edge(self, source: str, target: str, **attributes: str) -> None:
        self.edges.append((source, target, attributes))

    @property
    def dot(self) -> str:
        """The text that Graphviz and other tools read."""
        lines = [f"digraph {_named(self.name)} {{"]
        lines += [f"  // {note}" for note in self.notes]
        base = {"fontname": "sans-serif", "fontsize": "11"}
        lines.append(
            f"  graph {_listed({**base, 'labelloc': 'b', 'labeljust': 'l', **self._caption, **self.attributes})};"
        )
        lines.append(f"  node {_listed({**base, 'shape': 'box', 'style': 'rounded,filled', 'fillcolor': 'white'})};")
        lines.append(f"  edge {_listed({**base, 'fontsize': '10'})};")
        grouped = {name for names in self.groups.values() for name in names}
        for number, (group, names) in enumerate(self.groups.items()):
            lines.append(f"  subgraph cluster_{number} {{")
            lines.append(f"    graph {_listed({'label': group, 'labelloc': 't', 'color': 'gray'})};")
            lines += [f"    {_named(name)} {_listed(self.nodes[name])};" for name in names]
            lines.append("  }")
        lines += [f"  {_named(name)} {_listed(known)};" for name, known in self.nodes.items() if name not in grouped]
        lines += [f"  {_named(source)} -> {_named(target)} {_listed(known)};" for source, target, known in self.edges]
        return "\n".join([*lines, "}", ""])

    @property
    def _caption(self) -> dict[str, str]:
        return {"label": "".join(f"{note}\\l" for note in self.notes)} if self.notes else {}

    @property
    def svg(self) -> str:
        """Vector graphics; MuleError where there is no Graphviz."""
        program = shutil.which("dot")
        if program is None:
            raise MuleError(
                "the picture is laid out by Graphviz, which is not here (its program is called dot): "
                "install it, or take the DOT text to where it is"
            )
        try:
            done = subprocess.run(
                [program, "-Tsvg"], input=self.dot, capture_output=True, text=True, timeout=LONGEST, check=False
            )
        except subprocess.TimeoutExpired:
            raise MuleError(
                f"Graphviz needs more than {LONGEST:.0f} s for a picture of {len(self.nodes):,} nodes"
            ) from None
        if done.returncode != 0:
            raise MuleError(f"Graphviz cannot draw it: {done.stderr.strip().splitlines()[-1:]}")
        return done.stdout

    def save(self, path: str | PathLike[str]) -> None:
        """As SVG if the name ends so, else as DOT."""
        name = fspath(path)
        text = self.svg if name.endswith(".svg") else self.dot
        with written_whole(name) as file:
            file.write(text.encode())

    def _repr_svg_(self) -> str | None:
        """A notebook shows the picture, or its text where there is no Graphviz."""
        try:
            return self.svg
        except MuleError:
            return None

    def __str__(self) -> str:
        return self.dot

    def __repr__(self) -> str:
        return f"<Picture {self.name}: {len(self.nodes)} nodes, {len(self.edges)} edges>"


def _named(text: str) -> str:
    return _quoted(escaped(text))


def _quoted(text: str) -> str:
    """A string of the DOT language; `\\l` and `\\n` in it are line ends."""
    return '"' + text.replace('"', '\\"') + '"'


def escaped(text: str) -> str:
    """A text in which nothing has a meaning to Graphviz."""
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def cut(text: str) -> str:
    """Short enough for a picture."""
    return text if len(text) <= WIDE else text[: WIDE - 1] + "…"


def _listed(attributes: Attributes) -> str:
    return "[" + ", ".join(f"{name}={_quoted(value)}" for name, value in attributes.items()) + "]"
