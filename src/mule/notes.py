"""What a report says about a search: what it took, and what its reader must know."""

from __future__ import annotations

from collections.abc import Sequence

from mule import numbers
from mule.cores import available_cores
from mule.driving import Node, Progress
from mule.engine import Found, Order, SearchResult
from mule.model import Model
from mule.model.interpreter import Interpreter
from mule.options import GUIDED, OF_A_STACK, Options, Preserve
from mule.planning import Preparation
from mule.planning.detour import Detour
from mule.planning.trial import NOTE
from mule.properties import ALL_CLAIMS, Properties
from mule.results import Omissions, Statistics

RUNS_GO_WRONG = "some runs end in an error of the model or in a violated assertion"
"""Why a property of all runs is not decided: nobody knows how these would go on."""
ERRORS_ELSEWHERE = (
    "errors of the model and violated assertions were looked for only where the property follows the runs: "
    "--assertions looks everywhere"
)
BY_LEVELS = "searched breadth first, since only a search by levels has checkpoints"
"""Of a temporal property that one worker judges, who goes depth first otherwise."""

LONG = 2_000_000
"""States that take one worker long enough for the others to be worth a note."""

_LEFT_OUT = ("was not checked", "were not checked", "were not looked for")


def is_left_out(note: str) -> bool:
    """Whether a note says that something the model declares was not asked for."""
    return note.endswith(_LEFT_OUT)


def left_out(model: Model, wanted: Properties) -> list[str]:
    """What the model declares and the question leaves out: a reader of "holds" must not believe that it holds too."""
    notes = []
    if not wanted.deadlock:
        notes.append("deadlocks were not looked for")
    asserts = bool(model.assertions) or any(transition.asserts for transition in model.transitions)
    if not wanted.assertions and asserts:
        notes.append("the model's assertions were not checked")
    return [*notes, *_claims_left_out(model, wanted)]


def _claims_left_out(model: Model, wanted: Properties) -> list[str]:
    observer = [] if model.property_process is None else [model.processes[model.property_process].name]
    declared = [*(claim.name for claim in model.claims), *observer]
    names = [name for name in declared if ALL_CLAIMS not in wanted.claims and name not in wanted.claims]
    if not names:
        return []
    what = f"property {names[0]} was" if len(names) == 1 else f"properties {', '.join(names)} were"
    return [f"the model's temporal {what} not checked"]


def statistics(
    progress: Progress, deadlocks: int, compile_seconds: float, search_seconds: float, device: str | None = None
) -> Statistics:
    return Statistics(
        states=progress.states,
        transitions=progress.transitions,
        deadlocks=deadlocks,
        depth=progress.depth,
        compile_seconds=compile_seconds,
        search_seconds=search_seconds,
        memory_bytes=progress.memory_bytes,
        nodes=progress.nodes,
        disk_bytes=progress.disk_bytes,
        device=device,
    )


def shortened_note(steps: int, order: Order = Order.BREADTH_FIRST) -> str:
    how = "breadth first" if order is Order.BREADTH_FIRST else "led by the distances in a projection of the model"
    return f"the trail was shortened from {steps} steps by a second search, {how}"


def detour_note(detour: Detour | None) -> str:
    if detour is None or not detour.taken:
        return ""
    return f"found best first, on a detour of {detour.taken:,} states: the search before it had found nothing for long"


def preserves_note(options: Options, preserve: Preserve) -> str:
    if options.por == "none":
        return ""
    kept = "deadlocks" if preserve == "deadlocks" else "deadlocks, invariants and assertions"
    return f"reduced by {options.por}{' (weak)' if options.weak else ''}; this preserves {kept}"


def smaller_note(prepared: Preparation) -> str:
    """What all runs begin with, variables that nobody reads, and states between steps that are joined are left out."""
    if prepared.smaller is prepared.model and not prepared.analysis.prefix:
        return ""
    return "the model was made smaller first: --as-written counts what its author wrote"


def nothing_happens_note(model: Model) -> str:
    """A system that never moves fulfils many properties, and is seldom what its author meant."""
    interpreter = Interpreter(model)
    steps = list(interpreter.steps(interpreter.initial))
    if not steps:
        return "nothing can ever happen: no step is possible in the initial state"
    if all(step.failure is None and step.target == interpreter.initial for step in steps):
        return "nothing ever changes: every step leads back to the initial state"
    return ""


def estimate_note(prepared: Preparation, found: SearchResult) -> str:
    """What guided the search, and what is known of it."""
    if prepared.options.search not in GUIDED:
        return ""
    expanded = f"{found.expanded:,} states were expanded"
    if found.rounds > 1:
        expanded += f" in {found.rounds:,} rounds"
    if found.table_full:
        expanded += "; the memory was full, so states that were not stored were expanded as often as they were met"
    estimate, pattern = prepared.estimate, prepared.pattern
    if estimate is None:
        return f"no estimate guided the search; {expanded}"
    kind = "a lower bound" if estimate.admissible else "no lower bound"
    reasons = [estimate.why] if estimate.why else []
    if pattern is not None:
        reasons.append(f"it is{' at least' if reasons else ''} {pattern.why}")
    return f"the estimate is {kind}: {'; '.join(reasons)}; {expanded}"


def omissions(options: Options, found: SearchResult) -> Omissions | None:
    """What the store has probably left out, if it may leave out anything."""
    if not found.expected_omissions:
        return None
    return Omissions(options.store, found.expected_omissions, found.hash_factor or None)


def store_note(options: Options, found: SearchResult) -> str:
    """What a store that may leave states out is worth."""
    missed = omissions(options, found)
    if options.store == "exact":
        return ""
    if missed is None:
        return "a state of this model is no larger than a signature: all states were kept as they are"
    chance = f"the probability that a state was left out is about {_digits(missed.probability)}"
    if missed.hash_factor is None:
        return f"hash compaction, 62 bits for each state: {chance}"
    factor = f"hash factor {_digits(missed.hash_factor)} (best above 100)"
    some = f"; about {_digits(missed.expected)} were, and with them what only they lead to"
    return f"bitstate hashing, 3 bits for each state, {factor}: {chance}{some if missed.expected >= 1 else ''}"


def _digits(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.2g}"


def workers_note(options: Options, found: SearchResult) -> str:
    """Why the counts may differ from run to run."""
    if options.por == "none" or found.workers == 1 or options.cluster is not None:
        return ""
    return f"{found.workers} workers: how many states the reduction keeps may differ from run to run"


def idle_note(asked: Options, options: Options, progress: Progress) -> str:
    """A long search that one worker finished, because nobody has said that several may."""
    told = asked.workers is not None or asked.cluster is not None or asked.gpu
    alone = options.stateless or asked.store != "exact" or asked.lpor is not None or progress.disk_bytes
    ordered = asked.search not in ("auto", "bfs") or asked.proviso in OF_A_STACK
    if told or alone or ordered or options.workers != 1 or progress.states < LONG:
        return ""
    cores = available_cores()
    return f"one of {cores} processors searched: --workers {cores} uses all of them" if cores > 1 else ""


def memory_note(options: Options, found: SearchResult) -> str:
    """What became of a search whose memory was full, or how to go on."""
    if found.stopped == "memory" and options.gpu:
        return (
            "this computer may have more memory than the GPU, and goes on with disk where it has not: leave out --gpu"
        )
    if found.progress.disk_bytes and max(options.workers or 1, found.workers) > 1:
        return "the memory was full: from then on one worker searched, with disk"
    if found.stopped != "memory" or options.stateless or options.search == "bfs":
        return ""
    return "a breadth-first search goes on with disk where the memory is full: --search bfs"


def searched_by_note(device: str | None) -> str:
    return "" if device is None else f"searched by {device}"


def runs_note(options: Options, found: SearchResult) -> str:
    """What a search without a state store counted, what the workers of a cluster sent each other, or who searched."""
    if found.device is not None:
        return searched_by_note(found.device)
    if found.progress.nodes:
        return _nodes_note(found.progress.nodes)
    if not options.stateless:
        return ""
    cut = f", {found.cut_runs:,} given up as repetitions" if found.cut_runs else ""
    return f"no states were stored: each counts as often as it was visited; {found.runs:,} runs to their end{cut}"


def _nodes_note(nodes: Sequence[Node]) -> str:
    hosts = len({node.host for node in nodes})
    batches, volume = sum(node.sent_batches for node in nodes), sum(node.sent_bytes for node in nodes)
    least, most = min(node.states for node in nodes), max(node.states for node in nodes)
    most_threads = max(node.threads for node in nodes)
    threads = "" if most_threads == 1 else f" of up to {most_threads} threads"
    share = f"from {least:,} to {most:,} states each" if len(nodes) > 1 else "all states"
    return (
        f"searched by {numbers.count(len(nodes), 'worker')}{threads} on {numbers.count(hosts, 'machine')}, {share}; "
        f"{numbers.count(batches, 'batch', 'batches')} of states were sent, {numbers.size(volume)}"
    )


def search_notes(
    model: Model, asked: Options, prepared: Preparation, found: SearchResult, detour: Detour | None
) -> list[str]:
    """What is to be said about the search; some of them are empty."""
    resolved = prepared.options
    notes = [preserves_note(resolved, prepared.preserve), smaller_note(prepared), runs_note(resolved, found)]
    notes += [
        estimate_note(prepared, found),
        store_note(resolved, found),
        memory_note(resolved, found),
        detour_note(detour),
        workers_note(resolved, found),
    ]
    if found.found is Found.NOTHING:
        notes.append(idle_note(asked, resolved, found.progress))
    if found.progress.states <= 1:
        notes.append(nothing_happens_note(model))
    if asked.por == "auto" and resolved.por == "none" and not (found.stopped or resolved.gpu):
        notes.insert(0, NOTE)
    return notes
