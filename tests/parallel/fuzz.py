"""Several workers on random models of several languages: `python -m tests.parallel.fuzz --count 5000 --seed 0`.

Without reduction they count what one worker counts, and their trails are as short; with every reduction, and every
proviso that needs no stack, they find a violation where there is one. So they do where they are stopped at some moment,
written to a file, and others go on. Tables are tiny and nothing is too small to be shared, so that they grow and
workers meet all the time."""

from __future__ import annotations

import random
import tempfile
from functools import partial, reduce
from pathlib import Path

from mule import _engine
from mule.checkpoints import Saving
from mule.comparison import REDUCTIONS
from mule.engine import Found, SearchOptions, SearchResult, Team, bit_words
from mule.model import Model
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.model.interpreter import Failure, Interpreter
from mule.options import Options, Por, Proviso
from mule.planning import Analysis, Plan, Preparation, resolve, search_options
from mule.records import replace
from tests.random_searches import model_of, predicate, run

MOST_STATES = 3_000
PROVISOS: tuple[Proviso, ...] = ("closed-", "closed-", "duplicate-", "duplicate", "static")
ALGORITHMS: tuple[tuple[Por, bool], ...] = (*REDUCTIONS, ("ample", False), ("lpor", False))


def try_model(seed: int) -> str:
    """What came of it; raises AssertionError where several workers and one disagree."""
    name, model = model_of(seed)
    if model is None:
        return name
    chosen = random.Random(seed)
    as_written = chosen.random() < 0.5
    if not counts_agree(_prepared(model, (), as_written), chosen):
        return f"{name}: too large"
    drawn = predicate(model, chosen) if chosen.random() < 0.5 else _violated_somewhere(model, chosen)
    violated = verdicts_agree(model, as_written, drawn, chosen)
    return f"{name}: {'violated' if violated else 'holds'}"


def _violated_somewhere(model: Model, chosen: random.Random) -> Expression:
    """That there is no state with these values of some slots, although there is one, and perhaps far away."""
    engine = _prepared(model, (), as_written=True).engine
    sample = engine.search(SearchOptions(sample=1, max_states=MOST_STATES)).sample
    state = engine.compiled.layout.unpack(sample[0])
    slots = chosen.sample(range(model.slots), min(chosen.randint(1, 3), model.slots))
    parts = []
    for variable, index, value in ((*model.slot_variables[slot], state[slot]) for slot in slots):
        parts.append(Binary("!=", Read(variable, None if index is None else Constant(index)), Constant(value)))
    return reduce(partial(Binary, "or"), parts)


def _prepared(
    model: Model, propositions: tuple[Expression, ...], as_written: bool, proviso: Proviso = "auto"
) -> Preparation:
    options = Options(por="deletion", as_written=as_written, proviso=proviso)
    analysis = Analysis(model, propositions, ahead=not as_written)
    return Preparation(Plan(analysis, options, "safety", propositions))


def _team(chosen: random.Random) -> Team:
    return Team(
        workers=chosen.randint(1, 4), worth_sharing=chosen.choice((1, 2, 40)), capacity=chosen.choice((5, 64, 4096))
    )


def counts_agree(prepared: Preparation, chosen: random.Random) -> bool:
    """False where there are too many states to look at."""
    full = resolve(Options(por="none", search="bfs", max_states=MOST_STATES), "safety")
    options = search_options(full, "safety")
    serial = prepared.engine.search(options)
    if serial.stopped:
        return False
    team = _team(chosen)
    shared = prepared.engine.search(replace(options, team=team))
    assert _counts(shared) == _counts(serial), f"{team}: {_counts(shared)}, not {_counts(serial)}"
    assert shared.fired == serial.fired, f"{team}: other transitions were enabled"
    most = chosen.randint(1, serial.progress.states)
    resumed = _cut(prepared, options, most, chosen, reduced=False)
    assert _counts(resumed) == _counts(serial), f"cut at {most}: {_counts(resumed)}, not {_counts(serial)}"
    assert resumed.fired == serial.fired, f"cut at {most}: other transitions were enabled"
    limited = prepared.engine.search(replace(options, team=team, max_states=most))
    stored = limited.progress.states - limited.error_states
    assert stored <= most, f"{team}: {stored} states, and at most {most} were asked for"
    complete = serial.progress.states - serial.error_states <= most
    assert complete == (limited.stopped is None), f"{team}: stopped by {limited.stopped} at {most} states"
    return True


class Cut(Saving):
    """A file for the search that stops first, and for nobody else."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.identity = (1, 2)

    def file(self) -> Path | None:
        return self.path if self.path.exists() else None

    def is_due(self) -> bool:
        return False

    def save(self, search: _engine.Stepped) -> None:
        search.write(str(self.path))


def _cut(
    prepared: Preparation, options: SearchOptions, most: int, chosen: random.Random, reduced: bool = True
) -> SearchResult:
    """What some workers find who go on where others have stopped, at so many states."""
    with tempfile.TemporaryDirectory() as folder:
        saving = Cut(Path(folder) / "cut")
        for limit in (most, None):
            team = chosen.choice((None, _team(chosen)))
            reducer = prepared.reducer(prepared.options) if reduced else None
            sticky = bit_words(prepared.sticky, len(prepared.searched.transitions))
            how = replace(options, max_states=limit, team=team, sticky=sticky)
            found = prepared.engine.search(how, reducer, saving=saving)
            if found.stopped != "states":
                break
    return found


def _counts(found: SearchResult) -> tuple[object, ...]:
    counted = found.progress
    happened = (found.deadlocks, found.failures, found.assertions, found.error_states)
    return counted.states, counted.transitions, counted.depth, counted.queue, *happened


def verdicts_agree(model: Model, as_written: bool, drawn: Expression, chosen: random.Random) -> bool:
    """Whether something is violated."""
    prepared, static = (_prepared(model, (drawn,), as_written, each) for each in ("closed-", "static"))
    stops = {"stop_at_deadlock": chosen.random() < 0.5}
    stops |= {"stop_at_assertion": chosen.random() < 0.7, "stop_at_error": chosen.random() < 0.7}
    options = search_options(resolve(Options(por="none", search="bfs"), "safety"), "safety", **stops)
    serial = prepared.engine.search(options)
    shared = prepared.engine.search(replace(options, team=_team(chosen)))
    _same_verdict(prepared, drawn, serial, shared, options)
    if (shared.found, shared.proposition) == (serial.found, serial.proposition):
        assert len(shared.path) == len(serial.path), f"{len(shared.path)} steps, not {len(serial.path)}"
    for por, weak in ALGORITHMS:
        asked = Options(por=por, weak=weak, search="bfs", proviso=chosen.choice(PROVISOS))
        resolved = resolve(asked, "safety")
        fitting = static if asked.proviso == "static" else prepared
        fitting.options = resolved  # what was derived and compiled before is the same for all of these
        reduced = replace(search_options(resolved, "safety", **stops), team=_team(chosen))
        _same_verdict(fitting, drawn, serial, fitting.search(reduced, None), reduced)
        if chosen.random() < 0.3:
            resumed = _cut(fitting, reduced, chosen.randint(1, max(serial.progress.states, 1)), chosen)
            _same_verdict(fitting, drawn, serial, resumed, reduced)
    return serial.found is not Found.NOTHING


def _same_verdict(
    prepared: Preparation, drawn: Expression, serial: SearchResult, shared: SearchResult, options: SearchOptions
) -> None:
    assert shared.stopped is None, f"{options}: stopped by {shared.stopped}"
    found = shared.found is not Found.NOTHING
    assert found == (serial.found is not Found.NOTHING), f"{options}: {shared.found}, not {serial.found}"
    if found:
        _is_a_violation(prepared, drawn, shared, options)


def _is_a_violation(prepared: Preparation, drawn: Expression, found: SearchResult, options: SearchOptions) -> None:
    """Of what is looked for, in the model as written, by the reference interpreter."""
    trail = prepared.trail(found.path)
    interpreter = Interpreter(trail.model)
    last = trail.states[-1]
    match found.found:
        case Found.DEADLOCK:
            assert not list(interpreter.steps(last)), "no deadlock"
        case Found.PROPOSITION:
            assert not _holds(interpreter, drawn, last), "the invariant holds there"
        case Found.FAILURE:
            assert trail.steps[-1].failure is not None, "nothing fails there"
            asserts = trail.model.transitions[trail.steps[-1].transition].asserts
            assert options.stop_at_assertion if asserts else options.stop_at_error, "that was not looked for"


def _holds(interpreter: Interpreter, expression: Expression, state: tuple[int, ...]) -> bool:
    try:
        return interpreter.evaluate(expression, state) != 0
    except Failure:
        return False


if __name__ == "__main__":
    run(try_model, __doc__, count=5000)
