"""Inputs that break the rule, each in a file: a seed means another input as soon as one of the tests has changed."""

from __future__ import annotations

import base64
import json
import shlex
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.cases import Case, written
from tests.fuzz.rule import Outcome

TOLD = 4_000
"""Characters of what the command said that are kept at either end."""


@dataclass(frozen=True)
class Finding:
    made: Case
    seed: str
    fault: str
    outcome: Outcome

    @property
    def name(self) -> str:
        return f"{self.made.kind}-{self.seed}".replace(" ", "-").replace("/", "-")


def save(finding: Finding, folder: Path) -> Path:
    made, outcome = finding.made, finding.outcome
    told = {
        "kind": made.kind,
        "seed": finding.seed,
        "fault": finding.fault,
        "status": outcome.status,
        "seconds": round(outcome.seconds, 2),
        "megabytes": outcome.most_bytes // 10**6,
        "arguments": made.arguments,
        "error": _ends(outcome.err),
        "output": _ends(outcome.out),
        "files": {name: base64.b64encode(data).decode() for name, data in made.files.items()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{finding.name}.json"
    path.write_text(json.dumps(told, indent=1) + "\n")
    return path


def read(path: Path) -> Case:
    told = json.loads(path.read_text())
    files = {name: base64.b64decode(data) for name, data in told["files"].items()}
    return Case(told["kind"], tuple(told["arguments"]), files)


def unpack(made: Case, folder: Path) -> None:
    """The files of an input, and the command."""
    folder.mkdir(parents=True, exist_ok=True)
    written(made, folder)
    (folder / "command").write_text(f"mule {shlex.join(made.arguments)}\n", errors="replace")


def _ends(text: str) -> str:
    return text if len(text) <= 2 * TOLD else f"{text[:TOLD]}\n...\n{text[-TOLD:]}"
