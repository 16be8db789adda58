"""Every reduction, proviso and search against the reference interpreter on small random models.

`MULE_FUZZ=5000 pytest tests/soundness` runs that many models."""

from __future__ import annotations

import os
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from mule.checking import Preparation, Properties, algorithm, check, explore, search_options
from mule.comparison import ALGORITHMS
from mule.model import Kind, Model
from mule.model.domains import compute_domains
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.model.failures import with_error_transitions
from mule.model.interpreter import Failure, Interpreter, State
from mule.options import Options
from mule.relations import derive
from mule.results import Verdict, ViolationKind
from tests.small_models import Builder, models, plus, predicates, put

EXAMPLES = int(os.environ.get("MULE_FUZZ", "60"))
MOST_STATES = 1500


class Space:
    """The whole state space of a model, as the interpreter sees it."""

    def __init__(self, model: Model) -> None:
        self.model = with_error_transitions(model, compute_domains(model))
        self.interpreter = Interpreter(self.model)
        self.states: set[State] = {self.interpreter.initial}
        self.transitions = 0
        self.deadlocks: set[State] = set()
        self.fails = False
        work = [self.interpreter.initial]
        while work and len(self.states) <= MOST_STATES:
            state = work.pop()
            steps = list(self.interpreter.steps(state))
            if not steps:
                self.deadlocks.add(state)
            for step in steps:
                if step.failure is not None:
                    self.fails = True
                    continue
                self.transitions += 1
                if step.target not in self.states:
                    self.states.add(step.target)
                    work.append(step.target)
        self.complete = len(self.states) <= MOST_STATES

    def always(self, expression: Expression) -> bool:
        def holds(state: State) -> bool:
            try:
                return self.interpreter.evaluate(expression, state) != 0
            except Failure:
                return False

        return all(holds(state) for state in self.states)


@settings(max_examples=EXAMPLES)
@given(models())
def test_full_searches_count_what_the_interpreter_counts(model: Model) -> None:
    space = Space(model)
    if not space.complete:
        return
    for search in ("bfs", "dfs"):
        found = explore(model, Options(por="none", search=search)).statistics  # type: ignore[arg-type]
        expected = (len(space.states), space.transitions, len(space.deadlocks))
        assert (found.states, found.transitions, found.deadlocks) == expected


@settings(max_examples=EXAMPLES)
@given(models(), st.booleans(), st.booleans())
def test_reductions_keep_all_deadlocks(model: Model, weak: bool, nds: bool) -> None:
    space = Space(model)
    if not space.complete:
        return
    for por in ALGORITHMS:
        options = Options(por=por, weak=weak, nds=nds, remember="exact")
        found = explore(model, options).statistics
        assert found.deadlocks == len(space.deadlocks), por
        assert found.states <= len(space.states)
        forgetful = explore(model, options.but(remember="none", search="dfs")).statistics
        same = (forgetful.states, forgetful.transitions) == (found.states, found.transitions)
        assert same, "exact sets depend on the state alone"
        for search in ("bfs", "dfs"):
            quick = explore(model, options.but(remember="valid", search=search)).statistics
            assert quick.deadlocks == len(space.deadlocks), (por, search)


@settings(max_examples=EXAMPLES)
@given(models(), st.booleans(), st.data())
def test_reductions_keep_invariants_and_errors(model: Model, weak: bool, data: st.DataObject) -> None:
    space = Space(model)
    if not space.complete:
        return
    scalars = [variable for variable in model.variables if variable.length is None]
    invariant = data.draw(predicates(scalars, [v for v in model.variables if v.length is not None]))
    model = replace(model, parse_expression=lambda text: invariant)
    properties = Properties(invariants=("drawn",))
    expected = Verdict.HOLDS if space.always(invariant) and not space.fails else Verdict.VIOLATED
    for por in ("none", *ALGORITHMS):
        for search in ("dfs", "bfs"):
            for proviso in ("auto", "duplicate-"):
                options = Options(por=por, weak=weak, search=search, proviso=proviso)  # type: ignore[arg-type]
                result = check(model, properties, options)
                assert result.verdict is expected, (por, search, proviso)


@settings(max_examples=EXAMPLES)
@given(models())
def test_deadlock_trails_end_in_deadlocks_and_full_breadth_first_ones_are_shortest(model: Model) -> None:
    space = Space(model)
    if not space.complete or space.fails:
        return
    lengths = {}
    for options in (Options(por="none", search="bfs"), Options(por="none", search="dfs"), Options(por="beam")):
        result = check(model, Properties(deadlock=True), options)
        assert (result.verdict is Verdict.VIOLATED) == bool(space.deadlocks)
        for violation in result.violations:
            assert violation.kind is ViolationKind.DEADLOCK
            assert violation.trail.states[-1] in space.deadlocks
            lengths[options.por, options.search] = len(violation.trail)
    if lengths:
        assert min(lengths.values()) == lengths["none", "bfs"]


def test_the_proviso_is_what_keeps_a_transition_from_being_ignored_for_ever() -> None:
    """Two processes: one spins invisibly for ever, the other would break the invariant. With the safeguard switched
    off the violation is lost, so this test can fail."""
    builder = Builder()
    x, y = builder.variable("x", 1), builder.variable("y", 1)
    breaker, spinner = builder.process("breaker", 2), builder.process("spinner", 1)
    builder.transition(breaker, 0, 1, (), (plus(y, 1),))
    builder.transition(spinner, 0, 0, (), (plus(x, 1),))
    invariant = Binary("==", Read(y), Constant(0))
    model = replace(builder.model(), parse_expression=lambda text: invariant)
    for search in ("dfs", "bfs"):
        result = check(model, Properties(invariants=("y == 0",)), Options(por="beam", search=search))  # type: ignore[arg-type]
        assert result.verdict is Verdict.VIOLATED
    unsafe = Options(por="beam", nds=True, search="bfs", proviso="none", remember="exact")
    prepared = Preparation(model, unsafe, "safety", (invariant,))
    found = prepared.search(search_options(unsafe, "safety"), None)
    assert found.found.name == "NOTHING"
    assert found.progress.states == 2


def test_visibility_keeps_the_order_that_an_invariant_can_see() -> None:
    """x and y are set by independent processes; `x <= y` is broken only if x comes first. Without visibility the
    reduction may explore the other order alone."""
    verdicts = set()
    for first, second in (("x", "y"), ("y", "x")):
        builder = Builder()
        variables = {name: builder.variable(name, 1) for name in "xy"}
        for name in (first, second):
            process = builder.process(name.upper(), 2)
            builder.transition(process, 0, 1, (), (put(variables[name], 1),))
        invariant = Binary("<=", Read(variables["x"]), Read(variables["y"]))
        model = replace(builder.model(), parse_expression=lambda text, e=invariant: e)
        for por in ALGORITHMS:
            assert check(model, Properties(invariants=("x <= y",)), Options(por=por)).verdict is Verdict.VIOLATED
        options = Options(por="beam", nds=True, search="bfs", proviso="none", remember="exact")
        prepared = Preparation(model, options, "safety", (invariant,))
        blind = derive(prepared.searched, prepared.domains)
        reducer = prepared.engine.reducer(blind, algorithm(options))
        verdicts.add(prepared.engine.search(search_options(options, "safety"), reducer).found.name)
    assert verdicts == {"NOTHING", "PROPOSITION"}, "without visibility one of the two orders loses the violation"


def test_the_small_models_have_deadlocks_and_errors() -> None:
    """The generator is worth its name: across a few examples it makes what the tests above look for."""
    kinds: set[str] = set()

    @settings(max_examples=80, database=None)
    @given(models())
    def collect(model: Model) -> None:
        space = Space(model)
        kinds.update(["deadlock"] if space.deadlocks else [])
        kinds.update(["failure"] if space.fails else [])
        kinds.update(["error transition"] if any(t.kind is Kind.ERROR for t in space.model.transitions) else [])

    collect()
    assert kinds >= {"deadlock", "failure"}, kinds
