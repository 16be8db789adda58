"""XML to elements that know where they stand. Nothing is expanded: a document with a DTD is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from mule.errors import MuleError, Place

DEEPEST = 100_000
"""Elements in each other, of which every one may hold memory; a net has a few."""


@dataclass(slots=True)
class Element:
    tag: str
    """Without its namespace."""
    attributes: dict[str, str]
    place: Place
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> Iterator[Element]:
        return (child for child in self.children if child.tag == tag)

    def child(self, tag: str) -> Element | None:
        return next(self.all(tag), None)

    def fail(self, message: str) -> NoReturn:
        raise MuleError(message, self.place)


def read_document(text: str, file: str) -> Element:
    """The root of a document."""
    return _Reader(file).read(text)


class _Reader:
    def __init__(self, file: str) -> None:
        self._file = file
        self._root: Element | None = None
        self._open: list[Element] = []
        self._texts: list[list[str]] = []
        """The pieces of text of each that is open."""
        self._parser = parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._doctype

    def read(self, text: str) -> Element:
        try:
            self._parser.Parse(text, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise MuleError(
                f"this is not well-formed XML: {reason}", Place(self._file, error.lineno, error.offset + 1)
            ) from None
        assert self._root is not None
        return self._root

    def _here(self) -> Place:
        return Place(self._file, self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        element = Element(name.rpartition(" ")[2], attributes, self._here())
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        if len(self._open) == DEEPEST:
            element.fail(f"this element is nested too deeply: in {DEEPEST:,} others")
        self._open.append(element)
        self._texts.append([])

    def _end(self, _: str) -> None:
        self._open.pop().text = "".join(self._texts.pop())

    def _characters(self, data: str) -> None:
        if self._open:
            self._texts[-1].append(data)

    def _doctype(self, *_: object) -> NoReturn:
        raise MuleError(
            "a document type (DOCTYPE) is not read: PNML needs none, and entities can explode", self._here()
        )
