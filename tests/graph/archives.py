"""Saved graphs with something changed in them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from mule.graph.file import checksum

HEADER = "header.json"


def parts_of(path: str | Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def header_of(path: str | Path) -> dict[str, object]:
    header: dict[str, object] = json.loads(parts_of(path)[HEADER])
    return header


def rewritten(path: str | Path, **parts: bytes) -> None:
    """With other content in some parts, and the checksum of the old one."""
    content = parts_of(path) | parts
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)


def edited(path: str | Path, **changes: object) -> None:
    """With other entries in the header, and a checksum as if it had been saved so."""
    parts = parts_of(path)
    header = json.loads(parts.pop(HEADER)) | changes
    header["checksum"] = checksum(header, parts)
    rewritten(path, **{HEADER: json.dumps(header).encode()})
