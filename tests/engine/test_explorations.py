"""Explorations that are written and read again, and explorations that share the states of one model."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mule import _engine
from mule.engine import Engine, Found, SearchResult
from mule.model import Model
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.options import Options
from mule.planning import resolve, search_options
from mule.results import replay
from tests.small_models import models
from tests.soundness.reference import Searches, Space

pytestmark = pytest.mark.slow


def counted(found: SearchResult) -> tuple[object, ...]:
    progress = found.progress
    return progress.states, progress.transitions, found.deadlocks, found.found, found.path, found.fired


def end(engine: Engine, search: _engine.Exploration) -> SearchResult:
    while search.step(5):
        pass
    return engine.result_of(search, 0.0)


def reducer(searches: Searches, options: Options) -> _engine.Reducer | None:
    return None if options.por == "none" else searches.prepared.reducer(options)


def false_somewhere(space: Space) -> Expression:
    """An invariant that is false in one reachable state."""
    last = max(space.states)
    slots = space.model.slot_variables
    differences = [
        Binary("!=", Read(variable, None if index is None else Constant(index)), Constant(last[slot]))
        for slot, (variable, index) in enumerate(slots)
    ]
    expression: Expression = differences[0]
    for each in differences[1:]:
        expression = Binary("or", expression, each)
    return expression


@settings(max_examples=40)
@given(
    models(),
    st.sampled_from(["none", "deletion"]),
    st.sampled_from(["auto", "fragmented", "fragmented-history"]),
    st.booleans(),
    st.integers(0, 30),
)
def test_an_exploration_goes_on_where_it_was_written(
    model: Model, por: str, proviso: str, stops: bool, steps: int
) -> None:
    space = Space(model)
    if not space.complete:
        return
    observed = (false_somewhere(space),) if stops and space.model.slot_variables else ()
    searches = Searches(model, "safety", observed)
    # What a reducer remembers is not written: the sets must not depend on it.
    order = "bfs" if proviso == "auto" else "dfs"
    asked = Options(por=por, search=order, proviso=proviso, remember="exact")  # type: ignore[arg-type]
    resolved = resolve(asked, "safety")
    options = search_options(resolved, "safety", stop_at_deadlock=stops, stop_at_assertion=stops, stop_at_error=stops)
    engine = searches.prepared.engine

    def begun() -> _engine.Exploration:
        return engine.exploration(options, reducer(searches, resolved))

    expected = counted(end(engine, begun()))
    search = begun()
    for _ in range(steps):
        search.step(1)
    if not search.has_work:
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / "search"
        search.write(str(file))
        again = engine.read_exploration(options, file, reducer(searches, resolved))
    assert counted(end(engine, again)) == expected


def together(team: list[_engine.Exploration], states: int) -> None:
    """Steps in turn, and what each owns is brought to it, until nothing is left or something is found."""
    while any(search.has_work for search in team):
        for search in team:
            search.step(states)
        for source in team:
            for part, search in enumerate(team):
                search.receive(source.outbox(part))


def whole_path(team: list[_engine.Exploration], path: _engine.PathEnd) -> list[tuple[int, int]]:
    steps = path.steps
    while not path.from_initial_state:
        path = team[path.part].path_to(path.part, path.number)
        steps = path.steps + steps
    return steps


@settings(max_examples=40)
@given(models(), st.integers(2, 4), st.integers(1, 20))
def test_explorations_that_share_the_states_count_what_one_does(model: Model, parts: int, states: int) -> None:
    space = Space(model)
    if not space.complete:
        return
    searches = Searches(model, "deadlocks")
    engine = searches.prepared.engine
    options = search_options(resolve(Options(por="none", search="bfs"), "deadlocks"), "deadlocks")
    team = [engine.exploration(options, None, part, parts) for part in range(parts)]
    together(team, states)
    results = [engine.result_of(search, 0.0) for search in team]
    assert sum(each.progress.states for each in results) == len(space.states)
    assert sum(each.progress.transitions for each in results) == space.transitions
    assert sum(each.deadlocks for each in results) == len(space.deadlocks)


@settings(max_examples=40)
@given(models(), st.integers(2, 4), st.sampled_from(["none", "deletion"]))
def test_what_one_of_them_finds_has_a_path_over_all_of_them(model: Model, parts: int, por: str) -> None:
    space = Space(model)
    if not space.complete:
        return
    observed = (false_somewhere(space),) if space.model.slot_variables else ()
    searches = Searches(model, "safety", observed)
    resolved = resolve(Options(por=por, search="bfs"), "safety")  # type: ignore[arg-type]
    options = search_options(resolved, "safety", stop_at_deadlock=True, stop_at_assertion=True, stop_at_error=True)
    engine = searches.prepared.engine
    team = [engine.exploration(options, reducer(searches, resolved), part, parts) for part in range(parts)]
    together(team, 10)
    paths = [search.found_path for search in team]
    results = [engine.result_of(search, 0.0) for search in team]
    alone = engine.search(options, reducer(searches, resolved))
    assert all(each.found is Found.NOTHING for each in results) == (alone.found is Found.NOTHING)
    for found, path in zip(results, paths, strict=True):
        if found.found is not Found.NOTHING:
            steps = whole_path(team, path)
            assert len(replay(searches.prepared.searched, steps)) == len(steps)


def test_a_file_that_holds_no_search_is_refused(tmp_path: Path) -> None:
    model = Model("m", "test", (), (), ())
    searches = Searches(model, "deadlocks")
    options = search_options(resolve(Options(por="none", search="bfs"), "deadlocks"), "deadlocks")
    with pytest.raises(RuntimeError, match="damaged"):
        searches.prepared.engine.read_exploration(options, tmp_path / "absent")
    with pytest.raises(RuntimeError, match="could not be written"):
        searches.prepared.engine.exploration(options).write(str(tmp_path / "no" / "such" / "folder"))
