"""Which option has a say in what: one without effect is refused, and each part of a question gets those that are meant
for it."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from mule.errors import MuleError
from mule.options import CHECKPOINT_EVERY, DYNAMIC, FRAGMENTED, GUIDED, OF_A_STACK, Options, Proviso
from mule.properties import Part

OF_STATES: tuple[Proviso, ...] = (
    "none",
    "stack-",
    "closed-",
    "duplicate-",
    "stack",
    "duplicate",
    "static",
    *FRAGMENTED,
)
"""Provisos that are enough for what can be seen in single states."""
OF_RUNS: tuple[Proviso, ...] = ("stack", "c3prime", "static")
OF_RUNS_BY_SEVERAL: tuple[Proviso, ...] = ("duplicate", "c3prime", "static")
"""Several workers have no stack, nor has a cluster, nor has one worker that goes by levels."""
OF_TREES: tuple[Proviso, ...] = ("stack", "static")

_NAMES: dict[Part, str] = {
    "states": "deadlocks, assertions and invariants",
    "runs": "temporal properties",
    "trees": "CTL and saved graphs",
}
_EVERYTHING: tuple[Part, ...] = ("states", "runs", "trees")
_PROVISOS: dict[Part, tuple[Proviso, ...]] = {"states": OF_STATES, "runs": OF_RUNS, "trees": OF_TREES}


class _Given(NamedTuple):
    """An option that is not left as it is by default."""

    text: str
    parts: tuple[Part, ...]
    """What it has a say in."""
    hint: str


def saves_runs(options: Options) -> bool:
    """Whether temporal properties have checkpoints: they are then searched by levels, by one worker, too."""
    deep = options.search == "dfs" or options.proviso == "stack"
    return options.checkpoint is not None and not deep


def provisos_of(part: Part, options: Options) -> tuple[Proviso, ...]:
    if part == "runs" and ((options.workers or 1) > 1 or options.cluster is not None or saves_runs(options)):
        return OF_RUNS_BY_SEVERAL
    return _PROVISOS[part]


def for_states(options: Options) -> Options:
    return options if options.proviso in ("auto", *OF_STATES) else options.but(proviso="auto")


def for_runs(options: Options) -> Options:
    return options.but(
        proviso=options.proviso if options.proviso in provisos_of("runs", options) else "auto",
        weak=False,
        search="auto",
        estimate="auto",
        weight=1,
        workers=1 if options.cluster is not None else options.workers,
        remember="auto",
        store="exact",
        spill=None,
        checkpoint=options.checkpoint if saves_runs(options) else None,
        resume=options.resume and saves_runs(options),
    )


def unsaved(options: Options) -> Options:
    """For a search beside the one that is asked for."""
    return options.but(checkpoint=None, resume=False)


def for_trees(options: Options) -> Options:
    return options.but(
        proviso=options.proviso if options.proviso in OF_TREES else "auto",
        visibility="auto",
        weak=False,
        search="auto",
        estimate="auto",
        weight=1,
        workers=1,
        gpu=False,
        store="exact",
        spill=None,
        checkpoint=None,
        resume=False,
    )


def require_effect(options: Options, asked: Collection[Part]) -> None:
    """Refuse an option that has no say in anything that is asked for."""
    if options.gpu:
        _require_fit_for_gpu(options, asked)
    for given in _given(options, asked):
        if not given.parts:
            raise MuleError(f"{given.text} has no effect here: {given.hint}")
        if not set(given.parts) & set(asked):
            about = " and ".join(_NAMES[part] for part in _EVERYTHING if part in asked)
            raise MuleError(f"{given.text} has no effect on {about}: {given.hint}")
    if options.cluster is not None and "trees" in asked:
        raise MuleError(
            "a cluster judges deadlocks, assertions, invariants and LTL, but no CTL: leave out --cluster, or ask for "
            "those alone (--deadlock --ltl)"
        )
    if (options.workers or 1) > 1 and "trees" in asked:
        raise MuleError(
            f"--workers {options.workers} look for deadlocks, violated assertions and invariants, and for runs that "
            "violate LTL, and CTL is judged by one worker: ask for the ones (--deadlock --ltl) and the others apart"
        )
    if options.fairness != "none" and "trees" in asked:
        raise MuleError("CTL is judged over all runs: leave out --fairness, or write the property in LTL")


def _require_fit_for_gpu(options: Options, asked: Collection[Part]) -> None:
    if "trees" in asked:
        raise MuleError(
            "the GPU judges deadlocks, assertions, invariants and LTL, but no CTL: leave out --gpu, or ask for those "
            "alone (--deadlock --ltl)"
        )
    if "runs" in asked and options.fairness != "none":
        raise MuleError(f"the GPU judges all runs, fair or not: leave out --fairness {options.fairness}, or --gpu")
    if "runs" in asked and options.por not in ("auto", "none"):
        raise MuleError(
            f"the GPU judges temporal properties without reduction: leave out --por {options.por}, or --gpu, or ask "
            "for the other properties alone (--deadlock --assertions)"
        )


def limits_only(options: Options) -> Options:
    return Options(memory=options.memory, time=options.time, max_states=options.max_states)


def require_only_limits(options: Options) -> None:
    """Of a graph that is there already: nothing is searched for but what a formula asks."""
    if options == limits_only(options).but(translator=options.translator):
        return
    texts = [given.text for given in _given(options, _EVERYTHING)] + ["--fairness"] * (options.fairness != "none")
    if options.por != "auto" or options.lpor is not None:
        texts.insert(0, f"--por {options.por}" if options.lpor is None else "--lpor")
    shown = ", ".join(dict.fromkeys(texts)) or "how to search"
    raise MuleError(f"the graph was made before, so {shown} has no effect here: only limits and --translator have")


def _given(options: Options, asked: Collection[Part]) -> list[_Given]:
    por, proviso = options.por, options.proviso
    reduces = por != "none" or options.lpor is not None
    by_sets = por not in ("none", "ample", "lpor", *DYNAMIC) and options.lpor is None
    nothing = "nothing is reduced with --por none"
    given = []

    def note(is_given: bool, text: str, parts: tuple[Part, ...], hint: str) -> None:
        if is_given:
            given.append(_Given(text, parts, hint))

    several = (options.workers or 1) > 1 or options.cluster is not None
    known = {part: provisos_of(part, options) for part in _EVERYTHING}
    proviso_of = tuple(part for part in _EVERYTHING if proviso in known[part] and (reduces or proviso == "none"))
    fitting = [each for part in _EVERYTHING if part in asked for each in known[part] if each != "none"]
    choices = " or ".join(dict.fromkeys(("auto", *fitting)))
    note(proviso != "auto", f"--proviso {proviso}", proviso_of, f"use --proviso {choices}" if reduces else nothing)
    note(options.cluster is not None, f"--cluster {options.cluster}", ("states", "runs"), "CTL has one worker")
    note(options.gpu, "--gpu", ("states", "runs"), "it is for states and runs")
    is_ordered = options.search in ("bfs", *GUIDED)
    by_levels = several or saves_runs(options)
    ordered: tuple[Part, ...] = ("states", "runs") if options.search == "bfs" and by_levels else ("states",)
    note(is_ordered, f"--search {options.search}", ordered, "the search is depth first")
    note(options.search == "dfs" and several, "--search dfs", ("states",), "several workers search breadth first")
    guided: tuple[Part, ...] = ("states",) if options.search in GUIDED else ()
    guides = "it is for --search astar, idastar and best-first"
    given_estimates = " and ".join(each if isinstance(each, str) else each.__name__ for each in options.estimates)
    note(options.estimate != "auto", f"--estimate {given_estimates}", guided, guides)
    weighs = guided if options.search == "astar" else ()
    note(options.weight != 1, f"--weight {options.weight}", weighs, "it is for --search astar")
    many = f"--workers {options.workers}"
    threaded: tuple[Part, ...] = ("states", "runs") if options.cluster is None else ("states",)
    alone = "there one worker searches" if options.cluster is None else "there each worker of a cluster has one thread"
    note((options.workers or 1) > 1, many, threaded, alone)
    note(options.store != "exact", f"--store {options.store}", ("states",), "it is for breadth-first searches")
    saved: tuple[Part, ...] = ("states", "runs") if saves_runs(options) else ("states",)
    without = without_checkpoints(options)
    note(options.checkpoint is not None, "--resume" if options.resume else "--checkpoint", saved, without)
    timed: tuple[Part, ...] = () if options.checkpoint is None else saved
    note(options.checkpoint_every != CHECKPOINT_EVERY, "--checkpoint-every", timed, "it is for --checkpoint")
    wide = options.search in ("auto", "bfs") and options.proviso not in OF_A_STACK
    spills: tuple[Part, ...] = ("states",) if wide else ()
    note(options.spill is not None, f"--spill {options.spill}", spills, "only breadth-first searches go on with disk")
    note(options.weak, "--weak", ("states",) if reduces else (), "use strong stubborn sets" if reduces else nothing)
    note(
        options.nds is not None,
        "--nds" if options.nds else "--no-nds",
        _EVERYTHING if by_sets else (),
        f"--por {por} has no use for necessary disabling sets",
    )
    uses_net = por == "lpor" or options.lpor is not None
    note(not options.net, "--no-net", _EVERYTHING if uses_net else (), "it is for --por lpor")
    note(
        options.remember != "auto",
        f"--remember {options.remember}",
        _remembering(options),
        "sets are remembered exactly there" if by_sets else f"--por {por} computes each set anew",
    )
    seen: tuple[Part, ...] = ("runs", "trees") if options.visibility == "c2" else ("runs",)
    note(
        options.visibility != "auto",
        f"--visibility {options.visibility}",
        seen if reduces else (),
        "it is for temporal properties" if reduces else nothing,
    )
    note(options.emptiness != "ndfs", f"--emptiness {options.emptiness}", ("runs",), "it is for temporal properties")
    note(options.fairness != "none", f"--fairness {options.fairness}", ("runs", "trees"), "it is about infinite runs")
    note(options.translator != "auto", f"--translator {options.translator}", ("runs",), "it is for LTL")
    return given


def without_checkpoints(options: Options) -> str:
    """Why a temporal property has none, of those that have none with these options."""
    if saves_runs(options):
        return "CTL and saved graphs have no checkpoints"
    deep = "--search dfs" if options.search == "dfs" else "--proviso stack"
    return f"temporal properties have checkpoints where they are searched by levels: leave out {deep}"


def _remembering(options: Options) -> tuple[Part, ...]:
    """Where it makes a difference whether sets are looked up."""
    if options.por in ("none", *DYNAMIC) or options.remember == "none":
        return _EVERYTHING if options.remember == "none" else ()
    if options.por == "lpor" or options.lpor is not None:
        return ("states",) if options.remember == "exact" else ()
    return _EVERYTHING if options.remember == "exact" else ("states", "trees")
