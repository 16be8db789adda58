"""Good inputs to begin with: the examples, the models in the tests, and random ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random

from tests.actors.protocols import protocol
from tests.differential.generator import random_program
from tests.pnml.nets import pnml, random_net
from tests.processes import asyncio_writer, collections_writer, errors, programs

ROOT = Path(__file__).parents[2]
LONGEST = 5_000
"""Characters of a text in a test that is taken."""

EXTENSIONS = {"dve": "dve", "promela": "pml", "pnml": "pnml", "actors": "py", "processes": "py"}
LOOKS = {
    "dve": re.compile(r"process\s+\w+.*system\s+a?sync", re.DOTALL),
    "promela": re.compile(r"proctype.*\{|init\s*\{", re.DOTALL),
    "pnml": re.compile(r"<pnml"),
    "actors": re.compile(r"^(from|import) mule\.actors.*^def system", re.MULTILINE | re.DOTALL),
    "processes": re.compile(r"^(from|import) mule\.processes.*^def system", re.MULTILINE | re.DOTALL),
    "hoa": re.compile(r"^HOA:"),
    "never": re.compile(r"^\s*never\b.*\{", re.DOTALL),
    "lpor": re.compile(r"import LporRelations\b.*\(LporRelations\)", re.DOTALL),
}
PROGRAMS = ("actors", "processes", "lpor")
"""Kinds whose texts are Python, and are run."""
FOLDERS = {"actors": "actors", "processes": "processes"}
"""Models in Python are run: only those are taken that are there to be read as models."""
RANDOM: Mapping[str, Callable[[Random], str]] = {
    "promela": random_program,
    "actors": lambda random: protocol(random.randrange(10**6)),
    "processes": lambda random: _processes(random),
    "pnml": lambda random: pnml(random_net(random.randrange(10**6))),
}
HARMFUL = re.compile(
    r"\b(os|io|sys|pathlib|Path|subprocess|shutil|socket|signal|tempfile|ctypes|importlib|threading|multiprocessing)\b"
    r"|\b(open|exec|eval|compile|input|__\w*import\w*__|globals|breakpoint|exit|quit|kill|fork|system\s*=)\b"
)
"""No program with one of these words is run."""


def _processes(random: Random) -> str:
    if random.random() < 0.2:
        return errors.text_of(random.choice(errors.BODIES)[0])
    writers = (programs.program, asyncio_writer.program, collections_writer.program)
    return random.choice(writers)(random.randrange(10**6))


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def harmless(text: str) -> bool:
    return HARMFUL.search(text) is None


@cache
def seeds(kind: str) -> Sequence[str]:
    """The good texts of a kind, shortest first."""
    return sorted(set(_seeds(kind)), key=lambda text: (len(text), text))


def read_all() -> None:
    """Before processes are forked that need them."""
    for kind in LOOKS:
        seeds(kind)


def seed(random: Random, kind: str) -> str:
    if kind in RANDOM and random.random() < (0.8 if kind == "processes" else 0.4):
        return RANDOM[kind](random)
    return random.choice(seeds(kind))


def _seeds(kind: str) -> Iterator[str]:
    executed = kind in PROGRAMS
    for folder, found in _in_tests().items():
        if executed and kind != "lpor" and folder != FOLDERS[kind]:
            continue
        for text in found:
            if LOOKS[kind].search(text) and (not executed or (harmless(text) and _is_python(text))):
                yield text
    for path in sorted((ROOT / "examples").glob(f"*.{EXTENSIONS.get(kind, '-')}")):
        text = path.read_text()
        if LOOKS[kind].search(text) and (not executed or harmless(text)):
            yield text


@cache
def _in_tests() -> Mapping[str, Sequence[str]]:
    """The strings in the tests, by folder."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").glob("*/*.py")):
        if path.parent.name in ("fuzz", "native"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and 20 < len(node.value) < LONGEST:
                found.setdefault(path.parent.name, []).append(node.value)
    return found
