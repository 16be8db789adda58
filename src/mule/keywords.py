"""The keyword arguments of the Python interface: what a wrong one is answered with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from mule.errors import KeywordError, MuleError

if TYPE_CHECKING:
    from mule.options import Options

Texts = str | Sequence[str] | None
"""One text, or several; None: none."""

_OTHER_WORDS = {
    "reduction": "por",
    "partial_order": "por",
    "partial_order_reduction": "por",
    "algorithm": "por",
    "timeout": "time",
    "time_limit": "time",
    "seconds": "time",
    "max_time": "time",
    "memory_limit": "memory",
    "limit": "max_states",
    "states": "max_states",
    "order": "search",
    "strategy": "search",
    "bfs": "search",
    "dfs": "search",
    "fair": "fairness",
    "property": "invariant",
    "properties": "invariants",
    "safety": "invariants",
    "formula": "ltl",
    "temporal": "ltl",
    "deadlocks": "deadlock",
    "assertion": "assertions",
    "never": "claim",
    "defines": "load(…, defines=[…])",
    "language": "load(…, language=…)",
}
"""What people write who know other tools."""


def texts(name: str, *given: Texts) -> tuple[str, ...]:
    """All texts that were given under a name, one by one or in sequences."""
    found: list[str] = []
    for each in given:
        items = (each,) if isinstance(each, str) else tuple(each or ()) if _is_sequence(each) else (each,)
        for item in items:
            if not isinstance(item, str):
                hint = ": functions belong to the system, System(…, invariants=[…])" if callable(item) else ""
                raise KeywordError(f"{name} takes a text or a sequence of texts, not {item!r}{hint}")
            found.append(item)
    return tuple(found)


def _is_sequence(value: object) -> bool:
    return value is None or (isinstance(value, Iterable) and not isinstance(value, bytes | Mapping))


def read_options(method: str, given: Mapping[str, Any], own: Sequence[str] = (), but: Sequence[str] = ()) -> Options:
    """The search options among the keywords of a method; `own`: its other keywords, `but`: options without effect."""
    from mule.options import Options

    known = [each.name for each in fields(Options) if each.name not in but]
    for name in given:
        if name not in known:
            raise KeywordError(unknown(method, name, [*own, *known]))
    return Options(**given)


def unknown(method: str, name: str, known: Sequence[str]) -> str:
    """What to say about a keyword that does not exist."""
    from difflib import get_close_matches

    other = _OTHER_WORDS.get(name)
    near = get_close_matches(name, known, n=1, cutoff=0.7)
    if other is not None and (other in known or "(" in other):
        hint = f"did you mean {other}?"
    elif near:
        hint = f"did you mean {near[0]}?"
    else:
        hint = f"it takes {', '.join(known)}"
    return f"{method}() has no keyword {name}: {hint}"


def refuse_positional(method: str, given: Sequence[object], ways: str) -> None:
    if given:
        raise KeywordError(f"{method}() takes keywords only, not {given[0]!r}: {ways}")


def truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise MuleError(f"{name} is True or False, not {value!r}")
    return value


def whole_number(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise MuleError(f"{name} must be a whole number from {least} on, not {value!r}")
    return value
