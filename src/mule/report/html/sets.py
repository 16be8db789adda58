"""How large the sets are that a reduction explores: in the first states of a search."""

from __future__ import annotations

from mule.errors import MuleError
from mule.options import STUBBORN, Options
from mule.reduction.reduced import Reduced
from mule.report.json import Json
from mule.results import Result

MOST_STATES = 300
MOST_TRANSITIONS = 400
"""Of more, what interferes with what takes long to derive a second time."""


def sizes_of_sets(result: Result) -> Json | None:
    """For each number of steps that can be taken: in how many states, and how many of them are explored there. None
    where there was no reduction, or none of which it can be told."""
    por = result.options.por
    if por not in STUBBORN or len(result.model.transitions) > MOST_TRANSITIONS:
        return None
    try:
        reduced = Reduced(result.model, Options(por=por))
    except MuleError:
        return None
    first = reduced.interpreter.initial
    work, seen = [first], {first}
    sizes: dict[int, list[int]] = {}
    for state in work:
        chosen = reduced.choose(state)
        known = sizes.setdefault(len(chosen.enabled), [0, 0])
        known[0] += 1
        known[1] += len(chosen.explored)
        explored = reduced.explored(state)
        for step in reduced.interpreter.steps(state):
            if step.transition in explored and step.failure is None and step.target not in seen:
                if len(seen) == MOST_STATES:
                    break
                seen.add(step.target)
                work.append(step.target)
    return {"algorithm": por, "states": len(seen), "sizes": [[key, *sizes[key]] for key in sorted(sizes) if key]}
