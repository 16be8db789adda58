"""State graphs in files: a zip archive with a header (JSON), the model's source, and the arrays; see docs/ctl.md."""

from __future__ import annotations

import json
import os
import sys
import zipfile
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from msgspec import ValidationError, convert, to_builtins

from mule import _engine
from mule.errors import MissingFileError, MuleError, Place
from mule.frontends import build
from mule.graph.construction import StateGraph
from mule.graph.propositions import read_proposition
from mule.model.recipe import fingerprint
from mule.model.source import Source
from mule.options import Options
from mule.planning import Analysis
from mule.preservation import preserves
from mule.records import replace
from mule.results import Statistics

FORMAT: Final = "mule-graph"
VERSION: Final = 2
_HEADER: Final = "header.json"
_SOURCE: Final = "model"
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
        "source": to_builtins(replace(source, text="")),
        "fingerprint": fingerprint(graph.model),
        "observed": [each.text for each in graph.observed],
        "preserves": graph.preserves,
        "options": asdict(graph.options),
        "statistics": to_builtins(graph.statistics),
        "notes": list(graph.notes),
    }
    partial = f"{path}.{os.getpid()}.part"
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=_QUICK) as archive:
            archive.writestr(_HEADER, json.dumps(header, indent=1))
            archive.writestr(_SOURCE, source.text)
            for name in _ARRAYS:
                archive.writestr(name, getattr(graph.native, name))
        os.replace(partial, path)
    except OSError as error:
        Path(partial).unlink(missing_ok=True)
        raise MuleError(f"the graph cannot be written: {error.strerror or error}", Place(path)) from None


def is_graph(path: str) -> bool:
    """Whether a file is a saved graph, by its content."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _HEADER in archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return False


def load_graph(path: str) -> StateGraph:
    place = Place(path)
    try:
        with zipfile.ZipFile(path) as archive:
            header = json.loads(archive.read(_HEADER))
            if header.get("format") != FORMAT:
                raise MuleError("this is not a graph that Mule has saved", place)
            if header.get("version") != VERSION or header["byte_order"] != sys.byteorder:
                raise MuleError("this graph was saved by another version of Mule, or on another kind of machine", place)
            text = archive.read(_SOURCE).decode()
            arrays = [archive.read(name) for name in _ARRAYS]
        return _graph(header, text, _engine.Graph(*arrays), place)
    except (KeyError, TypeError, ValueError, ValidationError, zipfile.BadZipFile, zlib.error, EOFError):
        raise MuleError("this graph file is damaged", place) from None
    except FileNotFoundError:
        raise MissingFileError("there is no such file", place) from None
    except OSError as error:
        raise MuleError(f"the file cannot be read: {error.strerror or error}", place) from None


def _graph(header: dict[str, Any], text: str, native: _engine.Graph, place: Place) -> StateGraph:
    source = replace(convert(header["source"], Source), text=text)
    model = Analysis(build(source)).model
    if fingerprint(model) != header["fingerprint"]:
        raise MuleError(
            f"{source.file} is no longer the model that this graph was made from: Mule translates it differently now, "
            "or it depends on more than its files; explore it again",
            place,
        )
    options = Options(**header["options"])
    if header["preserves"] != "all" and not preserves(options, header["preserves"]):
        raise MuleError(f"this graph was reduced by {options.por}, which loses answers: explore it again", place)
    return StateGraph(
        native=native,
        model=model,
        observed=tuple(read_proposition(model, each) for each in header["observed"]),
        preserves=header["preserves"],
        options=options,
        statistics=Statistics(**header["statistics"]),
        notes=tuple(header["notes"]),
    )
