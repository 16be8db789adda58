"""Whether the automaton accepts some run, by partitions of the product: the loop around all of them.

They explore, and whenever there are twice as many states as before, and at the end, they look for an accepting cycle:
all pause until nothing is under way, and then go through the phases of engine/ltl/partition.hpp, each until nobody has
anything left to do. A look leaves what is explored as it is: it is in no cut, and may be given up for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from mule import _engine
from mule.budget import current
from mule.cluster.leading import BETWEEN_CUTS, FIRST_PAUSE, LONGEST_PAUSE, Keeper, Leader, LostError, Workers
from mule.cluster.merging import ELSEWHERE, node_of, so_far
from mule.cluster.partition import Report
from mule.cluster.termination import Rounds
from mule.driving import Limits, ProgressCallback
from mule.errors import MuleError
from mule.records import replace
from mule.temporal.product import Product, ProductResult, Runs, product_steps

FIRST_LOOK = 20_000
"""States before the first look for a cycle: with fewer it takes less time to explore on."""

MOST_MARKS = 64
"""The engine has a word for them."""

NativeStep = tuple[int, int, int]


class Node(NamedTuple):
    """A state of the product."""

    part: int
    number: int


class RunTeam(Workers, Protocol):
    """The partitions of a product, wherever they are."""

    def ask_all(self, question: str, *arguments: Any) -> Sequence[Any]:
        """The answers of all partitions, in their order."""

    def ask(self, part: int, question: str, *arguments: Any) -> Any: ...

    @property
    def hosts(self) -> Sequence[str]:
        """Where the partitions are."""


class _StoppedError(Exception):
    """A limit was met; the message says which."""


def marks_of(product: Product, runs: Runs) -> int:
    """Those of the automaton and of fairness together; a MuleError where fairness is more than marks can tell."""
    required = product.requirements(runs.fairness)
    marks = runs.automaton.marks + (0 if required is None else required.count)
    if required is not None and (required.compassion or marks > MOST_MARKS):
        raise MuleError(
            f"a cluster judges all runs, or weakly fair ones of models with less than {MOST_MARKS} processes: leave "
            "out --cluster, or --fairness"
        )
    return marks


def lead_runs(
    team: RunTeam,
    marks: int,
    limits: Limits,
    progress: ProgressCallback | None = None,
    between_cuts: float = BETWEEN_CUTS,
    keeper: Keeper | None = None,
) -> ProductResult:
    """The search to its end, or until a limit is met; then with a keeper there is a cut, and the team has begun at the
    last one that was kept. `marks`: those of the automaton and of fairness together."""
    with current().polling():
        return _RunsLeader(team, marks, limits, progress, between_cuts, keeper).judge()


def _last_look(states: int) -> int:
    """With how many states the last look is due, where there are so many."""
    found = FIRST_LOOK // 2
    while 2 * found <= states:
        found *= 2
    return found


class _RunsLeader(Leader[RunTeam]):
    def __init__(
        self,
        team: RunTeam,
        marks: int,
        limits: Limits,
        progress: ProgressCallback | None,
        between_cuts: float,
        keeper: Keeper | None,
    ) -> None:
        super().__init__(team, limits, progress, between_cuts, keeper)
        self._marks = marks
        self._looked_at: int | None = None
        """With how many states; None: the search begins, at a cut or at the beginning."""
        self._found: tuple[list[NativeStep], list[NativeStep]] | None = None

    def judge(self) -> ProductResult:
        while True:
            try:
                return self._result(self._judge())
            except LostError as error:
                self._looked_at = None
                self._recover(error)

    def _judge(self) -> str | None:
        """Until the end; why it was stopped."""
        try:
            stopped = self._search()
            if stopped is None and self._found is None:
                # What was not explored must not pass for something without a cycle.
                if any(report.ended for report in self._team.reports()):
                    raise MuleError("a worker of the cluster has ended before its search")
                self._team.pause(True)
                self._look()
        except _StoppedError as error:
            self._before_stop()
            self._team.stop(str(error))
            return str(error)
        return stopped

    def _interlude(self, reports: Sequence[Report]) -> bool:
        states = sum(report.progress.states for report in reports)
        if self._looked_at is None:
            self._looked_at = FIRST_LOOK // 2 if self._cut is None else _last_look(states)
        if states < 2 * self._looked_at:
            return False
        self._looked_at = states
        self._team.pause(True)
        if self._is_quiet():
            self._look()
            if self._found is not None:
                return True
            self._team.ask_all("begin_exploring")
        self._team.pause(False)
        return False

    def _before_cut(self) -> None:
        self._team.ask_all("begin_exploring")

    def _look(self) -> None:
        """For an accepting cycle, while all are paused and nothing is under way."""
        self._phase("begin_trimming")
        left = self._left()
        mark = unchanged = 0
        while left and unchanged < self._marks:
            self._phase("begin_reaching", mark, False)
            self._phase("end_reaching")
            before, left = left, self._left()
            unchanged = unchanged + 1 if left == before else 0
            mark = (mark + 1) % self._marks
        if left:
            for each in range(self._marks):
                self._phase("begin_reaching", each, True)
            self._found = self._lasso()

    def _left(self) -> int:
        return sum(self._team.ask_all("left"))

    def _phase(self, begin: str, *arguments: Any) -> None:
        """All begin it before anybody sends something."""
        self._team.ask_all(begin, *arguments)
        self._team.pause(False)
        rounds = Rounds()
        pause = FIRST_PAUSE
        while not rounds.are_over(reports := self._team.reports()):
            stopped = self._why_to_stop(reports)
            if stopped is not None:
                raise _StoppedError(stopped)
            self._team.work(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)
        self._team.pause(True)

    def _lasso(self) -> tuple[list[NativeStep], list[NativeStep]]:
        """From a state that is left, edges with one mark after the other are visited, always by the same hops: after
        some turns a turn begins where an earlier one has begun."""
        part = next(part for part, left in enumerate(self._team.ask_all("left")) if left)
        at = Node(part, self._team.ask(part, "first_left"))
        begun: dict[Node, int] = {}
        way: list[tuple[Node, int]] = []
        while at not in begun:
            begun[at] = len(way)
            for mark in range(self._marks):
                at = self._follow(at, mark, way)
        cycle = way[begun[at] :]
        back = [*(node for node, _ in cycle[1:]), at]
        return self._way_to(at), [
            self._step(source, target, marks) for (source, marks), target in zip(cycle, back, strict=True)
        ]

    def _follow(self, at: Node, mark: int, way: list[tuple[Node, int]]) -> Node:
        """Over an edge with the mark; `way`: the states from which steps are taken, and the marks that these need."""
        while True:
            part, number, marked = self._team.ask(at.part, "hop", at.number, mark)
            way.append((at, 1 << mark if marked else 0))
            at = Node(part, number)
            if marked:
                return at

    def _way_to(self, at: Node) -> list[NativeStep]:
        steps = []
        while (origin := Node(*self._team.ask(at.part, "origin", at.number))).part != _engine.NOBODY:
            steps.append(self._step(origin, at, 0))
            at = origin
        return steps[::-1]

    def _step(self, source: Node, target: Node, marks: int) -> NativeStep:
        words = self._team.ask(target.part, "state", target.number)
        step: NativeStep = self._team.ask(source.part, "step_to", source.number, words, marks)
        return step

    def _result(self, stopped: str | None) -> ProductResult:
        reports = self._team.reports()
        counts = self._team.ask_all("counts")
        nodes = tuple(
            node_of(host, report.progress, report) for host, report in zip(self._team.hosts, reports, strict=True)
        )
        prefix, cycle = self._found or ((), ())
        failures, reduced, fully_expanded = (sum(each) for each in zip(*counts, strict=True))
        self._team.stop(ELSEWHERE)
        return ProductResult(
            progress=replace(so_far(reports, self._seconds), nodes=nodes),
            stopped=stopped,
            empty=self._found is None,
            prefix=product_steps(prefix),
            cycle=product_steps(cycle),
            failures=failures,
            reduced=reduced,
            fully_expanded=fully_expanded,
            workers=1,
        )
