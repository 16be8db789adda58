"""Models in files to models in memory: one front end a language, chosen by the file's extension or its content."""

from __future__ import annotations

import re
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import IO

from mule import __version__
from mule.errors import MissingFileError, MuleError, Place, clipped
from mule.frontends.files import MOST_BYTES, decode, reading
from mule.model import Model
from mule.model.recipe import Recipe, fingerprint
from mule.model.source import Source
from mule.records import replace
from mule.streams import streams

LANGUAGES = {
    "actors": "mule.frontends.actors",
    "dve": "mule.frontends.dve",
    "pnml": "mule.frontends.pnml",
    "promela": "mule.frontends.promela",
    "python": "mule.frontends.python",
}
"""The module of each language; it has `load(text, file) -> Model` and is imported only when it is needed."""
PREPROCESSED = frozenset({"actors", "promela", "python"})
"""Languages with a preprocessor, or with parameters: their `load` takes definitions as a third argument."""
DYNAMIC = frozenset({"promela"})
"""Languages in which processes start others: their `load` takes a bound for them."""
EXECUTED = frozenset({"actors", "python"})
"""Languages whose models are programs that are run when they are read."""
PYTHON = ".py"
EXTENSIONS = {
    ".dve": "dve",
    ".pml": "promela",
    ".pnml": "pnml",
    ".prm": "promela",
    ".pr": "promela",
    ".pm": "promela",
    ".promela": "promela",
    ".spin": "promela",
}

_DVE = re.compile(r"^[ \t]*system\s+a?sync\b", re.MULTILINE), re.compile(r"\bprocess\s+\w+\s*\{")
_PROMELA = re.compile(r"\bproctype\b|\binit\s*\{|^[ \t]*active\b", re.MULTILINE)
_PYTHON = {
    "actors": re.compile(
        r"^[ \t]*(from|import)\s+mule\.actors\b|^[ \t]*from\s+mule\s+import\s+.*\bactors\b", re.MULTILINE
    ),
    "python": re.compile(
        r"^[ \t]*(from|import)\s+mule\.processes\b|^[ \t]*from\s+mule\s+import\s+.*\bprocesses\b", re.MULTILINE
    ),
}
"""What models in Python begin with."""
_PNML = re.compile(r"^\s*(<\?xml\b[^>]*\?>\s*)?(?><!--.*?-->\s*)*+<(\w+:)?pnml\b", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)


DIGITS = "integer string conversion"
"""What Python complains of when a message would show a number of thousands of digits."""
PIECE = 2**20
STANDARD_INPUT = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})


def load(
    path: str | PathLike[str],
    language: str | None = None,
    defines: Sequence[str] = (),
    processes: int | None = None,
) -> Model:
    """Read the model in a file, or `-` for standard input; its extension or its content tells the language if it is not
    given.

    `defines` are definitions for the preprocessor of the language, as in a compiler's `-D`, or parameters of a protocol
    in Python: NAME or NAME=VALUE;
    `processes` bounds how many processes a program can start, where it does not tell itself."""
    file = fspath(path)
    text = read_text(file)
    return load_text(text, stream_name(file) if is_stream(file) else file, language, defines, processes)


def is_stream(file: str) -> bool:
    """Whether it can be read once only: standard input, a pipe."""
    if file in STANDARD_INPUT:
        return True
    try:
        mode = Path(file).stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def stream_name(file: str) -> str:
    """What messages and reports call a model that has no file."""
    return "<stdin>" if file in STANDARD_INPUT else "<pipe>"


def load_text(
    text: str, file: str, language: str | None = None, defines: Sequence[str] = (), processes: int | None = None
) -> Model:
    """Read a model from its text; `file` is the name that it goes by."""
    chosen = language if language is not None else language_of(file, text)
    if chosen not in LANGUAGES:
        known = ", ".join(sorted(LANGUAGES))
        raise MuleError(f"unknown language {clipped(chosen)} (--language): expected one of {known}", Place(file))
    if defines and chosen not in PREPROCESSED:
        raise MuleError(f"cannot define {clipped(defines[0])} (-D): {chosen} has no preprocessor", Place(file))
    if processes is not None and chosen not in DYNAMIC:
        raise MuleError(f"the processes of a {chosen} model are all there from the start: no --processes", Place(file))
    return _made(Source(file, text, chosen, defines=tuple(defines), processes=processes), None)


def rebuild(recipe: Recipe) -> Model:
    """The model that a recipe was taken from, from nothing but the recipe."""
    place = Place(recipe.source.file)
    if recipe.version != __version__:
        raise MuleError(f"this model was read by Mule {recipe.version}, and this is {__version__}", place)
    model = build(recipe.source)
    if fingerprint(model) != recipe.fingerprint:
        raise MuleError("this is not the model that it was: it depends on more than its files and definitions", place)
    return model


def require_trust(source: Source, language: str | None, place: Place, what: str) -> None:
    """Before the model of a file that may come from a stranger is built: a program in Python would be run. Who names
    its `language` says that it may be."""
    if source.language not in EXECUTED:
        if language is not None:
            raise MuleError(f"{what} has its model in it: --language has no effect", place)
        return
    if language is None:
        message = f"{what} was made from a program in Python, {source.file}, which is run to read it"
        raise MuleError(f"{message}: if you trust it, say --language {source.language}", place)
    if language != source.language:
        raise MuleError(f"the model of {what} is written in {source.language}, not in {language}", place)


def build(source: Source) -> Model:
    """The model that was made of a source, from nothing but the source."""
    model = _made(replace(source, widened=(), deep=False), dict(source.others))
    for limits in source.widened:
        if model.wider is None:
            raise MuleError("it has as much room as its runs can need, and was given more", Place(source.file))
        model = model.wider(frozenset(limits))
    if source.deep:
        if model.deeper is None:
            raise MuleError("its runs are not cut short, and were made longer", Place(source.file))
        model = model.deeper()
    return model


def _made(source: Source, others: Mapping[str, str] | None) -> Model:
    """The model, with its source; `others`: the texts of what it includes or imports, if not those on the disk."""
    module = import_module(LANGUAGES[source.language])
    arguments = [source.defines] if source.language in PREPROCESSED else []
    bound = {"processes": source.processes} if source.language in DYNAMIC else {}
    with reading(others) as files, _placed(source.file):
        model: Model = module.load(source.text, source.file, *arguments, **bound)
    return _with_source(model, replace(source, others=tuple(sorted(files.noted.items()))))


@contextmanager
def _placed(file: str) -> Iterator[None]:
    """What is wrong with a model as a whole is wrong in its file, if nothing else is known."""
    try:
        yield
    except MuleError as error:
        error.place = error.place or Place(file)
        raise
    except ValueError as error:
        if DIGITS not in str(error):
            raise
        raise MuleError("a number in it has more digits than Python writes", Place(file)) from None


def _with_source(model: Model, source: Source) -> Model:
    """The model, and those that it becomes when it gets more room, with what each is made of."""
    wider, deeper = model.wider, model.deeper

    def with_room(limits: frozenset[str]) -> Model:
        assert wider is not None
        with _placed(source.file):
            wide = wider(limits)
        return _with_source(wide, replace(source, widened=(*source.widened, tuple(sorted(limits)))))

    def with_depth() -> Model:
        assert deeper is not None
        with _placed(source.file):
            deep = deeper()
        return _with_source(deep, replace(source, deep=True))

    return replace(
        model,
        source=source,
        wider=None if wider is None else with_room,
        deeper=None if deeper is None else with_depth,
    )


def language_of(file: str, text: str) -> str:
    """What a model is written in, by the file's extension or else by its text. A program that looks like a model in
    Python is run only if its name says that it is Python, or its user does."""
    extension = Path(file).suffix
    told = EXTENSIONS.get(extension.lower()) or _language_in(text)
    if told in EXECUTED and extension.lower() != PYTHON:
        message = "a model in Python is a program that is run, and the name of this one does not end in .py"
        raise MuleError(f"{message}: to run it, say --language {told}", Place(file))
    if told is not None:
        return told
    if extension.lower() == PYTHON:
        raise MuleError(
            "a model in Python imports what it needs from mule.processes (async functions) or mule.actors, and this "
            "file imports from neither: docs/processes.md shows a program and its model",
            Place(file),
        )
    known = ", ".join(sorted(EXTENSIONS))
    named = f"the extension {extension}" if extension else "no extension"
    message = f"cannot tell the language from {named}: expected one of {known}, or name the language (--language)"
    raise MuleError(message, Place(file))


def _language_in(text: str) -> str | None:
    """The language of a text by the words that its models cannot do without."""
    if _PNML.search(text):
        return "pnml"
    for language, pattern in _PYTHON.items():
        if pattern.search(text):
            return language
    code = _COMMENT.sub(" ", text)
    if all(pattern.search(code) for pattern in _DVE):
        return "dve"
    return "promela" if _PROMELA.search(code) else None


def can_be_read(name: str) -> bool:
    """Whether it is the name of a file, or of a pipe."""
    try:
        return is_stream(name) or Path(name).is_file()
    except (OSError, ValueError):
        return False


def read_again(file: str, expected: str) -> str:
    """The text of a file that a command needs several times: what came through a pipe is kept, since it comes once."""
    kept = streams.get()
    if kept is None or not is_stream(file):
        return read_text(file, expected)
    if file not in kept:
        kept[file] = read_text(file, expected)
    return kept[file]


def read_text(file: str, expected: str = "a model") -> str:
    """The text of a file, or a message about what is wrong with the file."""
    place = Place(file)
    try:
        data = _read(sys.stdin.buffer) if file in STANDARD_INPUT else _read_file(file)
    except FileNotFoundError:
        raise MissingFileError("there is no such file", place) from None
    except IsADirectoryError:
        raise MuleError("this is a directory, expected a file", place) from None
    except PermissionError:
        raise MuleError("permission to read this file is missing", place) from None
    except OSError as error:
        raise MuleError(f"the file cannot be read: {error.strerror or error}", place) from None
    except ValueError as error:
        raise MuleError(f"the file cannot be read: {error}", place) from None
    if len(data) > MOST_BYTES:
        raise MuleError(f"this is longer than {MOST_BYTES // 2**20} MiB, expected {expected}", place)
    if data.startswith(b"PK") and is_stream(file):
        raise MuleError("a saved graph cannot be read from a pipe: name its file", place)
    if b"\0" in data:
        raise MuleError("this is a binary file, expected text", place)
    text = decode(data)
    if not text.strip():
        raise MuleError(
            f"{'nothing came' if file in STANDARD_INPUT else 'the file is empty'}, expected {expected}", place
        )
    return text


def _read_file(file: str) -> bytes:
    with open(file, "rb") as opened:
        return _read(opened)


def _read(opened: IO[bytes]) -> bytes:
    """No more than it takes to see that it is too much: a device may never end. Piece by piece, because Python makes
    room for all that it may read at once."""
    parts: list[bytes] = []
    left = MOST_BYTES + 1
    while left and (part := opened.read(min(left, PIECE))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def preprocessed(text: str, file: str, language: str) -> str:
    """A part of a model that stands in a file of its own, as the language's preprocessor leaves it."""
    if language != "promela" or "#" not in text:
        return text
    preprocessor = import_module("mule.frontends.promela.preprocessor")
    return str(preprocessor.preprocess(text, file).text)
