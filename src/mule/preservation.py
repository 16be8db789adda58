"""Which reduction preserves what: the one place that knows, and that every way to search asks.

deadlocks   the sets are stubborn
safety      and they keep the order of what can be seen, and nothing is put off for ever
ltl, ctl    and nothing that can be seen is in a reduced set, or nothing is put off on any cycle; for ctl besides the
            reduced set is a single transition

LPOR's dependency is not symmetric, and a set that has a visible transition need not have all the others; what a search
without a state store or DPOR leaves out depends on the run that it follows, so that there is no reduced graph at all.
"""

from __future__ import annotations

from typing import Final, Literal

from mule.errors import MuleError
from mule.options import DYNAMIC, Options, Por

Preserved = Literal["deadlocks", "safety", "ltl", "ctl"]

_STATES: Final[frozenset[Preserved]] = frozenset(("deadlocks", "safety"))
_RUNS: Final[frozenset[Preserved]] = frozenset(("deadlocks", "safety", "ltl", "ctl"))

PRESERVES: Final[dict[Por, frozenset[Preserved]]] = {
    "auto": _RUNS,
    "none": _RUNS,
    "ample": _RUNS,
    "closure": _RUNS,
    "closure-h": _RUNS,
    "beam": _RUNS,
    "beam-noh": _RUNS,
    "deletion": _RUNS,
    "lpor": _STATES,
    "dpor": _STATES,
    "dpor-classic": _STATES,
}

_NAMES: Final = {"ltl": "LTL", "ctl": "CTL"}


def preserves(options: Options, wanted: Preserved) -> bool:
    """Whether a search with these options loses no answer to such properties."""
    if options.lpor is not None:
        return wanted in PRESERVES["lpor"]
    if options.stateless:
        return wanted in _STATES
    return wanted in PRESERVES[options.por]


def require_preserved(options: Options, wanted: Preserved) -> None:
    if not preserves(options, wanted):
        raise MuleError(
            f"{_what(options)} preserves deadlocks, invariants and assertions, but not {_NAMES[wanted]}: "
            f"leave out {' and '.join(_unfit(options))}, or ask for those alone (--deadlock --assertions)"
        )


def _what(options: Options) -> str:
    if options.lpor is not None or options.por == "lpor":
        return "LPOR"
    return "DPOR" if options.por in DYNAMIC else "a search that stores no states"


def _unfit(options: Options) -> list[str]:
    """The options that are in the way."""
    given = {
        f"--por {options.por}": PRESERVES[options.por] == _STATES,
        "--lpor": options.lpor is not None,
        "--stateless": options.stateless,
    }
    return [name for name, is_given in given.items() if is_given]
