"""Options with every `auto` replaced by what is done: the one place that decides how states are searched."""

from __future__ import annotations

from mule.cores import available_cores
from mule.driving import Limits
from mule.effects import OF_TREES, provisos_of, saves_runs
from mule.engine import Algorithm, Keeping, Order, SearchOptions, Team
from mule.engine import Proviso as EngineProviso
from mule.errors import MuleError
from mule.memory import available_memory
from mule.options import (
    DYNAMIC,
    FRAGMENTED,
    GUIDED,
    OF_A_STACK,
    Estimate,
    Kept,
    Options,
    Por,
    Preserve,
    Proviso,
    Remember,
    Search,
)
from mule.preservation import require_preserved
from mule.scratch import spill_directory

WITHOUT_NDS: tuple[Por, ...] = ("ample", "deletion", "lpor", *DYNAMIC)
"""What makes no use of necessary disabling sets, or finds nothing more with them."""


BEST_POR: Por = "deletion"
"""What `--por auto` means; `mule bench table5` shows why."""


BITSTATE_BYTES = 2**26
"""The array of bits, if no limit on memory is given: every search begins with clearing it."""


LARGE = 100_000
"""States from which on several workers search where the user does not say how many: one takes less than a tenth of a
second to come so far, and small searches stay the same from run to run in every detail."""


ON_GPU: tuple[Por, ...] = ("ample", "closure", "beam-noh")
"""Algorithms for stubborn sets that threads of a GPU compute."""


WITH_STACK: tuple[Search, ...] = ("dfs", "idastar")
"""Searches that go on from the state they met last, and so know the path to it."""


def resolve(options: Options, preserve: Preserve) -> Options:
    """Replace every `auto` by what is best for this property and search."""
    por: Por = BEST_POR if options.por == "auto" else options.por
    if options.lpor is not None:
        por = "lpor" if options.por == "auto" else por
        if por != "lpor":
            raise MuleError(f"relations for LPOR are of no use to --por {por}: use --por lpor")
    if options.weak and por == "ample":
        raise MuleError("ample sets have no weak form: leave out --weak, or use another --por")
    if options.weak and por in ("lpor", *DYNAMIC):
        raise MuleError(f"--por {por} has no weak form: leave out --weak, or use another --por")
    stateless = options.stateless or por in DYNAMIC
    if stateless and (options.search not in ("auto", "dfs") or options.proviso not in ("auto", "none")):
        raise MuleError(
            "a search that stores no states is depth first and needs no proviso: leave out --search and --proviso"
        )
    if options.cluster is not None:
        _require_fit_for_cluster(options, stateless)
    if options.gpu:
        _require_fit_for_gpu(options, stateless)
        por = "none" if options.por == "auto" else options.por
    if options.checkpoint is not None:
        _require_fit_for_checkpoints(options, stateless)
    needs_proviso = por != "none" and preserve == "safety" and not stateless
    search: Search = options.search
    if options.store != "exact":
        search = _breadth_first(options, stateless)
    if (options.workers or 1) > 1:
        search = _shared(options, por, stateless)
    if options.gpu:
        search = "bfs"
    if search == "auto":
        deep = stateless or options.proviso in OF_A_STACK
        wide = options.cluster is not None or options.proviso == "closed-"
        search = "dfs" if deep or (needs_proviso and not wide) else "bfs"
    proviso: Proviso = options.proviso
    if proviso == "auto":
        proviso = _best_proviso(options, search) if needs_proviso else "none"
    _require_sound(proviso, search, options.cluster is not None)
    if proviso == "closed-" and options.store != "exact":
        raise MuleError(
            f"the proviso closed- marks states that are stored: use --proviso auto or duplicate- with --store "
            f"{options.store}"
        )
    if proviso == "none" and needs_proviso:
        raise MuleError(
            "a reduction that preserves safety needs a proviso against ignoring transitions for ever: "
            "use --proviso auto, or --por none"
        )
    return options.but(
        por=por,
        search=search,
        estimate=_estimate(search, options.estimate),
        proviso=proviso,
        nds=por not in WITHOUT_NDS if options.nds is None else options.nds,
        remember="none" if options.gpu else _memory(por, options.remember, proviso),
        stateless=stateless,
        workers=_workers(options, search),
        as_written=options.as_written or options.lpor is not None,
    )


def _breadth_first(options: Options, stateless: bool) -> Search:
    """The stores that may leave states out know nothing of a stack, or of estimates."""
    if stateless or options.search not in ("auto", "bfs"):
        asked = "a search that stores no states" if stateless else f"--search {options.search}"
        raise MuleError(f"--store {options.store} is for --search bfs, not for {asked}")
    if options.proviso in OF_A_STACK:
        raise MuleError(
            f"--store {options.store} is for --search bfs, which has no stack: use --proviso auto, duplicate-, "
            "duplicate or static"
        )
    return "bfs"


def _best_proviso(options: Options, search: Search) -> Proviso:
    if search in WITH_STACK:
        return "stack-" if options.cluster is None else "fragmented-history"
    return "closed-" if options.store == "exact" else "duplicate-"


def _require_fit_for_cluster(options: Options, stateless: bool) -> None:
    if stateless:
        raise MuleError("a cluster shares out the states that are stored: use another --por, without --stateless")
    if options.lpor is not None:
        raise MuleError("relations of your own stay on this machine: leave out --lpor, or --cluster")
    if options.store != "exact":
        raise MuleError(f"--store {options.store} is for one machine: leave out --cluster, or use --store exact")
    if options.spill is not None:
        raise MuleError("the workers of a cluster stop where their memory is full: leave out --spill, or --cluster")
    if options.search in GUIDED:
        raise MuleError(f"a cluster has no one queue for --search {options.search}: use bfs, or dfs, or no --cluster")


def _require_fit_for_gpu(options: Options, stateless: bool) -> None:
    """A GPU searches breadth first, and keeps all states in its own memory."""
    if stateless:
        raise MuleError("a GPU stores all states: use --por none, without --stateless, or leave out --gpu")
    if options.por not in ("auto", "none", *ON_GPU) or options.weak or options.lpor is not None:
        given = "--lpor" if options.lpor is not None else "--weak" if options.weak else f"--por {options.por}"
        known = ", ".join(ON_GPU)
        raise MuleError(
            f"a GPU knows --por none, {known}, and --gpu alone means --por none: leave out {given}, or --gpu"
        )
    if options.proviso not in ("auto", "closed-", "none"):
        raise MuleError(f"a GPU knows the proviso closed-: leave out --proviso {options.proviso}, or --gpu")
    if options.search not in ("auto", "bfs"):
        raise MuleError(f"a GPU searches breadth first: leave out --search {options.search}, or --gpu")
    if options.store != "exact":
        raise MuleError(f"a GPU keeps states as they are: leave out --store {options.store}, or --gpu")
    for name in ("cluster", "spill", "checkpoint"):
        if getattr(options, name) is not None:
            raise MuleError(f"--{name} is not for a search on a GPU: leave out --{name}, or --gpu")
    if (options.workers or 1) > 1:
        raise MuleError(f"--workers {options.workers} are threads of this computer: leave out --workers, or --gpu")


def _require_fit_for_checkpoints(options: Options, stateless: bool) -> None:
    if stateless or options.search in GUIDED:
        order = "a search that stores no states" if stateless else f"--search {options.search}"
        raise MuleError(f"{order} has no checkpoints: use --search bfs or dfs, or leave out --checkpoint")
    if options.proviso in FRAGMENTED and options.cluster is None:
        raise MuleError(f"--proviso {options.proviso} has no checkpoints: use another one, or leave out --checkpoint")


def _workers(options: Options, search: Search) -> int | None:
    """None: as many as there are processors, once the search is large, or on the machines of a cluster."""
    serial = (
        (options.checkpoint is not None and options.cluster is None)
        or search != "bfs"
        or options.store != "exact"
        or options.lpor is not None
        or options.gpu
    )
    return 1 if options.workers is None and serial else options.workers


def _shared(options: Options, por: Por, stateless: bool) -> Search:
    """The search by several workers, if what is asked for can be had from one."""
    several = f"--workers {options.workers} search breadth first, on one table of states"
    if stateless:
        without = f"--por {por}" if por in DYNAMIC else "--stateless"
        raise MuleError(f"{several}, and {without} stores no states: use another --por, or --workers 1")
    if options.proviso in FRAGMENTED:
        raise MuleError(f"{several}, and --proviso {options.proviso} is one of a depth-first search: leave out one")
    if options.search not in ("auto", "bfs"):
        raise MuleError(f"{several}: leave out --search {options.search}, or use --workers 1")
    if options.proviso in ("stack", "stack-"):
        raise MuleError(f"{several}, and have no stack: use --proviso closed-, duplicate or static, or --workers 1")
    if options.store != "exact":
        raise MuleError(f"{several}, and keep each of them: leave out --store {options.store}, or use --workers 1")
    if options.lpor is not None:
        raise MuleError(
            f"{several}, and would wait for each other at relations in Python: leave out --lpor, or use --workers 1"
        )
    return "bfs"


def _require_sound(proviso: Proviso, search: Search, cluster: bool) -> None:
    """Each proviso with the searches that it is enough for (Lluch-Lafuente, Edelkamp and Leue 2002, Figure 4)."""
    if proviso == "c3prime":
        raise MuleError(
            "the proviso c3prime is for temporal properties: it only keeps visible steps from being put off. "
            "Use --proviso auto, stack-, closed- or static"
        )
    if proviso in FRAGMENTED and search != "dfs":
        raise MuleError(f"the proviso {proviso} is one of a depth-first search: leave out --search {search}")
    if cluster and (proviso in ("stack", "stack-") or (search == "dfs" and proviso not in FRAGMENTED)):
        raise MuleError(
            "no worker of a cluster has the whole stack of a depth-first search: use --search bfs, or --proviso "
            "fragmented, fragmented-order or fragmented-history"
        )
    if proviso in ("stack", "stack-") and search not in WITH_STACK:
        raise MuleError(
            f"the proviso {proviso} needs a stack, and --search {search} has none: a cycle may be closed by a state "
            "that was met long ago. Use --search dfs or idastar, or --proviso closed-, duplicate or static"
        )
    if proviso == "closed-" and search in WITH_STACK:
        raise MuleError(
            f"the proviso closed- is for searches without a stack, and --search {search} has one: use --proviso stack-"
        )


def resolve_for_runs(options: Options, stutters: bool | None, marks: int) -> Options:
    """For the product with an automaton of so many marks that does or does not notice how often a letter is repeated.
    The sets must be a function of the state, so they are remembered exactly or not at all."""
    fair = options.fairness != "none"
    if fair and options.proviso == "c3prime":
        raise MuleError("under fairness no step may be put off for ever: use --proviso stack or static, not c3prime")
    if options.visibility == "fair" and not fair:
        raise MuleError("the visibility condition fair is for fair runs: use --fairness, or --visibility vi")
    by_levels = (options.workers or 1) > 1 or options.cluster is not None or options.gpu or saves_runs(options)
    if fair and options.cluster is not None and options.fairness != "weak":
        raise MuleError(
            f"a cluster judges all runs, or those that are weakly fair: leave out --cluster, or --fairness "
            f"{options.fairness}"
        )
    # The transformations are known to keep what runs look like, not which of them are fair.
    written = options.as_written or fair or not stutters
    order: Search = "bfs" if by_levels else "dfs"
    chosen = resolve(options.but(proviso="auto", search=order, weak=False, as_written=written), "safety")
    chosen = chosen.but(
        proviso=_ignoring(options, fair, by_levels),
        visibility=options.visibility if options.visibility != "auto" else "fair" if fair else "vi",
        remember="none" if chosen.por == "ample" else "exact",
        emptiness="scc" if fair or marks > 1 or by_levels else options.emptiness,
    )
    return chosen if stutters and chosen.por != "none" else unreduced(chosen)


def _ignoring(options: Options, fair: bool, by_levels: bool) -> Proviso:
    if options.proviso in provisos_of("runs", options):
        return options.proviso
    if not fair:
        return "c3prime"
    return "duplicate" if by_levels else "stack"


def team_for_runs(options: Options) -> Team | None:
    """`options` as `resolve_for_runs` leaves them. None where one worker searches depth first."""
    return Team(options.workers or 1) if options.search == "bfs" else None


def unreduced(chosen: Options) -> Options:
    """The same product without reduction."""
    return chosen.but(por="none", proviso="none", visibility="auto", remember="none")


def resolve_for_graph(options: Options, preserve: Kept) -> Options:
    """For the graph of the model as it is written: the transformations are not known to keep CTL."""
    require_preserved(options, preserve)
    if options.proviso not in ("auto", *OF_TREES):
        raise MuleError(f"a graph for temporal properties needs the proviso stack or static, not {options.proviso}")
    chosen = resolve(options.but(proviso="auto", search="dfs", weak=False, as_written=True, visibility="c2"), "safety")
    if chosen.por == "none":
        return chosen
    return chosen.but(proviso="static" if options.proviso == "static" else "stack")


def _estimate(search: Search, asked: Estimate | tuple[Estimate, ...]) -> Estimate | tuple[Estimate, ...]:
    """A* and IDA* ask for a lower bound, since a shortest trail is what they are for; best-first search for a good
    guide. `mule bench directed` and `python -m tests.directed.beem` show why."""
    if search not in GUIDED or asked != "auto":
        return asked
    return ("sum" if search == "best-first" else "bound", "pattern")


def _memory(por: Por, asked: Remember, proviso: Proviso) -> Remember:
    """Ample sets are found as fast as they would be looked up; of LPOR's sets it is not known where else they hold. A
    state that is explored again with another history must have the same set again."""
    if proviso == "fragmented-history" and asked in ("auto", "valid"):
        return "none" if por in ("ample", "lpor") else "exact"
    if por == "lpor" and asked == "valid":
        return "none"
    if asked != "auto":
        return asked
    return "none" if por in ("ample", "lpor", *DYNAMIC) else "valid"


def limits_from(options: Options) -> Limits:
    return Limits(
        options.max_states, options.memory if options.memory is not None else available_memory(), options.time
    )


def search_options(
    options: Options,
    preserve: Preserve,
    stop_at_deadlock: bool = False,
    stop_at_assertion: bool = False,
    stop_at_error: bool = False,
) -> SearchOptions:
    limits = limits_from(options)
    return SearchOptions(
        order=Order(options.search),
        keeping=Keeping(options.store),
        bitstate_bytes=_bitstate_bytes(options),
        spill=spill_directory(options.spill) if _may_spill(options) else "",
        weight=options.weight,
        proviso=EngineProviso(options.proviso),
        failing_guards_are_transitions=preserve == "safety",
        max_states=limits.max_states,
        max_bytes=limits.max_bytes,
        max_seconds=limits.max_seconds,
        stop_at_deadlock=stop_at_deadlock,
        stop_at_assertion=stop_at_assertion,
        stop_at_error=stop_at_error,
        team=_team(options),
    )


def _may_spill(options: Options) -> bool:
    return options.search == "bfs" and options.cluster is None and not options.gpu


def _bitstate_bytes(options: Options) -> int:
    """Most of the memory that there is: the rest is for the states that wait and for the way to them."""
    if options.store != "bitstate":
        return 0
    return min(BITSTATE_BYTES, available_memory() // 2) if options.memory is None else options.memory // 4 * 3


def _team(options: Options) -> Team | None:
    """None where one worker searches, or where a cluster says how many do."""
    if options.cluster is not None:
        return None
    workers = available_cores() if options.workers is None else options.workers
    if workers == 1 or options.search != "bfs":
        return None
    return Team(workers, alone_until=LARGE if options.workers is None else 0)


def algorithm(options: Options) -> Algorithm:
    """`options` as `resolve` leaves them."""
    assert options.nds is not None
    return Algorithm(options.por, options.weak, options.nds, options.remember, options.net)
