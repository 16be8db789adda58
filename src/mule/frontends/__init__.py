"""Models in files to models in memory: one front end a language, chosen by the file's extension."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import cast

from mule.errors import MuleError, Place
from mule.model import Model

LANGUAGES = {"dve": "mule.frontends.dve"}
"""The module of each language; it has `load(text, file) -> Model` and is imported only when it is needed."""
EXTENSIONS = {".dve": "dve"}


def load(path: str | PathLike[str], language: str | None = None) -> Model:
    """Read the model in a file; the language is told by the extension if it is not given."""
    file = fspath(path)
    text = read_text(file)
    chosen = language if language is not None else language_of(file)
    if chosen not in LANGUAGES:
        raise MuleError(f"unknown language {chosen}: expected one of {', '.join(sorted(LANGUAGES))}")
    module = import_module(LANGUAGES[chosen])
    reader = cast(Callable[[str, str], Model], module.load)
    return reader(text, file)


def language_of(file: str) -> str:
    extension = Path(file).suffix
    try:
        return EXTENSIONS[extension.lower()]
    except KeyError:
        known = ", ".join(sorted(EXTENSIONS))
        named = f"the extension {extension}" if extension else "no extension"
        message = f"cannot tell the language from {named}: expected one of {known}, or name the language"
        raise MuleError(message, Place(file)) from None


def read_text(file: str) -> str:
    """The text of a file, or a message about what is wrong with the file."""
    place = Place(file)
    try:
        data = Path(file).read_bytes()
    except FileNotFoundError:
        raise MuleError("there is no such file", place) from None
    except IsADirectoryError:
        raise MuleError("this is a directory, expected a file", place) from None
    except PermissionError:
        raise MuleError("permission to read this file is missing", place) from None
    except (OSError, ValueError) as error:
        raise MuleError(f"the file cannot be read: {error}", place) from None
    if b"\0" in data:
        raise MuleError("this is a binary file, expected text", place)
    text = decode(data)
    if not text.strip():
        raise MuleError("the file is empty, expected a model", place)
    return text


def decode(data: bytes) -> str:
    """UTF-8, or Latin-1 for the comments of older models; with Unix line ends."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")
