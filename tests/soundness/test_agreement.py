"""Every reduction, proviso and search against the reference interpreter on small random models.

`MULE_FUZZ=5000 pytest tests/soundness` runs that many models."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from mule.checking import Properties, check
from mule.comparison import ALGORITHMS, REDUCTIONS
from mule.engine import Found
from mule.model import Model
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.model.printer import format_expression
from mule.options import Options
from mule.planning import Preparation, algorithm, plan_for, resolve, search_options
from mule.records import replace
from mule.relations.derivation import derive
from mule.results import Verdict, ViolationKind
from tests.fuzz import examples
from tests.small_models import Builder, models, plus, put
from tests.soundness.reference import Searches, Space
from tests.soundness.trails import examine_trail, invariants

pytestmark = pytest.mark.slow

EXAMPLES = examples(60)


@settings(max_examples=EXAMPLES)
@given(models())
def test_full_searches_count_what_the_interpreter_counts(model: Model) -> None:
    space = Space(model)
    if not space.complete:
        return
    expected = (len(space.states), space.transitions, len(space.deadlocks))
    prepared = Preparation(plan_for(model, Options(por="none", as_written=True), "deadlocks", ()))
    split = Searches(model, "deadlocks")
    for search in ("bfs", "dfs"):
        options = resolve(Options(por="none", search=search), "deadlocks")
        for found in (prepared.search(search_options(options, "deadlocks"), None), split.full(search)):
            assert (found.progress.states, found.progress.transitions, found.deadlocks) == expected
            assert (found.failures > 0) == space.fails


@settings(max_examples=EXAMPLES)
@given(models(), st.booleans())
def test_reductions_keep_all_deadlocks(model: Model, nds: bool) -> None:
    space = Space(model)
    if not space.complete:
        return
    searches = Searches(model, "deadlocks")
    for por, weak in REDUCTIONS:
        options = Options(por=por, weak=weak, nds=nds, remember="exact", search="bfs")
        found = searches.reduced(options)
        assert found.deadlocks == len(space.deadlocks), (por, weak)
        assert found.progress.states <= len(space.states)
        forgetful = searches.reduced(options.but(remember="none", search="dfs")).progress
        same = (forgetful.states, forgetful.transitions) == (found.progress.states, found.progress.transitions)
        assert same, "exact sets depend on the state alone"
        for search in ("bfs", "dfs"):
            quick = searches.reduced(options.but(remember="valid", search=search))
            assert quick.deadlocks == len(space.deadlocks), (por, weak, search)


SAFE_SEARCHES = (("dfs", "stack-"), ("dfs", "duplicate-"), ("bfs", "duplicate-"), ("bfs", "closed-"))


@settings(max_examples=EXAMPLES)
@given(models(), st.booleans(), st.sampled_from(["valid", "exact", "none"]), st.booleans(), st.data())
def test_reductions_keep_invariants_and_errors(
    model: Model, nds: bool, remember: str, deadlock: bool, data: st.DataObject
) -> None:
    space = Space(model)
    if not space.complete:
        return
    drawn: tuple[Expression, ...] = () if space.fails else (data.draw(invariants(space)),)
    model = replace(model, parse_expression=lambda text: drawn[0])
    good = all(space.always(each) for each in drawn) and not space.fails and not (deadlock and space.deadlocks)
    event("holds" if good else "fails" if space.fails else "violated")
    searches = Searches(model, "safety", drawn)
    for (por, weak), (search, proviso) in product(REDUCTIONS, SAFE_SEARCHES):
        options = Options(
            por=por,
            weak=weak,
            nds=nds,
            remember=remember,  # type: ignore[arg-type]
            search=search,  # type: ignore[arg-type]
            proviso=proviso,  # type: ignore[arg-type]
        )
        found = searches.reduced(options, stop_at_assertion=True, stop_at_error=True, stop_at_deadlock=deadlock)
        assert (found.found is Found.NOTHING) == good, (options, list(map(format_expression, drawn)))
        examine_trail(space, searches, found, drawn)
    properties = Properties(deadlock=deadlock, invariants=("drawn",) * len(drawn))
    for options in (Options(), Options(por="none")):
        assert (check(model, properties, options).verdict is Verdict.HOLDS) == good


@settings(max_examples=EXAMPLES)
@given(models())
def test_deadlock_trails_end_in_deadlocks_and_full_breadth_first_ones_are_shortest(model: Model) -> None:
    space = Space(model)
    if not space.complete or space.fails:
        return
    lengths = {}
    shortest = Options(por="none", search="bfs", as_written=True)
    for options in (shortest, Options(por="none", search="dfs"), Options(por="beam")):
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
        result = check(model, Properties(invariants=("y == 0",)), Options(por="beam", search=search))
        assert result.verdict is Verdict.VIOLATED
    unsafe = Options(por="beam", nds=True, search="bfs", proviso="none", remember="exact", as_written=True)
    prepared = Preparation(plan_for(model, unsafe, "safety", (invariant,)))
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
        model = replace(builder.model(), parse_expression=lambda text, e=invariant: e)  # type: ignore[misc]
        for por in ("ample", *ALGORITHMS):
            assert check(model, Properties(invariants=("x <= y",)), Options(por=por)).verdict is Verdict.VIOLATED
        options = Options(por="beam", nds=True, search="bfs", proviso="none", remember="exact", as_written=True)
        prepared = Preparation(plan_for(model, options, "safety", (invariant,)))
        blind = derive(prepared.searched, prepared.domains)
        reducer = prepared.engine.reducer(blind, algorithm(options))
        verdicts.add(prepared.engine.search(search_options(options, "safety"), reducer).found.name)
    assert verdicts == {"NOTHING", "PROPOSITION"}, "without visibility one of the two orders loses the violation"


def is_split(model: Model) -> bool:
    prepared = Preparation(plan_for(model, Options(por="deletion", as_written=True), "deadlocks", ()))
    return prepared.searched is not prepared.model


def test_the_small_models_are_worth_a_search() -> None:
    """The generator is worth its name: across a few examples it makes what the tests above look for."""
    kinds: set[str] = set()

    @settings(max_examples=250, database=None, derandomize=True)
    @given(models())
    def collect(model: Model) -> None:
        space = Space(model)
        kinds.update(["deadlock"] if space.deadlocks else [])
        kinds.update(["failing guard"] if space.guards_fail else [])
        kinds.update(["failing effect"] if space.effects_fail else [])
        kinds.update(["no failure"] if len(space.states) > 20 and not space.fails else [])
        kinds.update(["joint step"] if any(len(transition.moves) == 2 for transition in model.transitions) else [])
        kinds.update(["rule"] if any(not transition.moves for transition in model.transitions) else [])
        kinds.update(["split"] if is_split(model) else [])

    collect()
    wanted = {"deadlock", "failing guard", "failing effect", "no failure", "joint step", "rule", "split"}
    assert kinds == wanted
