"""Directives and macros, through pcpp, with its corners cut to Promela's shape."""

from __future__ import annotations

import io
import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from pcpp import OutputDirective, Preprocessor  # type: ignore[import-untyped]
from pcpp.evaluator import INTMAXBITS, Value  # type: ignore[import-untyped]
from pcpp.preprocessor import Action  # type: ignore[import-untyped]

from mule.errors import MuleError, Place
from mule.frontends import files
from mule.frontends.promela.preprocessor import Origin, Preprocessed, clean

MAX_INCLUDES = 100
MAX_EXPANSION = 500_000
"""Tokens that macros may expand to: a few lines of macros can ask for more than any memory holds."""

_QUESTIONS = "\ue000\ue001"
"""Stands for `??`: pcpp would take `??<` for a trigraph, where Promela has a receive and a comparison."""

_OPERATORS = frozenset("+-*/%<>=!?&|:.")

_shifted = Value.__lshift__


def _shifted_in_bounds(value: Any, count: Any) -> Any:
    """pcpp makes the whole number, and then takes its last bits: of `1 << 99999999999` no machine can."""
    return Value(0) if int(count) >= INTMAXBITS else _shifted(value, count)


Value.__lshift__ = _shifted_in_bounds


def expand(text: str, file: str, definitions: Iterable[tuple[str, str]]) -> Preprocessed:
    """Run pcpp over a text without comments."""
    run = _Run(file)
    try:
        for name, value in definitions:
            run.define(f"{name} {value}")
        run.parse(run.register(text, file), file)
        result = _assemble(run, run.parser)
        result.expand = run.expanded
        return result
    except MuleError:
        raise
    except RecursionError:
        run.fail("macros are nested too deeply here")
    except Exception as error:
        # pcpp indexes and asserts its way through malformed directives.
        run.fail(f"cannot make sense of this preprocessor directive ({type(error).__name__})")


class _Run(Preprocessor):  # type: ignore[misc]
    """pcpp with located errors, with limits, and without the macros and rewritten paths of a C compiler."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.macros.clear()
        self.expand_filemacro = False
        self.auto_pragma_once_enabled = False
        self.rewrite_paths: list[tuple[str, str]] = []
        self.file = file
        self.names: dict[str, str] = {}
        """Absolute paths to the names that messages use."""
        self.lines: dict[str, list[int]] = {}
        """For each file the offsets where its lines begin."""
        self.expansion = 0

    def register(self, text: str, file: str) -> str:
        path = os.path.abspath(file)
        self.names[path] = file
        self.lines[path] = [0, *(match.end() for match in re.finditer("\n", text))]
        return text.replace("??", _QUESTIONS)

    def place(self, token: Any) -> Place:
        starts = self.lines.get(token.source)
        if starts is None:
            return Place(self.file)
        line = min(token.lineno, bisect_right(starts, token.lexpos)) or 1
        return Place(self.names[token.source], line, max(token.lexpos - starts[line - 1], 0) + 1)

    def fail(self, message: str) -> NoReturn:
        """Stop at the last directive that was read."""
        raise MuleError(message, self.place(self.lastdirective) if self.lastdirective else Place(self.file))

    def on_error(self, file: str, line: int, msg: str) -> NoReturn:
        raise MuleError(f"preprocessor: {msg[:1].lower()}{msg[1:]}", Place(self.names.get(file, self.file), line))

    def on_file_open(self, is_system_include: bool, includepath: str) -> io.StringIO:
        if self.include_depth > MAX_INCLUDES:
            self.fail(f"files include each other more than {MAX_INCLUDES} levels deep")
        folder = os.path.dirname(self.file)
        key = os.path.relpath(includepath, folder or os.curdir)
        name = os.path.normpath(os.path.join(folder, key))
        text = files.current().read(key.replace(os.sep, "/"), includepath)
        return io.StringIO(self.register(clean(text, name), name))

    def on_include_not_found(
        self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str
    ) -> NoReturn:
        if is_malformed:
            self.fail('malformed #include: expected `#include "file"`')
        self.fail(f"cannot find the file `{includepath}` that is included here")

    def on_directive_handle(self, directive: Any, toks: Any, ifpassthru: bool, precedingtoks: Any) -> bool:
        self.lastdirective = directive
        return True

    def include(self, tokens: Any, original_line: Any) -> Any:
        if not tokens:
            self.on_include_not_found(True, False, "", "")
        return super().include(tokens, original_line)

    def on_directive_unknown(self, directive: Any, toks: Any, ifpassthru: bool, precedingtoks: Any) -> NoReturn:
        name = directive.value
        if name == "error":
            self.fail("#error " + "".join(token.value for token in toks))
        # A number marks a line of a file that was preprocessed before.
        if name not in ("line", "ident", "warning") and not str(name).isdigit():
            self.fail(f"unknown preprocessor directive `#{name}`")
        raise OutputDirective(Action.IgnoreAndRemove)

    def collect_args(self, tokenlist: Any, ignore_errors: bool = False) -> Any:
        result = super().collect_args(tokenlist, ignore_errors)
        if result[0] == 0 and ignore_errors:
            raise MuleError("the arguments of this macro are never closed: expected `)`", self.place(tokenlist[0]))
        return result

    def expanded(self, text: str, grouped: bool) -> str:
        """A piece of text that is not in the file, as the macros of the file make it. `grouped`: each macro in it
        becomes one operand, as in the claims that SPIN makes of formulas."""
        self.expansion = 0
        tokens = self.tokenize(text.replace("??", _QUESTIONS))
        for token in tokens:
            token.source = ""
        result = ""
        position = 0
        while position < len(tokens):
            end = self._end_of_use(tokens, position)
            try:
                values = [token.value for token in self.expand_macros(tokens[position:end]) if token.value]
            except RecursionError:
                raise MuleError("macros are nested too deeply here") from None
            if grouped and len(values) > 1:
                values = ["(", *values, ")"]
            for value in values:
                result += f" {value}" if result and _would_merge(result[-1], value[0]) else value
            position = end
        return result.replace(_QUESTIONS[0], "?").replace(_QUESTIONS[1], "?")

    def _end_of_use(self, tokens: list[Any], position: int) -> int:
        """Where the use of a macro ends that begins here, or the token that is none."""
        macro = self.macros.get(tokens[position].value)
        following = position + 1
        while following < len(tokens) and not tokens[following].value.strip():
            following += 1
        if macro is None or macro.arglist is None or following == len(tokens) or tokens[following].value != "(":
            return position + 1
        depth = 0
        for end in range(following, len(tokens)):
            depth += {"(": 1, ")": -1}.get(tokens[end].value, 0)
            if depth == 0:
                return end + 1
        return len(tokens)

    def expand_macros(self, tokens: Any, expanding_from: Any = ()) -> Any:
        result = super().expand_macros(tokens, list(expanding_from))
        if expanding_from:
            self.expansion += len(result)
            if self.expansion > MAX_EXPANSION:
                place = Place(self.names.get(tokens[0].source, self.file), self.linemacro) if tokens else None
                raise MuleError(f"macros expand to more than {MAX_EXPANSION} tokens", place)
        return result


def _assemble(run: _Run, tokens: Iterator[Any]) -> Preprocessed:
    """Put the text of the tokens together, and remember where each piece came from."""
    pieces: list[str] = []
    result = Preprocessed("")
    length = 0
    last = ""
    end = -1
    """Where the token before this one ended in its file."""
    cursor = 0
    """The same for the last token that no macro produced: the name of a macro follows it."""
    source = ""
    was_expanded = False
    for token in tokens:
        value = token.value
        expanded = bool(getattr(token, "expanded_from", None))
        if not value:
            end = token.lexpos + 2 if not expanded else end
            continue
        value = value.replace(_QUESTIONS[0], "?").replace(_QUESTIONS[1], "?")
        if expanded and value == "\n":
            value = " "  # Arguments may span lines; what the macro becomes stands in one.
        joined = token.source == source and expanded == was_expanded and token.lexpos == end
        if not joined and _would_merge(last, value[0]):
            pieces.append(" ")
            length += 1
        if token.source != source:
            source, cursor = token.source, token.lexpos
        if not joined and not (expanded and was_expanded):
            starts = run.lines[source]
            at = cursor if expanded else token.lexpos
            column = max(at - starts[min(token.lineno, len(starts)) - 1], 0) + 1
            result.starts.append(length)
            result.origins.append(Origin(run.names[source], token.lineno, column, not expanded))
        pieces.append(value)
        length += len(value)
        last = value[-1]
        end = token.lexpos + len(value)
        if value == "\n":
            end = -1
        if not expanded:
            cursor = token.lexpos + len(value)
        was_expanded = expanded
    if not result.origins:
        result.starts.append(0)
        result.origins.append(Origin(run.file, 1, 1, True))
    result.text = "".join(pieces)
    return result


def _would_merge(left: str, right: str) -> bool:
    """Whether two characters that did not stand side by side would now read as one token."""
    if left in _OPERATORS:
        return right in _OPERATORS
    return (left.isalnum() or left == "_") and (right.isalnum() or right == "_")
