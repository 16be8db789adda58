"""The reader of never claims: `if` and `do` with guards and gotos, `skip`, `false`, labels."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

from mule.errors import MuleError, Place
from mule.ltl import letters
from mule.ltl.automaton import Automaton, Edge, merged
from mule.ltl.formula import TRUE, Formula, not_, or_
from mule.ltl.parser import parse

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_LABEL = re.compile(r"([A-Za-z_]\w*)\s*:(?!:)")
_OPEN, _CLOSE = "([{", ")]}"


@dataclass(slots=True)
class _Option:
    guard: Formula | None
    """None is `else`."""
    goto: str | None = None
    """A label; None: on to what follows the statement, or round a `do` again."""
    violates: bool = False


@dataclass(slots=True)
class _Statement:
    labels: list[str]
    options: list[_Option] = field(default_factory=list)
    loops: bool = False
    jump: str | None = None
    """A bare goto, which takes no step."""


class ClaimReader:
    def __init__(self, text: str, file: str) -> None:
        self._text = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
        self._file = file
        self._at = 0

    def read(self) -> Automaton:
        try:
            return self._read()
        except RecursionError:
            self._fail("this claim is nested too deeply")

    def _read(self) -> Automaton:
        self._expect("never")
        if self._word() is not None:
            self._at += len(self._word() or "")
        self._expect("{")
        statements = []
        while not self._skips("}"):
            statements.append(self._statement())
            while self._skips(";"):
                pass
        self._space()
        if self._at < len(self._text):
            self._fail("the never claim ends here, expected nothing after it")
        return self._automaton(statements)

    def _fail(self, message: str) -> NoReturn:
        before = self._text[: self._at]
        raise MuleError(message, Place(self._file, before.count("\n") + 1, self._at - before.rfind("\n")))

    def _space(self) -> None:
        while self._at < len(self._text) and self._text[self._at].isspace():
            self._at += 1

    def _word(self) -> str | None:
        self._space()
        match = _WORD.match(self._text, self._at)
        return match.group() if match else None

    def _skips(self, sign: str) -> bool:
        self._space()
        if _WORD.fullmatch(sign) and self._word() != sign:
            return False
        if not self._text.startswith(sign, self._at):
            return False
        self._at += len(sign)
        return True

    def _expect(self, sign: str) -> None:
        if not self._skips(sign):
            found = self._text[self._at : self._at + 12].split("\n")[0] or "the end"
            self._fail(f"expected {sign} in a never claim, found {found}")

    def _statement(self) -> _Statement:
        labels = []
        self._space()
        while match := _LABEL.match(self._text, self._at):
            labels.append(match[1])
            self._at = match.end()
            self._space()
        if self._skips("goto"):
            return _Statement(labels, jump=self._target())
        for opening, closing in (("if", "fi"), ("do", "od")):
            if self._skips(opening):
                return self._selection(labels, closing)
        if self._text.startswith("}", self._at):
            return _Statement(labels, [_Option(TRUE)])
        if self._skips("assert"):
            return _Statement(labels, [_Option(not_(self._guard()), violates=True)])
        return _Statement(labels, [_Option(self._guard())])

    def _target(self) -> str:
        target = self._word()
        if target is None:
            self._fail("expected a label after goto")
        self._at += len(target)
        return target

    def _selection(self, labels: list[str], closing: str) -> _Statement:
        statement = _Statement(labels, loops=closing == "od")
        while not self._skips(closing):
            self._expect("::")
            statement.options.append(self._option())
        return statement

    def _option(self) -> _Option:
        braces = self._skips("atomic") and self._skips("{")
        option = _Option(None if self._skips("else") else self._guard())
        while self._skips("->") or self._skips(";"):
            if self._skips("goto"):
                option.goto = self._target()
            elif braces and self._skips("assert"):
                self._guard()
                option.violates = True
            elif not self._skips("skip") and self._word() is not None:
                self._fail(f"{self._word()} is not supported in an option of a never claim")
        if braces:
            self._expect("}")
        return option

    def _guard(self) -> Formula:
        """An expression, up to `->`, `;` or the next option, outside of brackets."""
        self._space()
        start = self._at
        depth = 0
        while self._at < len(self._text):
            char = self._text[self._at]
            if depth == 0 and (self._text.startswith(("->", "::", ";", "}"), self._at) or self._ends_selection()):
                break
            depth += (char in _OPEN) - (char in _CLOSE)
            self._at += 1
        text = self._text[start : self._at].rstrip()
        if text in ("skip", "(skip)"):
            return TRUE
        before = self._text[:start]
        place = Place(self._file, before.count("\n") + 1, start - before.rfind("\n"))
        formula = parse(text, "spin", place=place).formula
        if not formula.boolean:
            self._fail("a temporal operator cannot stand in a never claim")
        return formula

    def _ends_selection(self) -> bool:
        match = re.compile(r"\b(fi|od)\b").match(self._text, self._at)
        return match is not None

    def _automaton(self, statements: list[_Statement]) -> Automaton:
        end = len(statements)
        where = {label: number for number, statement in enumerate(statements) for label in statement.labels}
        guards = [option.guard for statement in statements for option in statement.options if option.guard]
        atoms = tuple(dict.fromkeys(text for guard in guards for text in guard.atoms()))
        letters.check_count(atoms)
        index = {text: number for number, text in enumerate(atoms)}
        edges: list[list[Edge]] = []
        for number, statement in enumerate(statements):
            accepting = int(any(label.startswith("accept") for label in statement.labels))
            out = []
            for option in statement.options:
                guard = option.guard or not_(or_(*(other.guard for other in statement.options if other.guard)))
                target = self._destination(option, number, statement, where, end)
                label = letters.of_formula(guard, index)
                out.append(Edge(label, self._resolved(target, statements, where), accepting))
            edges.append(merged(out))
        edges.append([Edge(letters.everything(len(atoms)), end, 1)])
        names = [statement.labels[0] if statement.labels else "" for statement in statements]
        return Automaton(atoms, edges, self._resolved(0, statements, where), 1, [*names, "end"])

    def _destination(self, option: _Option, number: int, statement: _Statement, where: dict[str, int], end: int) -> int:
        if option.violates:
            return end
        if option.goto:
            return self._labelled(option.goto, where)
        return number if statement.loops else number + 1

    def _labelled(self, label: str, where: dict[str, int]) -> int:
        if label not in where:
            raise MuleError(f"the never claim has no label {label}", Place(self._file))
        return where[label]

    def _resolved(self, target: int, statements: list[_Statement], where: dict[str, int]) -> int:
        """Gotos take no step: follow them."""
        seen: set[int] = set()
        while target < len(statements) and (jump := statements[target].jump):
            if target in seen:
                raise MuleError(f"goto {jump} leads back to itself", Place(self._file))
            seen.add(target)
            target = self._labelled(jump, where)
        return target
