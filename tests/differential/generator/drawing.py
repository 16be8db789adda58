"""What a program has so far, and how choices are made."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.differential.generator.elements import Channel, Inline, Lines, Place, Process
from tests.differential.generator.features import FEATURES


class Drawing:
    def __init__(self, rng: random.Random, required: frozenset[str] = frozenset()) -> None:
        self.rng = rng
        self.features = {name for name, probability in FEATURES.items() if rng.random() < probability} | required
        self.mtypes: dict[str, tuple[str, ...]] = {}
        self.structures: dict[str, tuple[Place, ...]] = {}
        self.places: list[Place] = []
        self.channels: list[Channel] = []
        self.carrier: Channel | None = None
        self.carried: Channel | None = None
        self.message: tuple[Channel, str] | None = None
        """A channel of structures, and the type of these."""
        self.inlines: list[Inline] = []
        self.macros: list[str] = []
        self.processes: list[Process] = []
        self.remotes: list[tuple[Process, str]] = []
        self.plain_pids: list[int] = []
        """Of processes without `else` and `enabled`: about others SPIN's `enabled` is not always right."""
        self.names = 0
        if self.has("exclusive"):
            self.features -= {"else beside channels"}  # SPIN has not both
        if self.has("priorities") or self.has("enabled"):
            self.features -= {"rendezvous"}  # SPIN has not both

    def has(self, feature: str) -> bool:
        return feature in self.features

    def maybe(self, probability: float) -> bool:
        return self.rng.random() < probability

    def weighted(self, choices: dict[str, float]) -> str:
        return self.rng.choices(list(choices), list(choices.values()))[0]

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def ended(self, statement: Lines, arrow: bool = False) -> Lines:
        separator = ";"
        if self.has("line ends") and self.maybe(0.6) and statement[-1][-1] != ">":
            separator = ""
        elif arrow and self.maybe(0.7):
            separator = " ->"
        return [*statement[:-1], statement[-1] + separator]

    def sequence(self, statements: Sequence[Lines]) -> Lines:
        """With separators, one statement after the other, indented."""
        lines: Lines = []
        for statement in statements:
            if "d_step" in statement[0] and lines and lines[-1].rstrip(";")[-2:] in ("od", " }"):
                lines.append("  skip;")  # SPIN takes a `break` to a `d_step` for a jump into it
            lines += ("  " + line for line in self.ended(statement))
        return lines

    def option(self, guard: Lines, rest: list[Lines]) -> Lines:
        first = self.ended(guard, arrow=True) if rest else guard
        return [f":: {first[0]}", *("   " + line for line in first[1:]), *(" " + line for line in self.sequence(rest))]
