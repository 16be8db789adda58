"""Pages of the site that are made from the code when `mkdocs build` runs, so that they cannot be out of date."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from argparse import Action, ArgumentParser
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from typing import Any

import mule
from mule.cli.main import COMMANDS, parser_of

MADE_FROM_THE_CODE = "*This page is made from the code when the site is built.*\n"
MODULES = ("mule.actors", "mule.processes", "mule.lpor")
ROW = re.compile(r"^\|.*$", re.MULTILINE)
CODE = re.compile(r"`[^`\n]+`")
FILE_OF_A_BLOCK = re.compile(r"^```(\w+) ([\w./-]+)$", re.MULTILINE)


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    for name, text in pages().items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A block that says which file it goes to has the file's name as its title. In the code of a table GitHub needs a
    backslash before `|`, and mkdocs would show it."""
    titled = FILE_OF_A_BLOCK.sub(r'```\1 title="\2"', markdown)
    return ROW.sub(lambda row: CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0]), titled)


def pages() -> dict[str, str]:
    return {"reference/commands.md": commands_page(), "reference/python.md": python_page()}


def commands_page() -> str:
    parts = ["# Commands and options\n", MADE_FROM_THE_CODE]
    for command, meaning in COMMANDS.items():
        parser = parser_of(command)
        parts += [f"## mule {command}\n", f"{_sentence(meaning)}\n"]
        parts += ["```text", f"{parser.usage}\n\n{parser.description}", "```\n", *_options(parser)]
    return "\n".join(parts)


def _options(parser: ArgumentParser) -> Iterator[str]:
    for group in parser._action_groups:
        rows = [_row(action) for action in group._group_actions]
        if rows:
            yield "\n".join([f"| {group.title} | |", "|---|---|", *rows, ""])


def _row(action: Action) -> str:
    value = "" if action.nargs == 0 else f" {action.metavar or action.dest}"
    names = ", ".join(f"`{name}{value}`" for name in action.option_strings) or f"`{value.strip()}`"
    meaning = (action.help or "").replace("%%", "%").replace("|", "\\|")
    return f"| {names} | {meaning} |"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def python_page() -> str:
    parts = ["# The Python interface\n", MADE_FROM_THE_CODE, "[python.md](../python.md) tells the same as a story.\n"]
    parts += ["## mule\n"]
    for name in mule.__all__:
        if not name.startswith("_"):
            parts += _thing(f"mule.{name}", getattr(mule, name))
    for module_name in MODULES:
        module = import_module(module_name)
        parts += [f"## {module_name}\n", _text(module)]
        for name in _public(module):
            parts += _thing(f"{module_name}.{name}", getattr(module, name))
    return "\n".join(parts)


def _public(module: Any) -> list[str]:
    """What `__all__` names, or else what the module's functions and classes are."""
    named = getattr(module, "__all__", None)
    if named is not None:
        return list(named)
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and callable(value) and getattr(value, "__module__", "").startswith("mule")
    )


def _thing(name: str, thing: Any) -> Iterator[str]:
    yield f"### {name}\n"
    if not inspect.isclass(thing):
        yield f"```python\n{name}{_signature(thing)}\n```\n"
        yield _text(thing)
        return
    yield _text(thing)
    if issubclass(thing, Enum):
        yield "\n".join(f"- `{member.name}`: `{member.value!r}`" for member in thing) + "\n"
        return
    fields = dict(_fields(thing))
    if fields:
        yield "\n".join(["| field | |", "|---|---|", *(f"| `{name}` | {text} |" for name, text in fields.items()), ""])
    for method, function in _methods(thing):
        yield f"#### {method}\n"
        if isinstance(function, property):
            yield f"*A property.* {_text(function)}"
        else:
            yield f"```python\n{method}{_signature(function)}\n```\n"
            yield _text(function)


def _methods(thing: type) -> Iterator[tuple[str, Any]]:
    """Those of the class itself, then those that it has from other classes of Mule."""
    found: dict[str, Any] = {}
    for owner in thing.__mro__:
        if owner.__module__.startswith("mule"):
            for name, value in vars(owner).items():
                if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    found.setdefault(name, value)
    yield from found.items()


def _signature(function: Any) -> str:
    try:
        signature = str(inspect.signature(function))
    except (TypeError, ValueError):
        return "(…)"
    return signature.replace("'", "")


def _text(thing: Any) -> str:
    """The docstring as Markdown: examples become blocks."""
    text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    if text.startswith(f"{getattr(thing, '__name__', '')}("):
        return ""  # the signature, which a dataclass has instead of a docstring
    parts = re.split(r"(?m)^(?=>>> )", text, maxsplit=1)
    if len(parts) == 2:
        text = f"{parts[0]}\n```pycon\n{parts[1].rstrip()}\n```"
    return f"{text}\n"


def _fields(thing: type) -> Iterator[tuple[str, str]]:
    """The annotated fields of a class, with the text that stands below each of them in the source."""
    try:
        source = textwrap.dedent(inspect.getsource(thing))
    except (OSError, TypeError):
        return
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.ClassDef)
    for node, after in zip(definition.body, [*definition.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not node.target.id.startswith("_"):
            said = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and after.value.value
            meaning = " ".join(said.split()) if isinstance(said, str) else ""
            annotation = f"`{ast.unparse(node.annotation)}`".replace("|", "\\|")
            yield node.target.id, f"{annotation} {meaning}".replace("\n", " ")
