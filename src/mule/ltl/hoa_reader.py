"""The reader of HOA texts (http://adl.github.io/hoaf/)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

from mule.errors import MuleError, Place, clipped
from mule.ltl import letters
from mule.ltl.automaton import Automaton, Edge, merged

_TOKEN = re.compile(
    r"""\s+ | /\*.*?\*/ | (?P<string>"(?:\\.|[^"\\])*") | (?P<mark>--[A-Z]+--) | (?P<header>[A-Za-z_][\w-]*:)
    | (?P<version>v\d+(?:\.\d+)*(?![\w-])) | (?P<number>\d+) | (?P<alias>@[\w-]+)
    | (?P<word>[A-Za-z_][\w-]*) | (?P<sign>[\[\]{}()&|!])""",
    re.VERBOSE | re.DOTALL,
)
_REFUSED = {"univ-branch": "alternating automata"}
_VERSIONS = ("v1", "v1.1")
MOST_DIGITS = 12


@dataclass(slots=True)
class _Token:
    kind: str
    text: str
    offset: int


@dataclass(slots=True)
class _Header:
    starts: list[int] = field(default_factory=list)
    atoms: tuple[str, ...] = ()
    aliases: dict[str, int] = field(default_factory=dict)
    marks: int | None = None
    states: int | None = None


class Reader:
    """Reads one automaton."""

    def __init__(self, text: str, place: Place) -> None:
        self._text = text
        self._file = place.file
        self._tokens = self._lexed()
        self._at = 0
        self._header = _Header()

    def read(self) -> Automaton:
        try:
            return self._read()
        except RecursionError:
            self._fail("this label is nested too deeply")

    def _read(self) -> Automaton:
        self._read_header()
        header = self._header
        if header.marks is None:
            self._fail("there is no Acceptance: line")
        if header.states is not None and max(header.starts, default=-1) >= header.states:
            self._fail(f"there is no state {max(header.starts)} to start in: there are {header.states}")
        rows: dict[int, list[Edge]] = {}
        names: dict[int, str] = {}
        while self._peek().text != "--END--":
            state, name, edges = self._read_state()
            rows.setdefault(state, []).extend(edges)
            names[state] = name
        self._at += 1
        if self._peek().kind != "end":
            self._fail("there is more than one automaton in it, expected the end after --END--")
        return self._made(rows, names)

    def _made(self, rows: dict[int, list[Edge]], names: dict[int, str]) -> Automaton:
        """Of the states that can be reached: others are of no use, and there may be very many."""
        header = self._header
        assert header.marks is not None
        number = {state: place for place, state in enumerate(dict.fromkeys(header.starts))}
        found = list(number)
        for state in found:
            for edge in rows.get(state, ()):
                if edge.target not in number:
                    number[edge.target] = len(number)
                    found.append(edge.target)
        table = [
            merged(Edge(label, number[target], marks) for label, target, marks in rows.get(state, ()))
            for state in found
        ]
        titles = [names.get(state, "") for state in found] if any(names.values()) else []
        starts = [number[start] for start in header.starts]
        return _with_one_start(Automaton(header.atoms, table, 0, header.marks, titles), starts)

    def _lexed(self) -> list[_Token]:
        tokens = []
        offset = 0
        while offset < len(self._text):
            match = _TOKEN.match(self._text, offset)
            if match is None:
                raise MuleError(f"unexpected {self._text[offset]!r} in a HOA text", self._place(offset))
            if match.lastgroup:
                tokens.append(_Token(match.lastgroup, match.group(), offset))
            offset = match.end()
        return [*tokens, _Token("end", "the end", len(self._text))]

    def _place(self, offset: int) -> Place:
        before = self._text[:offset]
        return Place(self._file, before.count("\n") + 1, offset - before.rfind("\n"))

    def _fail(self, message: str) -> NoReturn:
        raise MuleError(message, self._place(self._peek().offset))

    def _peek(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, kind: str | None = None, text: str | None = None) -> _Token:
        token = self._peek()
        if (kind and token.kind != kind) or (text and token.text != text):
            self._fail(f"expected {text or 'a ' + str(kind)}, found {clipped(token.text)}")
        self._at += 1
        return token

    def _number(self) -> int:
        token = self._peek()
        if token.kind == "number" and len(token.text) > MOST_DIGITS:
            self._fail(f"the number {token.text[:MOST_DIGITS]}... is too large")
        return int(self._take("number").text)

    def _state_number(self) -> int:
        """Of a state that there is, where the header says how many there are."""
        state = self._number()
        if self._header.states is not None and state >= self._header.states:
            self._at -= 1
            self._fail(f"there is no state {state}: there are {self._header.states}")
        return state

    def _read_header(self) -> None:
        self._take(text="HOA:")
        if self._peek().text not in _VERSIONS:
            self._fail(f"HOA {clipped(self._peek().text)} is not known: {' and '.join(_VERSIONS)} are")
        self._at += 1
        while self._peek().text != "--BODY--":
            name = self._take("header").text
            reader = {
                "Start:": self._read_start,
                "AP:": self._read_atoms,
                "Alias:": self._read_alias,
                "Acceptance:": self._read_acceptance,
                "States:": self._read_states,
            }.get(name)
            if reader:
                reader()
            elif name[0].isupper():
                self._at -= 1
                self._fail(f"{clipped(name)} is not known, and its capital letter says that it matters")
            self._skip(name == "properties:")
        self._at += 1

    def _skip(self, properties: bool) -> None:
        """To the next line of the header. Properties can be negated, as in `!complete`."""
        negated = False
        while self._peek().kind not in ("header", "mark", "end"):
            text = self._peek().text
            if properties and text in _REFUSED and not negated:
                self._fail(f"{_REFUSED[text]} are not supported")
            negated = text == "!"
            self._at += 1

    def _read_start(self) -> None:
        self._header.starts.append(self._number())
        if self._peek().text == "&":
            self._fail("alternating automata are not supported")

    def _read_states(self) -> None:
        self._header.states = self._number()

    def _read_atoms(self) -> None:
        count = self._number()
        self._header.atoms = tuple(_unquoted(self._take("string").text) for _ in range(count))
        letters.check_count(self._header.atoms)

    def _read_alias(self) -> None:
        name = self._take("alias").text
        self._header.aliases[name] = self._expression()

    def _read_acceptance(self) -> None:
        count = self._number()
        first = self._at
        while self._peek().kind not in ("header", "mark", "end"):
            self._at += 1
        condition = "".join(token.text for token in self._tokens[first : self._at])
        parts = condition.strip("()").split("&") if condition not in ("t", "(t)") else []
        found = [re.fullmatch(r"\(*Inf\((\d+)\)*", part) for part in parts]
        sets = {int(match[1]) for match in found if match and len(match[1]) <= MOST_DIGITS}
        if not all(found) or len(sets) != count or max(sets, default=-1) >= count:
            self._at = first
            self._fail(f"the acceptance {clipped(condition)} is not supported: only Büchi and generalised Büchi are")
        self._header.marks = count

    def _read_state(self) -> tuple[int, str, list[Edge]]:
        self._take(text="State:")
        label = self._bracketed()
        state = self._state_number()
        name = _unquoted(self._take().text) if self._peek().kind == "string" else ""
        marks = self._read_marks()
        edges: list[Edge] = []
        implicit = 0
        while self._peek().kind in ("number", "sign"):
            own = self._bracketed()
            target = self._state_number()
            if self._peek().text == "&":
                self._fail("alternating automata are not supported")
            if own is None and label is None:
                if implicit >= 1 << len(self._header.atoms):
                    self._fail("there are more edges without labels than there are letters")
                own, implicit = 1 << implicit, implicit + 1
            chosen = own if own is not None else label
            assert chosen is not None
            edges.append(Edge(chosen, target, marks | self._read_marks()))
        return state, name, edges

    def _bracketed(self) -> int | None:
        if self._peek().text != "[":
            return None
        self._at += 1
        label = self._expression()
        self._take(text="]")
        return label

    def _read_marks(self) -> int:
        if self._peek().text != "{":
            return 0
        self._at += 1
        marks = 0
        while self._peek().text != "}":
            mark = self._number()
            if mark >= (self._header.marks or 0):
                self._at -= 1
                self._fail(f"there is no acceptance set {mark}")
            marks |= 1 << mark
        self._at += 1
        return marks

    def _expression(self) -> int:
        label = self._conjunction()
        while self._peek().text == "|":
            self._at += 1
            label |= self._conjunction()
        return label

    def _conjunction(self) -> int:
        label = self._literal()
        while self._peek().text == "&":
            self._at += 1
            label &= self._literal()
        return label

    def _literal(self) -> int:
        count = len(self._header.atoms)
        token = self._take()
        if token.text == "!":
            return letters.everything(count) & ~self._literal()
        if token.text == "(":
            label = self._expression()
            self._take(text=")")
            return label
        if token.text in ("t", "f"):
            return letters.everything(count) if token.text == "t" else 0
        if token.kind == "alias" and token.text in self._header.aliases:
            return self._header.aliases[token.text]
        self._at -= 1
        if token.kind != "number":
            self._fail(f"expected a label, found {clipped(token.text)}")
        atom = self._number()
        if atom >= count:
            self._at -= 1
            self._fail(f"there is no proposition {atom}: there are {count}")
        return letters.positive(count, atom)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)


def _with_one_start(automaton: Automaton, starts: list[int]) -> Automaton:
    if len(starts) == 1:
        automaton.initial = starts[0]
        return automaton
    edges = [edge for start in starts for edge in automaton.edges[start]]
    automaton.edges.append(merged(Edge(label, target, 0) for label, target, _ in edges))
    automaton.initial = automaton.states - 1
    if automaton.names:
        automaton.names.append("start")
    return automaton
