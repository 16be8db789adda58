"""Good files that Mule itself writes, to be damaged: graphs, runs, trails."""

from __future__ import annotations

import io
import json
import random as chance
import zipfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from mule.checkpoints import _checksum
from mule.graph.file import checksum
from tests.fuzz.mutations import mutated_bytes
from tests.fuzz.seeds import ROOT
from tests.trails.test_spin import BUFFER, BUFFER_TRAIL

Command = Callable[[Path, tuple[str, ...]], tuple[int, str]]
"""Runs a command in a folder: its status, and what it prints."""

HEADER = "header.json"


class Saved:
    """Written when they are first asked for, by `command`."""

    def __init__(self, command: Command) -> None:
        self._command = command
        examples = ROOT / "examples"
        self.models = {name: (examples / name).read_bytes() for name in ("broken_mutex.dve", "lost_update.py")}
        self.models["peterson.dve"] = (examples / "peterson.dve").read_bytes()
        self.models["m.pml"] = BUFFER.encode()
        self.spin_trail = "m.pml", BUFFER_TRAIL

    def write_all(self) -> None:
        """Before processes are forked that need them."""
        assert all((self.trails, self.graphs, self.run))

    @cached_property
    def trails(self) -> list[tuple[str, tuple[str, ...], str]]:
        """Models, the options that they need, and a trail of each."""
        asked: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
            ("broken_mutex.dve", (), ()),
            ("lost_update.py", ("-D", "bug=1"), ()),
            ("m.pml", (), ()),
            ("peterson.dve", (), ("--ltl", "[]<> left.critical")),
        )
        with TemporaryDirectory() as folder:
            return [
                (model, needed, self._made(Path(folder), "check", model, *needed, *question, "--json", status=1))
                for model, needed, question in asked
            ]

    @cached_property
    def graphs(self) -> list[tuple[bytes, str]]:
        """One with the text of its model in it, and one with the data that a program became; what they observe."""
        found = []
        with TemporaryDirectory() as folder:
            for model, observed in (("peterson.dve", "left.critical"), ("lost_update.py", "counter.value == 1")):
                asked = ("--preserve", "ctl", "--observe", observed, "--save", "g")
                self._made(Path(folder), "explore", model, *asked, status=0)
                found.append(((Path(folder) / "g").read_bytes(), observed))
        return found

    @cached_property
    def run(self) -> dict[str, bytes]:
        """The files of a run that was stopped."""
        with TemporaryDirectory() as folder:
            asked = ("--por", "none", "--max-states", "10", "--checkpoint", "run")
            self._made(Path(folder), "explore", "peterson.dve", *asked, status=3)
            return {f"run/{path.name}": path.read_bytes() for path in (Path(folder) / "run").iterdir()}

    def damaged_graph(self, random: chance.Random) -> tuple[bytes, str]:
        """As a disk or a stranger may leave it: other bytes, or other content under a checksum that is right."""
        graph, observed = random.choice(self.graphs)
        if random.random() < 0.5:
            return mutated_bytes(random, graph), observed
        with zipfile.ZipFile(io.BytesIO(graph)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        header = json.loads(parts.pop(HEADER))
        if random.random() < 0.5:
            header = changed_json(random, header)
        else:
            name = random.choice(sorted(parts))
            parts[name] = self._changed(random, parts[name])
        if isinstance(header, dict) and random.random() < 0.9:
            header["checksum"] = checksum(header, parts)
        written = io.BytesIO()
        with zipfile.ZipFile(
            written, "w", random.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_LZMA))
        ) as new:
            for name, data in {HEADER: json.dumps(header).encode(), **parts}.items():
                if random.random() < 0.97:
                    new.writestr(name, data)
        return written.getvalue(), observed

    @staticmethod
    def _changed(random: chance.Random, part: bytes) -> bytes:
        if part.startswith(b"[") and random.random() < 0.7:
            return json.dumps(changed_json(random, json.loads(part))).encode()
        return mutated_bytes(random, part)

    def edited_run(self, random: chance.Random) -> bytes:
        """What was asked of a run, changed under a checksum that is right."""
        known = json.loads(self.run["run/run.json"])
        run = changed_json(random, known["run"])
        return msgspec.json.encode(known | {"run": run, "checksum": _checksum(run)})

    def _made(self, folder: Path, *arguments: str, status: int) -> str:
        for name, data in self.models.items():
            (folder / name).write_bytes(data)
        found, out = self._command(folder, arguments)
        assert found == status, (arguments, found, out)
        return out


def changed_json(random: chance.Random, value: object) -> object:
    """Another value somewhere in it."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = random.choice(sorted(value))
        if random.random() < 0.15:
            return {other: each for other, each in value.items() if other != key}
        return value | {key: changed_json(random, value[key])}
    if isinstance(value, list) and value and random.random() < 0.9:
        at = random.randrange(len(value))
        if random.random() < 0.15:
            return value[:at] + value[at + 1 :] if random.random() < 0.5 else [*value, value[at]]
        return [*value[:at], changed_json(random, value[at]), *value[at + 1 :]]
    return random.choice((None, True, -1, 0, 7, 2**63, 1.5, "", "x", "a" * 20_000, [], [[]], {}, {"x": 1}))
