"""Trails of SPIN: the `.trail` files that `pan` writes for a Promela program.

A line `depth:process:statement` is a step, its statement a number that SPIN gave when it read the program (see
`mule.frontends.promela.numbering`). Lines with a negative depth say how the file is to be read: `-4` that statements
were merged, `-2` which claim was checked, `-1` that from here on the run is repeated for ever. With a claim, process 0
is the claim and the others count from 1.

The statements of an atomic step of Mule are several lines; those inside a `d_step`, and those merged with the one
before them, have none. So the model is followed with all ways to tell the lines by its steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mule.errors import MuleError, Place
from mule.explaining import NO_DEADLOCK, NO_ERROR, NO_VIOLATED_ASSERTION
from mule.frontends.promela.numbering import Numbered, Shown, numbers_of
from mule.model import Action, Model, Transition
from mule.model.interpreter import Interpreter, State, Step
from mule.planning import Analysis
from mule.properties import ACCEPTANCE, PROGRESS
from mule.records import Record
from mule.report.plain import step_text
from mule.report.trail import explain_step
from mule.results import Trail, ViolationKind
from mule.trails.following import listed
from mule.trails.judging import is_inside_a_step
from mule.trails.saved import SPIN_LINE

SIDE_BY_SIDE = 200
"""At each line at most so many ways to tell those before it are followed."""
MOST_DIGITS = 12

CYCLE, CLAIM, MERGED = -1, -2, -4
PERMUTED = range(-8, -4)


class Line(Record, frozen=True):
    """One line of a trail that is a step of the system."""

    depth: int
    process: int
    """SPIN's number of the process."""
    statement: int


class SpinTrail(Record, frozen=True):
    file: str
    lines: tuple[Line, ...]
    claim: int | None
    """The number of the claim that was checked, if one was."""
    cycle: int | None
    """How many lines come before those that are repeated for ever."""
    merged: bool


def parse_spin_trail(text: str, file: str) -> SpinTrail:
    lines: list[Line] = []
    claim: int | None = None
    cycle: int | None = None
    merged = False
    for number, row in enumerate(text.splitlines(), 1):
        if not row.strip():
            continue
        match = SPIN_LINE.match(row.strip())
        if match is None:
            raise MuleError(f"this is no line of a trail of SPIN: {row.strip()[:40]!r}", Place(file, number))
        if max(map(len, match.groups())) > MOST_DIGITS:
            raise MuleError("a number in this line is too large", Place(file, number))
        depth, process, statement = (int(part) for part in match.groups())
        if depth in PERMUTED:
            message = "the search was permuted (pan -p_...): only `./pan -r` can replay this trail"
            raise MuleError(message, Place(file, number))
        if depth == CYCLE:
            cycle = len(lines)
        elif depth == CLAIM:
            claim = process
        elif depth == MERGED:
            merged = True
        elif depth >= 0 and (claim is None or process > 0):
            lines.append(Line(depth, process - (claim is not None), statement))
    return SpinTrail(file, tuple(lines), claim, cycle, merged)


def follow_spin_trail(model: Model, spin: SpinTrail) -> list[Trail]:
    """The runs that a trail of SPIN may tell; MuleError where there is none."""
    if model.source is None or model.language != "promela":
        raise MuleError(f"this is a trail of SPIN, and {model.name} is not in Promela", Place(spin.file))
    numbers = numbers_of(model.source).statements
    _require_numbers(spin, numbers)
    while True:
        run = _Run(Analysis(model).model, spin, numbers)
        found = run.follow()
        if found:
            return found
        limits = frozenset(run.limits())
        if model.wider is None or not limits:
            raise run.lost()
        model = model.wider(limits)


def _require_numbers(spin: SpinTrail, numbers: dict[int, Numbered]) -> None:
    for line in spin.lines:
        if line.statement not in numbers or not numbers[line.statement].declaration:
            raise MuleError(
                f"the trail does not fit the model: no process has a statement {line.statement} (step {line.depth}); "
                f"{_WAY_OUT}",
                Place(spin.file),
            )


_WAY_OUT = (
    "was the model changed since, or read with other definitions (-D)? "
    "Then let SPIN write the trail again: spin -a MODEL; cc -o pan pan.c; ./pan"
)


class _Node(NamedTuple):
    state: State
    told: int
    """How many lines the steps up to here tell."""
    mover: int | None
    """The process of the last line, by its number in the model."""
    before: _Node | None = None
    step: Step | None = None


class _Run:
    def __init__(self, model: Model, spin: SpinTrail, numbers: dict[int, Numbered]) -> None:
        self.model, self.spin, self.numbers = model, spin, numbers
        self.interpreter = Interpreter(model)
        self.by_first: dict[tuple[int | None, Place | None], list[int]] = {}
        self.by_process: dict[int | None, list[int]] = {}
        for number, transition in enumerate(model.transitions):
            first = _actions(transition)[0]
            self.by_first.setdefault((first.process, first.place), []).append(number)
            self.by_process.setdefault(first.process, []).append(number)
        self.processes = {process.name: number for number, process in enumerate(model.processes)}
        self.furthest: list[_Node] = []

    def process(self, line: Line) -> int | None:
        """The process of a line: one of several of its type has its number in its name."""
        name = self.numbers[line.statement].declaration
        return self.processes.get(f"{name}[{line.process}]", self.processes.get(name))

    def follow(self) -> list[Trail]:
        lines = len(self.spin.lines)
        waiting: list[list[_Node]] = [[] for _ in range(lines + 1)]
        waiting[0].append(_Node(self.interpreter.initial, 0, None))
        known: set[tuple[int, int | None, State, str | None]] = {(0, None, self.interpreter.initial, None)}
        for told in range(lines + 1):
            if waiting[told]:
                self.furthest = waiting[told]
            for node in waiting[told]:  # which grows
                for following in self._followers(node):
                    failure = None if following.step is None else following.step.failure
                    key = following.told, following.mover, following.state, failure
                    if key not in known and len(waiting[following.told]) < SIDE_BY_SIDE:
                        known.add(key)
                        waiting[following.told].append(following)
        return [self._trail(node) for node in sorted(waiting[lines], key=_has_not_failed)]

    def _followers(self, node: _Node) -> Iterator[_Node]:
        if node.step is not None and node.step.failure is not None:
            return
        if node.told < len(self.spin.lines):
            line = self.spin.lines[node.told]
            process = self.process(line)
            places = {shown.place for shown in self.numbers[line.statement].shown}
            for number in sorted(each for place in places for each in self.by_first.get((process, place), ())):
                yield from self._taken(node, number, 1, process)
            if self.numbers[line.statement].idle:
                yield node._replace(told=node.told + 1, mover=process)
        # Of a `d_step` that is cut in pieces, the others have no line.
        if node.mover is not None and (self.spin.merged or is_inside_a_step(self.model, node.state)):
            for number in self.by_process.get(node.mover, ()):
                yield from self._taken(node, number, 0, node.mover)

    def _taken(self, node: _Node, number: int, first: int, mover: int | None) -> Iterator[_Node]:
        """A transition whose first statement is the next line (`first` is 1), or has none (0)."""
        transition = self.model.transitions[number]
        actions = _actions(transition)
        if first and not self._tells(actions[0], node.told):
            return
        ends = sorted(set(self._told(actions[1:], node.told + first, mover)), reverse=True)
        if not ends or not self.interpreter.enabled(transition, node.state):
            return
        for step in self.interpreter.fire(number, node.state):
            for told, last in ends:
                if step.failure is None:
                    yield _Node(step.target, told, last, node, step)
                elif told >= len(self.spin.lines) - 1:
                    # What fails may be the first half of a rendezvous, and the last line the other.
                    yield _Node(step.target, len(self.spin.lines), last, node, step)

    def _told(self, actions: Sequence[Action], told: int, mover: int | None) -> Iterator[tuple[int, int | None]]:
        """The ways to tell lines by the other statements of a step: each is the next line, or has none."""
        ways = {(told, mover)}
        for action in actions:
            told_by_it = {
                (each + 1, action.process)
                for way in ways
                for each in self._past_idle_lines(way[0])
                if each < len(self.spin.lines) and self._tells(action, each)
            }
            silent = {way for way in ways if way[1] == action.process}
            ways = told_by_it | silent
        yield from ways

    def _past_idle_lines(self, told: int) -> Iterator[int]:
        yield told
        while told < len(self.spin.lines) and self.numbers[self.spin.lines[told].statement].idle:
            told += 1
            yield told

    def _tells(self, action: Action, told: int) -> bool:
        """Whether a statement is the one that a line names."""
        line = self.spin.lines[told]
        if self.process(line) != action.process:
            return False
        return any(_is(action, shown) for shown in self.numbers[line.statement].shown)

    def _trail(self, node: _Node) -> Trail:
        way = [node]
        while way[-1].before is not None:
            way.append(way[-1].before)
        way.reverse()
        steps = tuple(each.step for each in way if each.step is not None)
        states = tuple(each.state for each in way if each.step is None or each.step.failure is None)
        return Trail(self.model, states, steps, self._loop(way))

    def _loop(self, way: Sequence[_Node]) -> int | None:
        """Where the run is repeated from: of the places between two lines that may be meant, the one to which it comes
        back, if there is one."""
        if self.spin.cycle is None:
            return None
        told = next((each.told for each in way if each.told >= self.spin.cycle), self.spin.cycle)
        places = [number for number, each in enumerate(way) if each.told == told]
        closing = (number for number in places if way[number].state == way[-1].state and number < len(way) - 1)
        return next(closing, places[0] if places else len(way) - 1)

    def limits(self) -> Iterator[str]:
        for node in self.furthest:
            for transition in self.model.transitions:
                if transition.limit and self.interpreter.enabled(transition, node.state):
                    yield transition.failure

    def lost(self) -> MuleError:
        """Why the trail cannot go on, and what could happen instead."""
        node = self.furthest[0]
        line = self.spin.lines[node.told]
        numbered = self.numbers[line.statement]
        shown = " or ".join(f"line {each.place.line}: {each.text or '?'}" for each in numbered.shown)
        possible = [
            step_text(explain_step(self.model, Trail(self.model, states, (step,)), 0))
            for step in self.interpreter.steps(node.state)
            for states in [(node.state,) if step.failure is not None else (node.state, step.target)]
        ]
        instead = "\n                 ".join(listed(possible)) or "nothing"
        message = (
            f"the trail does not fit the model: its step {line.depth} is not possible\n"
            f"  in the trail:  process {line.process} ({numbered.declaration}), {shown}\n"
            f"  possible here: {instead}\n{_WAY_OUT[0].upper()}{_WAY_OUT[1:]}"
        )
        return MuleError(message, Place(self.spin.file))


def _has_not_failed(node: _Node) -> bool:
    return node.step is None or node.step.failure is None


def _is(action: Action, shown: Shown) -> bool:
    return action.place == shown.place and shown.text in (None, action.text)


def _actions(transition: Transition) -> Sequence[Action]:
    if transition.actions:
        return transition.actions
    mover = transition.moves[0].process if transition.moves else None
    return (Action(mover, transition.text, transition.place, 0),)


def may_be_violated(model: Model, spin: SpinTrail, trail: Trail) -> Iterator[tuple[ViolationKind, str]]:
    """What a trail may be about, which its file does not say."""
    last = trail.taken[-1] if trail.taken else None
    if last is not None and last.failure is not None:
        asserts = model.transitions[last.transition].asserts
        yield (ViolationKind.ASSERTION, NO_VIOLATED_ASSERTION) if asserts else (ViolationKind.MODEL_ERROR, NO_ERROR)
    if spin.claim is not None and model.source is not None:
        name = numbers_of(model.source).claims.get(spin.claim)
        for claim in model.claims:
            if claim.name == name:
                yield ViolationKind.TEMPORAL, claim.text
    if spin.cycle is not None:
        yield ViolationKind.TEMPORAL, ACCEPTANCE
        yield ViolationKind.TEMPORAL, PROGRESS
    if spin.cycle is None:
        yield ViolationKind.DEADLOCK, NO_DEADLOCK
