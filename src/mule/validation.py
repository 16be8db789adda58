"""Are the relations and the stubborn sets right about a model? Both against its real state space.

D1 and D2 are checked as guard-based POR, section 7.9 does: from each state over all transitions outside its set. The
relations are checked against their definitions in each state and its successors. The model that is searched is compared
with the model as written: the same deadlocks, the same errors.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mule import _engine
from mule.comparison import REDUCTIONS
from mule.engine import Engine, ProgressCallback, SearchOptions
from mule.errors import MuleError
from mule.local_validation import LocalChecker, false_guard_sets
from mule.memory import available_memory
from mule.model import Model
from mule.model.interpreter import Interpreter
from mule.options import DYNAMIC, Options, Remember
from mule.preparation import Preparation, algorithm, resolve, wide_enough
from mule.relations import Relations, members
from mule.relations.lpor import derive_local
from mule.validation_findings import Finding, Words, describe

EXHAUSTIVE = 2_000
"""Up to so many states all of them are tested, unless the user asks for fewer."""
SAMPLE = 200
_MOST_STATES = 2_000_000
"""The sample is drawn from at most so many states."""
_MOST_STATES_TWICE = 20_000
"""Up to so many states the model as written and the model as searched are compared."""
_EXPLORED_PER_STATE = 20_000

SETS: tuple[Remember, ...] = ("exact", "valid")
"""The sets as the algorithm computes them, and those that a search takes from memory."""


@dataclass(slots=True)
class Validation:
    model: Model
    states: int = 0
    checks: int = 0
    findings: list[Finding] = field(default_factory=list)
    seconds: float = 0.0
    stopped: str | None = None
    notes: list[str] = field(default_factory=list)


def validate(
    model: Model,
    options: Options | None = None,
    sample: int | None = None,
    progress: ProgressCallback | None = None,
    relations: Relations | None = None,
    invariants: Sequence[str] = (),
) -> Validation:
    """Test one algorithm (`options.por`) or, with `auto`, all of them, strong and weak; and the relations.

    `relations` replaces the derived ones: for those who bring their own. `invariants`, and the model's assertions, are
    what the visibility of LPOR relations is tested with."""
    wanted = options or Options()
    if wanted.por in DYNAMIC:
        raise MuleError(f"--por {wanted.por} has no sets that could be tested state by state")
    started = time.perf_counter()
    if relations is None:
        model = wide_enough(model, wanted.but(por="auto", weak=False, lpor=None), progress)
    prepared = Preparation(model, resolve(wanted.but(proviso="none"), "deadlocks"), "deadlocks", ())
    facts = relations or prepared.relations
    result = Validation(prepared.searched)
    states = _states(prepared.engine, sample, result, progress)
    result.states = len(states)
    result.findings += _steps_as_compiled(prepared, states, result)
    result.findings += _same_ends(model, prepared, result)
    checker = RelationChecker(prepared.engine, facts)
    result.findings += checker.check(states)
    result.checks += checker.checks
    result.findings += _check_local(prepared, facts, states, invariants, result)
    for variant in _variants(wanted):
        for remember in SETS if variant.por != "lpor" else SETS[:1]:
            _check_sets(prepared, facts, variant.but(remember=remember), states, result)
    result.seconds = time.perf_counter() - started
    return result


def _variants(options: Options) -> Iterator[Options]:
    if options.por not in ("auto", "none") or options.lpor is not None:
        yield resolve(options, "deadlocks")
        return
    for name, weak in REDUCTIONS:
        yield resolve(options.but(por=name, weak=weak), "deadlocks")


def _states(engine: Engine, sample: int | None, result: Validation, progress: ProgressCallback | None) -> list[Words]:
    """All reachable states, or an even sample of them."""
    wanted = EXHAUSTIVE if sample is None else sample
    limits = SearchOptions(max_states=_MOST_STATES, max_bytes=available_memory(), sample=max(wanted, EXHAUSTIVE))
    found = engine.search(limits, None, progress)
    if found.stopped == "interrupted":
        result.stopped = "interrupted"
    reached = found.progress.states - found.error_states
    states = list(found.sample)
    if sample is None and reached <= EXHAUSTIVE:
        return states
    wanted = SAMPLE if sample is None else sample
    if len(states) > wanted or reached > len(states):
        result.stopped = result.stopped or "sample"
        result.notes.append(f"{min(wanted, len(states))} states picked evenly from {reached:,}")
    step = max(len(states) / wanted, 1)
    return [states[int(i * step)] for i in range(min(wanted, len(states)))]


def _steps_as_compiled(prepared: Preparation, states: Sequence[Words], result: Validation) -> list[Finding]:
    """What is searched, split and compiled, against what the interpreter does with the model before that."""
    model = prepared.smaller
    interpreter = Interpreter(model)
    layout = prepared.engine.compiled.layout
    for words in states:
        state = layout.unpack(words)
        expected = sorted(
            (_origins(model, s.transition), s.outcome, s.failure is not None, s.target)
            for s in interpreter.steps(state)
        )
        searched = sorted(
            (
                _origins(prepared.searched, transition),
                outcome,
                failure != 0,
                state if failure else layout.unpack(target),
            )
            for transition, outcome, failure, _, target in _engine.successors(prepared.engine.program, list(words))
        )
        result.checks += len(expected)
        if expected != searched:
            (origins, *_) = next(iter(set(expected) ^ set(searched)))
            name = "; ".join(prepared.model.transitions[origin].name for origin in origins)
            where = describe(prepared.engine, words)
            return [Finding("the model as searched", f"{name} does something else than as written in {where}")]
    return []


def _origins(model: Model, transition: int) -> tuple[int, ...]:
    return model.transitions[transition].origins or (transition,)


@dataclass(slots=True)
class _Ends:
    """How the runs of a model can end: where its processes are stuck, and the steps that fail."""

    stuck: set[tuple[int, ...]] = field(default_factory=set)
    failing: set[tuple[int, int]] = field(default_factory=set)


def _ends(engine: Engine) -> _Ends | None:
    """None where there are too many states to look at."""
    limits = SearchOptions(max_states=_MOST_STATES_TWICE + 1, max_bytes=available_memory(), sample=_MOST_STATES_TWICE)
    found = engine.search(limits, None, None)
    if found.stopped or found.progress.states - found.error_states > len(found.sample):
        return None
    model, layout = engine.compiled.model, engine.compiled.layout
    ends = _Ends()
    for words in found.sample:
        successors = _engine.successors(engine.program, list(words))
        if not successors:
            state = layout.unpack(words)
            ends.stuck.add(tuple(state[model.slot_of[process.location]] for process in model.processes))
        for transition, outcome, failure, _, _ in successors:
            if failure:
                ends.failing.add((_origins(model, transition)[-1], outcome))
    return ends


def _same_ends(model: Model, prepared: Preparation, result: Validation) -> list[Finding]:
    """What was taken out of the model before the search must not have changed how its runs can end."""
    if prepared.smaller is prepared.model:
        return []
    written = Preparation(model, prepared.options.but(as_written=True, por="none"), prepared.preserve, ())
    before, after = _ends(written.engine), _ends(prepared.engine)
    if before is None or after is None:
        result.notes.append(f"more than {_MOST_STATES_TWICE:,} states: not compared with the model as written")
        return []
    result.checks += len(before.stuck) + len(before.failing)
    findings = []
    for locations in before.stuck ^ after.stuck:
        problem = "reaches no longer" if locations in before.stuck else "reaches, but not as written,"
        names = zip(prepared.model.processes, locations, strict=True)
        where = " ".join(f"{process.name}={process.locations[value]}" for process, value in names)
        findings.append(Finding("the model made smaller", f"it {problem} the deadlock <{where}>"))
    for transition, _ in before.failing ^ after.failing:
        name = prepared.model.transitions[transition].name
        findings.append(Finding("the model made smaller", f"{name} fails in one of the models and not in the other"))
    return findings[:1]


def _check_local(
    prepared: Preparation, facts: Relations, states: Sequence[Words], invariants: Sequence[str], result: Validation
) -> list[Finding]:
    """The relations of LPOR: what the user brings, or else what is derived."""
    engine, model, user = prepared.engine, prepared.model, prepared.user
    local = derive_local(facts) if user is None else user.local(facts)
    sets = None if user is None else user.enabling_sets(engine.compiled.layout)
    propositions = [assertion.expression for assertion in model.assertions]
    for text in invariants:
        if model.parse_expression is None:
            raise MuleError(f"{model.language} models have no expressions to write invariants in")
        propositions.append(model.parse_expression(text))
    checker = LocalChecker(engine, local)
    found = checker.check(
        states if user is not None else states[:SAMPLE],
        sets or false_guard_sets(engine, facts.enabling),
        None if user is None else user.visible,
        propositions,
    )
    result.checks += checker.checks
    return found


def _check_sets(
    prepared: Preparation, relations: Relations, options: Options, states: Sequence[Words], result: Validation
) -> None:
    engine = prepared.engine
    reducer = engine.reducer(relations, algorithm(options)) if prepared.user is None else prepared.reducer(options)
    flat = [word for state in states for word in state]
    found = _engine.validate(engine.program, reducer, flat, _EXPLORED_PER_STATE)
    result.checks += found.explored
    if found.cut:
        result.notes.append(f"{_name(options)}: in {found.cut} states only a part was explored")
    if found.violation is not None:
        result.findings.append(_explain(engine, options, found.violation))


def _name(options: Options) -> str:
    return f"{options.por}{' (weak)' if options.weak else ''}{' from memory' if options.remember == 'valid' else ''}"


def _explain(engine: Engine, options: Options, violation: _engine.Violation) -> Finding:
    model = engine.compiled.model
    names = [transition.name for transition in model.transitions]
    path = ", ".join(names[transition] for transition, _ in violation.path) or "nothing"
    culprit = names[violation.transition]
    chosen = ", ".join(names[transition] for transition in violation.set)
    where = describe(engine, tuple(violation.state))
    if violation.condition == _engine.Condition.NOT_EMPTY:
        return Finding("non-emptiness", f"{_name(options)} chooses nothing that is enabled in {where}")
    if violation.condition == _engine.Condition.D1:
        problem = f"after {path}, {culprit} leads where doing it first does not"
    else:
        problem = f"after {path}, {culprit} is no longer enabled"
    return Finding(str(violation.condition.name), f"{_name(options)} chooses {{{chosen}}} in {where}; but {problem}")


class RelationChecker:
    """Each relation against its definition, in given states and their successors."""

    def __init__(self, engine: Engine, relations: Relations) -> None:
        self.engine = engine
        self.relations = relations
        self.checks = 0
        self._moves: dict[Words, dict[int, set[Words]]] = {}
        self._true: dict[Words, int] = {}

    def check(self, states: Sequence[Words]) -> list[Finding]:
        """The first finding of each kind."""
        found: dict[str, Finding] = {}
        for state in states:
            for finding in self._findings(state):
                found.setdefault(finding.relation, finding)
            if len(self._moves) > _EXPLORED_PER_STATE:
                self._moves.clear()
                self._true.clear()
        return list(found.values())

    def moves(self, state: Words) -> dict[int, set[Words]]:
        """The successors of a state by transition; steps that fail have none."""
        known = self._moves.get(state)
        if known is None:
            known = defaultdict(set)
            for transition, _, failure, _, target in _engine.successors(self.engine.program, list(state)):
                if failure == 0:
                    known[transition].add(tuple(target))
            known = dict(known)
            self._moves[state] = known
        return known

    def true_guards(self, state: Words) -> int:
        known = self._true.get(state)
        if known is None:
            values = _engine.guards(self.engine.program, list(state))
            known = sum(1 << guard for guard, value in enumerate(values) if value)
            self._true[state] = known
        return known

    def _findings(self, state: Words) -> Iterator[Finding]:
        yield from self._coenabled(state)
        for transition, targets in self.moves(state).items():
            for target in targets:
                yield from self._changes(state, transition, target)
                yield from self._after(state, transition, target)
        yield from self._accords(state)

    def _coenabled(self, state: Words) -> Iterator[Finding]:
        true = self.true_guards(state)
        for guard in members(true):
            self.checks += 1
            for other in members(self.relations.never_coenabled[guard] & true):
                where = describe(self.engine, state)
                message = (
                    f"{self._guard(guard)} and {self._guard(other)} are said never to be true together, "
                    f"in {where} they are"
                )
                yield Finding("may be co-enabled", message)

    def _changes(self, state: Words, transition: int, target: Words) -> Iterator[Finding]:
        before, after = self.true_guards(state), self.true_guards(target)
        for name, changed, sets in (
            ("necessary enabling set", after & ~before, self.relations.enabling),
            ("necessary disabling set", before & ~after, self.relations.disabling),
        ):
            for guard in members(changed):
                self.checks += 1
                if not sets[guard] >> transition & 1:
                    value = "true" if after >> guard & 1 else "false"
                    message = (
                        f"{self._name(transition)} makes {self._guard(guard)} {value} in "
                        f"{describe(self.engine, state)}, and is not in its {name}"
                    )
                    yield Finding(name, message)

    def _after(self, state: Words, first: int, target: Words) -> Iterator[Finding]:
        """What must-disable and left accordance say of what can follow `first`."""
        for second, finals in self.moves(target).items():
            self.checks += 1
            if self.relations.must_disable[first] >> second & 1:
                where = describe(self.engine, state)
                yield Finding("must-disable", f"{self._name(second)} is enabled after {self._name(first)} in {where}")
            if self.relations.do_not_left_accord[second] >> first & 1 or first == second:
                continue
            swapped = {end for middle in self.moves(state).get(second, ()) for end in self.moves(middle).get(first, ())}
            if not finals <= swapped:
                message = (
                    f"{self._name(first)} then {self._name(second)} runs from {describe(self.engine, state)}, "
                    "but not the other way round to the same state"
                )
                yield Finding("left accordance", message)

    def _accords(self, state: Words) -> Iterator[Finding]:
        moves = self.moves(state)
        enabled = sorted(moves)
        for position, first in enumerate(enabled):
            for second in enabled[position + 1 :]:
                if self.relations.do_not_accord[first] >> second & 1:
                    continue
                self.checks += 1
                one_way = self._through(moves[first], second)
                other_way = self._through(moves[second], first)
                if one_way is None or other_way is None:
                    problem = "one disables the other"
                elif one_way != other_way:
                    problem = "they do not commute"
                else:
                    continue
                pair = f"{self._name(first)} and {self._name(second)}"
                where = describe(self.engine, state)
                yield Finding("accordance", f"{pair} are said to accord, but in {where} {problem}")

    def _through(self, middles: set[Words], transition: int) -> set[Words] | None:
        """Where `transition` leads from these states; None where it is disabled in one of them."""
        reached: set[Words] = set()
        for middle in middles:
            targets = self.moves(middle).get(transition)
            if targets is None:
                return None
            reached |= targets
        return reached

    def _name(self, transition: int) -> str:
        return self.engine.compiled.model.transitions[transition].name

    def _guard(self, guard: int) -> str:
        return f"`{self.engine.compiled.model.guards[guard].text}`"
