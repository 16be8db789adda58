"""From functions to their syntax trees, and from trees to places in files."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from pathlib import PurePath
from types import CodeType, FunctionType

from mule.errors import MuleError, Place

LIBRARY = str(PurePath(__file__).parents[1])
"""Where locks, queues and Byzantine processes are written."""
DEEPEST_TEXT = 6
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Sources:
    """The files that functions come from, each parsed once."""

    def __init__(self) -> None:
        self._definitions: dict[str, dict[int, list[Definition]]] = {}

    def definition(self, function: FunctionType) -> Definition:
        """The tree of a function or of a lambda."""
        return self.of_code(function.__code__)

    def of_code(self, code: CodeType) -> Definition:
        found = [
            node
            for node in self._in(code.co_filename).get(code.co_firstlineno, [])
            if (isinstance(node, ast.Lambda) and code.co_name == "<lambda>")
            or getattr(node, "name", "") == code.co_name
        ]
        if len(found) > 1:
            found = [node for node in found if _spans(node, code)]
        if len(found) != 1:
            place = Place(code.co_filename, code.co_firstlineno)
            raise MuleError(f"the source of {code.co_name} cannot be found: it must be in a file", place)
        return found[0]

    def _in(self, file: str) -> dict[int, list[Definition]]:
        known = self._definitions.get(file)
        if known is None:
            known = self._definitions[file] = {}
            for node in ast.walk(parse("".join(linecache.getlines(file)), file)):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                    known.setdefault(first, []).append(node)
                elif isinstance(node, ast.Lambda):
                    known.setdefault(node.lineno, []).append(node)
        return known


def default_values(spec: ast.arguments) -> dict[str, ast.expr]:
    """What parameters are where they are not given."""
    positional = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    found = dict(zip(positional[::-1], spec.defaults[::-1], strict=False))
    only = zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
    return dict(reversed(found.items())) | {each.arg: default for each, default in only if default is not None}


def local_names(definition: Definition) -> frozenset[str]:
    """The names that a function makes its own by assigning to them, besides its parameters."""
    body = definition.body if isinstance(definition.body, list) else [definition.body]
    return frozenset(name for node in body for name in _assigned(node, inside=False))


def _assigned(node: ast.AST, inside: bool) -> Iterator[str]:
    """`inside`: in a comprehension, where only `:=` assigns to a name of the function."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
            return
        case ast.Lambda():
            return
        case ast.NamedExpr(target=ast.Name(name)):
            yield name
        case ast.Name(name, ast.Store() | ast.Del()) if not inside:
            yield name
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield name
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            inside = True
    for child in ast.iter_child_nodes(node):
        yield from _assigned(child, inside)


def of_its_own(definition: Definition, kinds: type[ast.AST] | tuple[type[ast.AST], ...]) -> ast.AST | None:
    """A part of a function of one of these kinds, not of a function inside it."""
    pending: list[ast.AST] = list(definition.body) if isinstance(definition.body, list) else [definition.body]
    while pending:
        node = pending.pop()
        if isinstance(node, kinds):
            return node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            pending += ast.iter_child_nodes(node)
    return None


def parse(text: str, file: str) -> ast.Module:
    try:
        tree = ast.parse(text, file)
    except SyntaxError as error:
        raise MuleError(f"this is not Python: {error.msg}", Place(file, error.lineno, error.offset)) from None
    except ValueError as error:
        raise MuleError(f"this is not Python: {error}", Place(file)) from None
    except (MemoryError, RecursionError):  # Python's parser gives up
        raise MuleError("something in it is nested too deeply", _longest_line(text, file)) from None
    _require_shallow_texts(tree, file)
    return tree


def _require_shallow_texts(tree: ast.Module, file: str) -> None:
    """An annotation that Python keeps as a text gets twice as long with each f-string around another one."""
    pending: list[tuple[ast.AST, int]] = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        if isinstance(node, ast.JoinedStr):
            depth += 1
            if depth > DEEPEST_TEXT:
                raise MuleError("f-strings are nested too deeply here", place_of(node, file))
        pending += [(child, depth) for child in ast.iter_child_nodes(node)]


def _longest_line(text: str, file: str) -> Place:
    """The best guess where."""
    lines = text.split("\n")
    return Place(file, max(range(len(lines)), key=lambda number: len(lines[number])) + 1)


def _spans(node: Definition, code: CodeType) -> bool:
    """Whether the instructions of the code lie inside the body; several lambdas may begin on one line."""
    body = node.body
    if isinstance(body, list):
        return True
    start, end = (body.lineno, body.col_offset), (body.end_lineno or body.lineno, body.end_col_offset or 0)
    positions = [
        (line, column) for line, _, column, _ in code.co_positions() if line is not None and column is not None
    ]
    inside = [position for position in positions if position != (code.co_firstlineno, 0)]
    return all(start <= position <= end for position in inside)


def place_of(node: ast.AST, file: str) -> Place:
    line = getattr(node, "lineno", None)
    column = getattr(node, "col_offset", None)
    return Place(file, line, None if column is None else column + 1)
