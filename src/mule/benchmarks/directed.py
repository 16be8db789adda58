"""Seed 001's Tables 1 to 3 and Figure 6: reductions with depth-first search, A* and IDA*, to all states or to an error.

The models are our own (`mule.benchmarks.protocols`), each with its error, so the counts differ from the seed's; what
can be compared is the share that is kept, and the orders of the seed. Every search of a model is of the same
transitions: those that are left after Mule's own transformations, whether anything is reduced or not. `ample` is the
seed's reduction, `auto` is Mule's."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from mule.benchmarks.lines import show
from mule.benchmarks.protocols import protocol
from mule.benchmarks.seed001 import FIGURE_6, TABLE_1, TABLE_2, TABLE_3, Factors, Measured
from mule.engine import Found
from mule.frontends import load
from mule.options import Options, Por, Proviso
from mule.planning import Analysis, safety_search
from mule.safety import without_assertions

SECONDS = 60.0
"""For each search, if nothing else is said."""
REDUCTIONS: tuple[Por, ...] = ("ample", "auto")


@dataclass(frozen=True, slots=True)
class Case:
    """A model with an error."""

    name: str
    """As the seed has it."""
    file: str
    size: str
    deadlock: bool
    """Whether the error is a deadlock; otherwise an assertion is violated."""

    def analysis(self) -> Analysis:
        model = load(protocol(self.file), "promela", (self.size, "ERROR"))
        return Analysis(without_assertions(model) if self.deadlock else model, ahead=True)

    @property
    def stops(self) -> dict[str, bool]:
        return {"stop_at_deadlock": self.deadlock, "stop_at_assertion": not self.deadlock}


CASES = (
    Case("marriers", "marriage", "N=6", deadlock=True),
    Case("pots", "switch", "N=4", deadlock=True),
    Case("leader", "election", "N=6", deadlock=False),
    Case("giop", "giop", "USERS=4", deadlock=True),
)
"""The largest sizes with less than a million states, but for the election: IDA* without reduction takes a minute with
N=8."""


@dataclass(frozen=True, slots=True)
class Run:
    """One of our searches."""

    states: int
    transitions: int
    seconds: float
    length: int | None
    """Of the trail to the error, in steps of the model as written; None: none was found."""
    complete: bool

    def __str__(self) -> str:
        return f"{'' if self.complete else '>'}{self.states:,}"


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the seed: a search, with each of the provisos."""

    title: str
    options: Options
    provisos: tuple[Proviso, ...]
    seed: dict[str, dict[str, Measured]]
    to_the_error: bool = True


TABLES = (
    Table(
        "Table 1: all states, depth first",
        Options(search="dfs"),
        ("stack", "duplicate", "stack-", "duplicate-", "static"),
        TABLE_1,
        to_the_error=False,
    ),
    Table("Table 2: to the error, A*", Options(search="astar"), ("duplicate-", "static"), TABLE_2),
    Table("Table 3: to the error, IDA*", Options(search="idastar"), ("stack",), TABLE_3),
)
A_STAR = TABLES[1]
BLIND = Options(search="astar", estimate="none")
"""Without an estimate A* is breadth-first search."""


class Experiment:
    """All searches of one model, each done once, when it is asked for."""

    def __init__(self, case: Case, time: float) -> None:
        self.case = case
        self.time = time
        self._runs: dict[tuple[Options, bool], Run] = {}

    def run(self, table: Table, por: Por, proviso: Proviso) -> Run:
        return self._run(table.options.but(por=por, proviso=proviso), table.to_the_error)

    def full(self, table: Table) -> Run:
        return self.run(table, "none", "none")

    def blind(self, por: Por) -> Run:
        return self._run(BLIND.but(por=por, proviso="none" if por == "none" else "duplicate-"), True)

    def factors(self, por: Por) -> Factors:
        """Figure 6, with the proviso that A* has if nothing is said."""
        neither, reduced = self.blind("none").states, self.blind(por).states
        guided, both = self.full(A_STAR).states, self.run(A_STAR, por, "duplicate-").states
        return Factors(neither / guided, reduced / both, neither / reduced, guided / both, neither / both)

    @property
    def missed(self) -> list[Options]:
        """The searches that did not come to the error."""
        return [options for (options, sought), run in self._runs.items() if sought and run.length is None]

    def _run(self, options: Options, to_the_error: bool) -> Run:
        if (options, to_the_error) not in self._runs:
            self._runs[options, to_the_error] = self._search(options.but(time=self.time), to_the_error)
        return self._runs[options, to_the_error]

    def _search(self, options: Options, to_the_error: bool) -> Run:
        """From the text of the model on: the relations that are derived from an analysis may be sharper the second
        time, and no search should gain from having come later."""
        started = clock.perf_counter()
        stops = self.case.stops if to_the_error else {}
        searched = safety_search(self.case.analysis(), options, "safety", (), stops, None)
        found = searched.found
        reached = found.found is not Found.NOTHING
        return Run(
            found.progress.states,
            found.progress.transitions,
            clock.perf_counter() - started,
            len(searched.prepared.trail(found.path)) if reached else None,
            searched.stopped is None,
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two searches of a model, of which the first is to store fewer states."""

    what: str
    fewer: Run
    more: Run


@dataclass(frozen=True, slots=True)
class Order:
    """One of the seed's orders."""

    words: str
    strictly: bool
    compared: Callable[[Experiment, Por], Iterator[Comparison]]

    def holds(self, comparison: Comparison) -> bool:
        """A search that did not come to its end has at least the states that it has."""
        fewer, more = comparison.fewer, comparison.more
        return fewer.complete and (fewer.states < more.states if self.strictly else fewer.states <= more.states)


def _stack_against_duplicate(experiment: Experiment, por: Por) -> Iterator[Comparison]:
    table = TABLES[0]
    if experiment.case.name in table.seed:
        fewer, more = (experiment.run(table, por, proviso) for proviso in ("stack", "duplicate"))
        yield Comparison("C3_stack, C3_duplicate", fewer, more)


def _reduced_against_full(table: Table) -> Callable[[Experiment, Por], Iterator[Comparison]]:
    def compared(experiment: Experiment, por: Por) -> Iterator[Comparison]:
        for proviso in table.provisos:
            reduced = experiment.run(table, por, proviso)
            yield Comparison(f"C3_{proviso}, no reduction", reduced, experiment.full(table))

    return compared


def _both_against_either(experiment: Experiment, por: Por) -> Iterator[Comparison]:
    both = experiment.run(A_STAR, por, "duplicate-")
    yield Comparison("both, estimate alone", both, experiment.full(A_STAR))
    yield Comparison("both, reduction alone", both, experiment.blind(por))


ORDERS = (
    Order("C3_stack keeps no more states than C3_duplicate", False, _stack_against_duplicate),
    Order("A* with reduction stores fewer states than without", True, _reduced_against_full(A_STAR)),
    Order("IDA* with reduction stores fewer states than without", True, _reduced_against_full(TABLES[2])),
    Order("A* with estimate and reduction stores fewer states than with either alone", True, _both_against_either),
)


def run(
    models: Path | None,
    console: Console,
    time: float = SECONDS,
    cases: tuple[Case, ...] = CASES,
    reductions: tuple[Por, ...] = REDUCTIONS,
) -> int:
    """`models` has no part in this: the protocols are ours."""
    experiments = [Experiment(case, time) for case in cases]
    for table in TABLES:
        _show_table(table, experiments, reductions, console)
    _show_factors(experiments, reductions, console)
    held = [_show_order(order, experiments, reductions, console) for order in ORDERS]
    missed = [(each.case.name, options) for each in experiments for options in each.missed]
    for name, options in missed:
        show(console, f"{name}: {options.search} with --por {options.por} did not come to the error")
    return int(bool(missed) or not all(held))


def _show_table(table: Table, experiments: list[Experiment], reductions: tuple[Por, ...], console: Console) -> None:
    show(console, f"{table.title}; %: of the states without reduction, length: steps of the trail")
    columns = f"{'states':>10}{'%':>7}{'transitions':>12}{'s':>7}{'length':>7}"
    width = len(columns)
    head = "".join(f" | {por:<{width}}" for por in (*reductions, "seed"))
    show(console, f"{'':<23}{head}".rstrip())
    show(console, f"{'model':<10}{'C3':<13}" + f" | {columns}" * (len(reductions) + 1))
    for experiment in experiments:
        seed = table.seed.get(experiment.case.name)
        if seed is None:
            show(console, f"{experiment.case.name:<10}was too large for the seed")
            continue
        full = experiment.full(table)
        cells = [_cell(full, full)] + [" " * width] * (len(reductions) - 1) + [_cell(seed["none"], seed["none"])]
        show(console, _line(experiment.case.name, "no reduction", cells))
        for proviso in table.provisos:
            cells = [_cell(experiment.run(table, por, proviso), full) for por in reductions]
            show(console, _line("", proviso, [*cells, _cell(seed[proviso], seed["none"])]))
    show(console, "")


def _line(name: str, setting: str, cells: list[str]) -> str:
    return f"{name:<10}{setting:<13}" + "".join(f" | {cell}" for cell in cells)


def _cell(run: Run | Measured, full: Run | Measured) -> str:
    states = str(run) if isinstance(run, Run) else f"{run.states:,}"
    share = 100 * run.states / full.states
    length = "" if run.length is None else run.length
    return f"{states:>10}{share:>7.1f}{run.transitions:>12,}{run.seconds:>7.2f}{length:>7}"


def _show_factors(experiments: list[Experiment], reductions: tuple[Por, ...], console: Console) -> None:
    show(console, "Figure 6: A*, how many times fewer states are stored; N: alone, C: where the other is used, too")
    columns = f"{'H, N':>7}{'H, C':>7}{'PO, N':>8}{'PO, C':>8}{'H+PO':>8}"
    show(console, f"{'model':<10}{'reduction':<13} | {columns}")
    for experiment in experiments:
        name = experiment.case.name
        for por in reductions:
            show(console, _line(name, por, [_factors(experiment.factors(por))]))
        show(console, _line("", "seed", [_factors(FIGURE_6[name])]))
    show(console, "")


def _factors(found: Factors) -> str:
    alone = f"{found.heuristic:>7.1f}{found.heuristic_with_reduction:>7.1f}"
    return f"{alone}{found.reduction:>8.1f}{found.reduction_with_heuristic:>8.1f}{found.both:>8.1f}"


def _show_order(order: Order, experiments: list[Experiment], reductions: tuple[Por, ...], console: Console) -> bool:
    """Whether it holds in all comparisons; those in which it does not are shown."""
    outcomes = [
        (f"{experiment.case.name}, {por}", comparison, order.holds(comparison))
        for experiment in experiments
        for por in reductions
        for comparison in order.compared(experiment, por)
    ]
    holding = sum(holds for _, _, holds in outcomes)
    everywhere = holding == len(outcomes)
    word = "holds" if everywhere else "DOES NOT HOLD everywhere"
    show(console, f"{order.words}: {word} ({holding} of {len(outcomes)})")
    for where, comparison, holds in outcomes:
        if not holds:
            show(console, f"  not in {where}: {comparison.what}: {comparison.fewer} against {comparison.more}")
    return everywhere
