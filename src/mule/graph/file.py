"""State graphs in files: a zip archive with a header (JSON), the model, and the arrays; see docs/ctl.md.

The model is its source, unless that is a program: then it is data (see `mule.model.data`), with the propositions that
the graph observes, and nothing else can be asked about."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from msgspec import ValidationError, convert, to_builtins

from mule import _engine
from mule.errors import MissingFileError, MuleError, Place
from mule.files import written_whole
from mule.frontends import EXECUTED, build
from mule.graph.construction import Preserved, StateGraph
from mule.graph.propositions import Proposition, not_observed, read_proposition
from mule.memory import available_memory
from mule.model import Model
from mule.model.data import decoded, encoded
from mule.model.expressions import Expression
from mule.model.recipe import fingerprint
from mule.model.source import Source
from mule.options import Options
from mule.planning import Analysis
from mule.preservation import preserves
from mule.records import replace
from mule.results import Statistics

FORMAT: Final = "mule-graph"
VERSION: Final = 4
_HEADER: Final = "header.json"
_MODEL: Final = "model"
_ARRAYS: Final = ("offsets", "targets", "transitions", "outcomes", "letters")
_QUICK: Final = 1
"""zlib's level: arrays of a graph become little smaller with more effort."""


def save_graph(graph: StateGraph, path: str) -> None:
    """Write the file as a whole or not at all."""
    source = graph.model.source
    assert source is not None
    header = {
        "format": FORMAT,
        "version": VERSION,
        "byte_order": sys.byteorder,
        "model": graph.model.name,
        "source": to_builtins(replace(source, text="", others=() if _is_program(source) else source.others)),
        "fingerprint": fingerprint(graph.model),
        "observed": [each.text for each in graph.observed],
        "preserves": graph.preserves,
        "options": asdict(graph.options),
        "statistics": to_builtins(graph.statistics),
        "notes": list(graph.notes),
    }
    parts = {_MODEL: _written_model(graph, source), **{name: getattr(graph.native, name) for name in _ARRAYS}}
    header["checksum"] = checksum(header, parts)
    try:
        with (
            written_whole(path) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_QUICK) as zipped,
        ):
            zipped.writestr(_HEADER, json.dumps(header, indent=1))
            for name, content in parts.items():
                zipped.writestr(name, content)
    except OSError as error:
        raise MuleError(f"the graph cannot be written: {error.strerror or error}", Place(path)) from None


def _is_program(source: Source) -> bool:
    return source.language in EXECUTED


def _written_model(graph: StateGraph, source: Source) -> bytes:
    if not _is_program(source):
        return source.text.encode()
    table = encoded((graph.model, tuple(each.expression for each in graph.observed)))
    decoded(table)  # what is too large to be read again is not written
    return json.dumps(table).encode()


def checksum(header: dict[str, Any], parts: Mapping[str, bytes]) -> str:
    """Of all that is in the file."""
    digest = hashlib.sha256(json.dumps({**header, "checksum": ""}, sort_keys=True).encode())
    for content in parts.values():
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


def is_graph(path: str) -> bool:
    """Whether a file is a saved graph, by its content."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _HEADER in archive.namelist()
    except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile):
        return False


def load_graph(path: str) -> StateGraph:
    """Nothing that is in the file is run."""
    place = Place(path)
    try:
        with zipfile.ZipFile(path) as archive:
            _require_room(archive, place)
            header = json.loads(archive.read(_HEADER))
            if not isinstance(header, dict) or header.get("format") != FORMAT:
                raise MuleError("this is not a graph that Mule has saved", place)
            if header.get("version") != VERSION or header["byte_order"] != sys.byteorder:
                raise MuleError("this graph was saved by another version of Mule, or on another kind of machine", place)
            parts = {name: archive.read(name) for name in (_MODEL, *_ARRAYS)}
        if header["checksum"] != checksum(header, parts):
            raise MuleError("this graph file is damaged: its checksum is not that of its content", place)
        model, observed = _read_model(header, parts[_MODEL], place)
        return _graph(header, model, observed, _engine.Graph(*(parts[name] for name in _ARRAYS)), place)
    except (KeyError, TypeError, ValueError, ValidationError, EOFError, NotImplementedError, RecursionError):
        raise MuleError("this graph file is damaged", place) from None
    except (zipfile.BadZipFile, zlib.error, RuntimeError):  # an encrypted part is a RuntimeError
        raise MuleError("this graph file is damaged", place) from None
    except FileNotFoundError:
        raise MissingFileError("there is no such file", place) from None
    except OSError as error:
        raise MuleError(f"the file cannot be read: {error.strerror or error}", place) from None


def _require_room(archive: zipfile.ZipFile, place: Place) -> None:
    """An archive of a few bytes may unpack to more than there is room for."""
    size = sum(each.file_size for each in archive.infolist())
    if size > available_memory():
        raise MuleError(f"this graph takes {size:,} bytes, and there are not as many", place)


def _read_model(header: dict[str, Any], content: bytes, place: Place) -> tuple[Model, tuple[Proposition, ...]]:
    """With the propositions that the graph observes."""
    source = convert(header["source"], Source)
    texts = convert(header["observed"], tuple[str, ...])
    if _is_program(source):
        return _model_of_data(json.loads(content), texts)
    source = replace(source, text=content.decode())
    try:
        model = Analysis(build(source)).model
    except MuleError as error:
        raise MuleError(f"the model in this graph cannot be read: {error}", place) from None
    if fingerprint(model) != header["fingerprint"]:
        raise MuleError(
            f"{source.file} is no longer the model that this graph was made from: Mule translates it differently now, "
            "or it depends on more than its files; explore it again",
            place,
        )
    return model, tuple(read_proposition(model, each, place) for each in texts)


def _model_of_data(table: Any, texts: tuple[str, ...]) -> tuple[Model, tuple[Proposition, ...]]:
    model, found = decoded(table)
    if not isinstance(model, Model) or not all(isinstance(each, Expression) for each in found):
        raise ValueError
    observed = tuple(Proposition(text, each) for text, each in zip(texts, found, strict=True))
    known = {_normal(each.text): each.expression for each in observed}

    def parse_expression(text: str) -> Expression:
        if _normal(text) not in known:
            raise not_observed(text, observed)
        return known[_normal(text)]

    return replace(model, parse_expression=parse_expression), observed


def _normal(text: str) -> str:
    """An expression of Python as Python would write it."""
    try:
        return ast.unparse(ast.parse(text.strip(), mode="eval"))
    except (SyntaxError, ValueError, RecursionError):
        return text


def _graph(
    header: dict[str, Any],
    model: Model,
    observed: tuple[Proposition, ...],
    native: _engine.Graph,
    place: Place,
) -> StateGraph:
    try:
        options = Options(**header["options"])
    except MuleError:
        raise ValueError from None
    kept: Preserved = convert(header["preserves"], Preserved)
    if kept != "all" and not preserves(options, kept):
        raise MuleError(f"this graph was reduced by {options.por}, which loses answers: explore it again", place)
    return StateGraph(
        native=native,
        model=model,
        observed=observed,
        preserves=kept,
        options=options,
        statistics=convert(header["statistics"], Statistics),
        notes=convert(header["notes"], tuple[str, ...]),
        file=place.file,
    )
