"""Tiny corpora of Promela models, with figures of our choice beside them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

COUNTER = "active [2] proctype P() { byte i; do :: i < 3 -> i++ :: else -> break od }\n"
"""Without errors; as SPIN counts (-o1 -o2 -o3, -DNOREDUCE): 73 states, 129 transitions."""
STUCK = "bit b; active proctype P() { b == 1 }\n"
"""An invalid end state at once: 1 state, 1 transition."""


def spin_search(states: int, transitions: int, complete: bool = True) -> dict[str, Any]:
    return {"states": states, "transitions": transitions, "complete": complete}


def facts(verdict: str = "no errors", **searches: dict[str, Any]) -> dict[str, Any]:
    complete = verdict != "incomplete"
    return {"default": {"verdict": verdict, "complete": complete}, **searches}


def corpus(folder: Path, models: dict[str, tuple[str, dict[str, Any]]], ltsmin: list[dict[str, Any]]) -> Path:
    """A folder laid out as the benchmarks expect it: models/promela and peers/ltsmin.json."""
    home = folder / "models" / "promela"
    for file, (text, _) in models.items():
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        (home / file).write_text(text)
    expected = {"models": [{"file": file, **figures} for file, (_, figures) in models.items()]}
    (home / "expected.json").write_text(json.dumps(expected))
    (folder / "peers").mkdir()
    (folder / "peers" / "ltsmin.json").write_text(json.dumps({"rows": ltsmin}))
    return home


def printed(benchmark: Callable[..., int], models: Path, **limits: float) -> tuple[int, str]:
    """The exit status of a benchmark and what it prints."""
    console = Console(width=80)
    with console.capture() as capture:
        status = benchmark(models, console, **limits)
    return status, capture.get()
