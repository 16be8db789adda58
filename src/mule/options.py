"""How to search: the words that the command line and the Python interface share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from mule.errors import MuleError
from mule.records import replace

Por = Literal[
    "auto", "none", "ample", "closure", "closure-h", "beam", "beam-noh", "deletion", "lpor", "dpor", "dpor-classic"
]
DYNAMIC: tuple[Por, ...] = ("dpor", "dpor-classic")
"""Reductions that learn from the runs they follow, and so store no states."""
STUBBORN: tuple[Por, ...] = ("deletion", "closure", "closure-h", "beam", "beam-noh")
"""Algorithms for stubborn sets: of these it can be told why a transition is in a set."""
Proviso = Literal[
    "auto",
    "none",
    "stack",
    "stack-",
    "duplicate",
    "duplicate-",
    "closed-",
    "static",
    "c3prime",
    "fragmented",
    "fragmented-order",
    "fragmented-history",
]
FRAGMENTED: tuple[Proviso, ...] = ("fragmented", "fragmented-order", "fragmented-history")
"""Those of fragmented depth-first search, whose stacks are all local: for a search by several workers, too."""
OF_A_STACK: tuple[Proviso, ...] = ("stack", "stack-", *FRAGMENTED)
"""Those that ask what is on a stack: of states, for depth-first searches only."""
Visibility = Literal["auto", "c2", "vi", "fair"]
Emptiness = Literal["ndfs", "scc"]
Fairness = Literal["none", "F", "weak", "strong"]
Translator = Literal["auto", "builtin", "spot"]
Search = Literal["auto", "dfs", "bfs", "astar", "idastar", "best-first"]
GUIDED: tuple[Search, ...] = ("astar", "idastar", "best-first")
"""Searches that an estimate guides."""
SHORTEST: tuple[Search, ...] = ("bfs", "astar", "idastar")
"""Searches that may find a shortest trail, where nothing is reduced."""
KnownEstimate = Literal["auto", "bound", "sum", "pattern", "none"]
Estimate = str | Callable[..., Any]
"""One of KnownEstimate, or a number in the language of the model; a model in Python may have a function."""
Remember = Literal["auto", "none", "exact", "valid"]
Store = Literal["exact", "compact", "bitstate"]
CHECKPOINT_EVERY = 600.0
"""Seconds between two checkpoints, if nobody says."""
Preserve = Literal["deadlocks", "safety"]
Kept = Literal["ltl", "ctl"]
"""What a graph for temporal properties must not lose."""

MOST_LOCAL = 1024
"""Workers on one machine."""
MOST_WORKERS = 1024

_MEASURES = {"memory": "a number of bytes", "time": "a number of seconds", "max_states": "a whole number"}
_CHOICES = {
    "por": Por,
    "proviso": Proviso,
    "search": Search,
    "remember": Remember,
    "store": Store,
    "visibility": Visibility,
    "emptiness": Emptiness,
    "fairness": Fairness,
    "translator": Translator,
}


@dataclass(frozen=True, slots=True)
class Options:
    por: Por = "auto"
    weak: bool = False
    """Weak stubborn sets (do-not-left-accord) instead of strong ones."""
    nds: bool | None = None
    """Use necessary disabling sets to find further necessary enabling sets; None: where they are of use (deletion finds
    the same sets without them, only sooner)."""
    proviso: Proviso = "auto"
    search: Search = "auto"
    remember: Remember = "auto"
    """Which stubborn sets to keep and look up: `exact` gives the set that would be computed, `valid` any remembered
    one that is stubborn in the state at hand (faster, but it depends on what was searched before)."""
    visibility: Visibility = "auto"
    """What a reduced set must do about transitions that a temporal property can see: C2, or V and I, or only V, which
    is enough under fairness."""
    emptiness: Emptiness = "ndfs"
    """How to look for an accepted run: nested depth-first search, or by strongly connected components."""
    fairness: Fairness = "none"
    """Which infinite runs count (see `mule.temporal.fairness`): all; F; process justice; process compassion."""
    translator: Translator = "auto"
    """What makes automata of formulas: Spot where it is installed, or the translator that is built in."""
    memory: int | None = None
    """Stop when the search holds this many bytes, or the whole process 256 MB more than that."""
    time: float | None = None
    """Stop after this many seconds, whatever is done then; what is known by then is the answer."""
    max_states: int | None = None
    as_written: bool = False
    """Search the model as its author wrote it: no transformation makes it smaller first."""
    net: bool = True
    """LPOR: use what is necessary in a state for a disabled transition to be enabled."""
    lpor: Any = None
    """LPOR relations to use instead of those found in the model: `FILE.py:ClassName`, an `LporRelations`, or what makes
    one for a model. The model is then searched as written."""
    stateless: bool = False
    """Store no states: follow every run that the reduction keeps to its end, as DPOR always does."""
    estimate: Estimate | tuple[Estimate, ...] = "auto"
    """What guides a directed search: `bound`, a proven lower bound of the steps to what is looked for; `sum`, all that
    is still to be done for it; a number of the user's own, as an expression over the model; the largest of several;
    `none`."""
    weight: int = 1
    """How often the estimate counts in A*."""
    store: Store = "exact"
    """How a breadth-first search keeps the states that it has met: as they are, as signatures (hash compaction), or as
    some bits (bitstate hashing). The last two may leave states out, and say how likely that is."""
    cluster: str | None = None
    """Share the search out over a Ray cluster: its address, or `local:N` for N workers on this machine. The limit on
    memory is then one for each machine, and `workers` the number of threads of each worker."""
    gpu: bool = False
    """Search on the GPU, breadth first. The limit on memory is then one for the memory of the GPU."""
    workers: int | None = None
    """How many threads search, breadth first; None: one, and all processors in a breadth-first search that has become
    large, or in one on a cluster."""
    checkpoint: str | None = None
    """A directory for what is needed to go on after a crash: written now and then, and where the search is stopped."""
    checkpoint_every: float = CHECKPOINT_EVERY
    """Seconds."""
    resume: bool = False
    """Go on with the run in the directory `checkpoint`."""
    spill: str | None = None
    """The directory in which a breadth-first search goes on when its memory is full; None: that of temporary files."""

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in get_args(choices):
                raise MuleError(f"unknown {name} {value!r}: choose one of {', '.join(get_args(choices))}")
        for name in ("weak", "as_written", "net", "stateless", "resume", "gpu"):
            if not isinstance(getattr(self, name), bool):
                raise MuleError(f"{name} is True or False, not {getattr(self, name)!r}")
        for name in ("spill", "checkpoint"):
            if not isinstance(getattr(self, name), str | None):
                raise MuleError(f"{name} is the name of a directory, not {getattr(self, name)!r}")
        if isinstance(self.checkpoint_every, bool) or not isinstance(self.checkpoint_every, int | float):
            raise MuleError(f"checkpoint_every is a number of seconds, not {self.checkpoint_every!r}")
        if not self.checkpoint_every > 0:
            raise MuleError(f"checkpoint_every must be positive, not {self.checkpoint_every}")
        if self.resume and self.checkpoint is None:
            raise MuleError("a run is resumed from a directory: resume=True needs checkpoint=DIR")
        if not isinstance(self.nds, bool | None):
            raise MuleError(f"nds is True, False or None, not {self.nds!r}")
        if len(self.estimates) != 1 and {"auto", "none"} & set(filter(_is_text, self.estimates)):
            raise MuleError("of several estimates none is auto or none")
        if not self.estimates or not all(_is_text(each) or callable(each) for each in self.estimates):
            raise MuleError(f"estimate is a text, a function, or a sequence of these, not {self.estimate!r}")
        if isinstance(self.weight, bool) or not isinstance(self.weight, int) or not 1 <= self.weight <= 1000:
            raise MuleError(f"weight is a whole number from 1 to 1000, not {self.weight!r}")
        if self.cluster is not None:
            self._check_cluster()
        is_number = isinstance(self.workers, int) and not isinstance(self.workers, bool)
        if self.workers is not None and not (is_number and 1 <= self.workers <= MOST_WORKERS):
            raise MuleError(f"workers is a whole number from 1 to {MOST_WORKERS}, not {self.workers!r}")
        for name in ("memory", "time", "max_states"):
            value = getattr(self, name)
            wanted = int | float if name == "time" else int
            if value is not None and (isinstance(value, bool) or not isinstance(value, wanted)):
                raise MuleError(f"{name} is {_MEASURES[name]}, not {value!r}")
            if value is not None and value < (0 if name == "time" else 1):
                raise MuleError(f"{name} must be positive, not {value}")

    def _check_cluster(self) -> None:
        if not isinstance(self.cluster, str) or not self.cluster:
            raise MuleError(f"cluster is the address of a Ray cluster or local:N, not {self.cluster!r}")
        if re.match("local(:|$)", self.cluster) and self.local_workers is None:
            raise MuleError(f"{self.cluster!r} is no cluster: write local:N, with N from 1 to {MOST_LOCAL}")

    @property
    def local_workers(self) -> int | None:
        """How many workers there are on this machine, if the cluster is one that is started here."""
        match = re.fullmatch(r"local:(\d{1,9})", self.cluster or "")
        return int(match[1]) if match and 1 <= int(match[1]) <= MOST_LOCAL else None

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        return self.estimate if isinstance(self.estimate, tuple) else (self.estimate,)

    def but(self, **changes: Any) -> Options:
        return replace(self, **changes)


def _is_text(value: object) -> bool:
    return isinstance(value, str)
