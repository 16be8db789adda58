"""Who moves: the agents of dynamic partial-order reduction, found from what transitions do rather than from names.

An agent is a process, or stands for one transition that has none. A transition belongs to every process whose location
it changes or starts from, so that nothing but an agent's own transitions moves it.
"""

from __future__ import annotations

from mule.model.variables import Variable
from mule.records import Record
from mule.relations import Relations


class Agents(Record, frozen=True):
    locations: list[Variable | None]
    """For each agent the variable that holds its location; None: it has but one."""
    alternatives: list[dict[int, list[int]]]
    """For each agent by location the transitions that it can take part in there, enabled or not."""
    of: list[list[int]]
    """For each transition its agents."""


def find_agents(relations: Relations, ignored: int = 0) -> Agents:
    """`ignored` transitions are nobody's alternatives: they do not count as steps."""
    model, accesses = relations.model, relations.accesses
    slots = [model.slot_of[process.location] for process in model.processes]
    agents = Agents([process.location for process in model.processes], [{} for _ in slots], [])
    for number, transition in enumerate(model.transitions):
        own = {move.process for move in transition.moves}
        own |= {process for process, slot in enumerate(slots) if accesses.writes[number] >> slot & 1}
        dead = accesses.before[number] is None or ignored >> number & 1
        for process in own:
            for value in () if dead else accesses.domain(number, slots[process]):
                agents.alternatives[process].setdefault(value, []).append(number)
        if not own:
            own = {len(agents.locations)}
            agents.locations.append(None)
            agents.alternatives.append({0: [] if dead else [number]})
        agents.of.append(sorted(own))
    return agents
