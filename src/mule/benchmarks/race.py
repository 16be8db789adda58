"""Full exploration against SPIN's verifier on the same models, in one run on one machine."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from rich.console import Console

from mule.benchmarks import spin
from mule.benchmarks.corpus import read_json
from mule.errors import MuleError

ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Lane:
    model: str
    states: int
    mule_rate: float
    spin_rate: float
    mule_bytes: float
    spin_bytes: float

    @property
    def speed(self) -> float:
        return self.mule_rate / self.spin_rate

    @property
    def memory(self) -> float:
        return self.mule_bytes / self.spin_bytes


def run(models: Path, console: Console) -> int:
    """`models`: the folder of the Promela models, whose expected.json names the pairs."""
    spin.require_spin()
    facts = read_json(_promela_folder(models) / "expected.json")
    head = f"{'model':<18}{'states':>10} {'Mule/s':>11} {'SPIN/s':>11} {'speed':>6}  bytes a state"
    console.print(head, highlight=False)
    lanes = []
    for pair in facts["race_pairs"]:
        lane = _race(_promela_folder(models), pair)
        lanes.append(lane)
        console.print(
            f"{lane.model:<18}{lane.states:>10} {lane.mule_rate:>11,.0f} {lane.spin_rate:>11,.0f} {lane.speed:>6.2f}"
            f"  {lane.mule_bytes:.0f} against {lane.spin_bytes:.0f} ({lane.memory:.0%})",
            highlight=False,
        )
    speed = prod(lane.speed for lane in lanes) ** (1 / len(lanes))
    console.print(
        f"geometric mean of the speed: {speed:.2f} times SPIN; least {min(lane.speed for lane in lanes):.2f}; "
        f"most memory: {max(lane.memory for lane in lanes):.0%} of SPIN's",
        highlight=False,
    )
    return 0


def _promela_folder(models: Path) -> Path:
    for folder in (models, models / "promela", models.parent / "promela"):
        if (folder / "expected.json").exists() and "race_pairs" in (folder / "expected.json").read_text():
            return folder
    raise MuleError(f"{models} has no expected.json with race_pairs")


def _race(folder: Path, pair: dict[str, Any]) -> Lane:
    """Alternate between the two, so that both see the same machine; medians."""
    spins, mules = [], []
    for _ in range(ROUNDS):
        spins.append(spin.verify(folder / pair["promela"]))
        mules.append(_explore((folder / pair["dve"]).resolve()))
    if any(m["states"] != pair["states"] for m in mules) or any(s.states != pair["spin_states"] for s in spins):
        raise MuleError(f"{pair['model']}: the state counts are not the expected ones")
    states = int(pair["states"])
    return Lane(
        model=pair["model"],
        states=states,
        mule_rate=states / statistics.median(m["seconds"]["search"] for m in mules),
        spin_rate=states / max(statistics.median(s.search_seconds for s in spins), 0.01),
        mule_bytes=mules[0]["memory_bytes"] / states,
        spin_bytes=spins[0].state_bytes,
    )


def _explore(model: Path) -> dict[str, Any]:
    """In a process of its own, as SPIN's verifier is."""
    command = [
        sys.executable,
        "-m",
        "mule",
        "explore",
        str(model),
        "--por",
        "none",
        "--as-written",
        "--workers",
        "1",
        "--json",
    ]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(finished.stdout)
    return result
