"""Every reduction side by side on one model."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from mule.budget import current, spend
from mule.driving import ProgressCallback
from mule.effects import limits_only
from mule.exploring import explore
from mule.model import Model
from mule.options import Options, Por
from mule.planning import Preparation, algorithm, make_room, plan_for, resolve, search_options

ALGORITHMS: tuple[Por, ...] = ("closure", "closure-h", "beam-noh", "beam", "deletion")
"""For stubborn sets, strong and weak."""
REDUCTIONS: tuple[tuple[Por, bool], ...] = (
    ("ample", False),
    ("lpor", False),
    *((name, weak) for weak in (False, True) for name in ALGORITHMS),
)
"""All that there are; the flag says whether the sets are weak."""


@dataclass(frozen=True, slots=True)
class Row:
    algorithm: str
    states: int
    transitions: int
    deadlocks: int
    seconds: float
    stopped: str | None


class Comparison(Sequence[Row]):
    """The rows, the search without reduction first."""

    def __init__(self, model: Model, rows: Sequence[Row]) -> None:
        self.model = model
        self.rows = tuple(rows)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        return self.rows[index]

    def __str__(self) -> str:
        from mule.report.comparison_text import comparison_table
        from mule.report.plain import text_of

        return text_of(lambda page: comparison_table(self.model, self.rows, page))

    def __repr__(self) -> str:
        return f"<Comparison of {self.model.name}: {', '.join(f'{row.algorithm} {row.states}' for row in self.rows)}>"


def compare(model: Model, options: Options | None = None, progress: ProgressCallback | None = None) -> Comparison:
    """The full state space, then what each reduction keeps of it; all preserve deadlocks."""
    wanted = (options or Options()).but(workers=1)  # what is kept, and the time it takes, must not depend on others
    rows: list[Row] = []

    def cut_short(reason: str) -> Comparison:
        return Comparison(model, rows) if rows and rows[-1].stopped else nothing_compared(model, reason, rows)

    return spend(wanted.time, wanted.memory, lambda: _compare(model, wanted, progress, rows), cut_short)


def nothing_compared(model: Model, reason: str, before: Sequence[Row] = ()) -> Comparison:
    """There is nothing to tell about the next row."""
    names = ["none", *(_name(name, weak) for name, weak in REDUCTIONS)]
    return Comparison(model, [*before, Row(names[len(before)], 0, 0, 0, 0.0, reason)])


def _compare(model: Model, wanted: Options, progress: ProgressCallback | None, rows: list[Row]) -> Comparison:
    model, cut_short = make_room(model, wanted, progress)
    unreduced = limits_only(wanted).but(por="none", search=wanted.search, as_written=wanted.as_written, workers=1)
    full = explore(model, unreduced, progress=progress)
    counted = full.statistics
    stopped = cut_short or full.stopped
    rows.append(
        Row("none", counted.states, counted.transitions, counted.deadlocks, counted.search_seconds, stopped),
    )
    if cut_short or current().ended:
        return Comparison(model, rows)
    prepared = Preparation(plan_for(model, resolve(wanted.but(por="closure"), "deadlocks"), "deadlocks", ()))
    for name, weak in REDUCTIONS:
        if rows[-1].stopped == "interrupted" or current().ended:
            break
        rows.append(_row(prepared, resolve(wanted.but(por=name, weak=weak), "deadlocks"), progress))
    return Comparison(model, rows)


def _name(por: Por, weak: bool) -> str:
    return f"{por}{' (weak)' if weak else ''}"


def _row(prepared: Preparation, options: Options, progress: ProgressCallback | None) -> Row:
    started = time.perf_counter()
    reducer = prepared.engine.reducer(prepared.relations, algorithm(options))
    found = prepared.engine.search(search_options(options, "deadlocks"), reducer, progress)
    return Row(
        algorithm=_name(options.por, options.weak),
        states=found.progress.states,
        transitions=found.progress.transitions,
        deadlocks=found.deadlocks,
        seconds=time.perf_counter() - started,
        stopped=found.stopped,
    )
