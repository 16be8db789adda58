"""Small nets: how to write them down, random ones, and the token game they are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st

Weights = dict[int, int]

MOST = 300
"""How many markings a random net may have."""


@dataclass(frozen=True, slots=True)
class SmallNet:
    """Places and transitions by number; transitions as what they take and what they bring."""

    initial: tuple[int, ...]
    transitions: tuple[tuple[Weights, Weights], ...]
    units: tuple[tuple[int, ...], ...] = ()


def pnml(net: SmallNet) -> str:
    """Places are called p0, p1, …; transitions t0, t1, …"""
    lines = ['<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">']
    lines += ['<net id="small" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">']
    for place, tokens in enumerate(net.initial):
        lines.append(f'<place id="p{place}"><initialMarking><text>{tokens}</text></initialMarking></place>')
    for number, (takes, brings) in enumerate(net.transitions):
        lines.append(f'<transition id="t{number}"/>')
        ends = [(f"p{place}", f"t{number}", weight) for place, weight in takes.items()]
        ends += [(f"t{number}", f"p{place}", weight) for place, weight in brings.items()]
        for source, target, weight in ends:
            label = f"<inscription><text>{weight}</text></inscription>"
            lines.append(f'<arc id="{source}-{target}" source="{source}" target="{target}">{label}</arc>')
    if net.units:
        lines.append('<toolspecific tool="nupn" version="1.1"><structure units="1" root="u" safe="true">')
        for number, places in enumerate(net.units):
            listed = " ".join(f"p{place}" for place in places)
            lines.append(f'<unit id="u{number}"><places>{listed}</places><subunits/></unit>')
        lines.append("</structure></toolspecific>")
    return "\n".join([*lines, "</page></net></pnml>"])


def can_fire(net: SmallNet, number: int, marking: Sequence[int]) -> bool:
    return all(marking[place] >= weight for place, weight in net.transitions[number][0].items())


def fired(net: SmallNet, number: int, marking: Sequence[int]) -> tuple[int, ...]:
    takes, brings = net.transitions[number]
    return tuple(tokens - takes.get(place, 0) + brings.get(place, 0) for place, tokens in enumerate(marking))


def markings(net: SmallNet, most: int, most_tokens: int = 20) -> set[tuple[int, ...]] | None:
    """All reachable markings; None: there are too many, or too many tokens."""
    reached, waiting = {net.initial}, [net.initial]
    for marking in waiting:
        for number in range(len(net.transitions)):
            if can_fire(net, number, marking):
                after = fired(net, number, marking)
                if after not in reached:
                    reached.add(after)
                    waiting.append(after)
                    if len(reached) > most or max(after) > most_tokens:
                        return None
    return reached


def deadlocks(net: SmallNet, reached: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
    numbers = range(len(net.transitions))
    return {marking for marking in reached if not any(can_fire(net, number, marking) for number in numbers)}


def kanban(cards: int) -> SmallNet:
    """Four cells, the two in the middle side by side. A cell: free cards, work in progress, rework, finished work."""
    moves = []
    for cell in range(4):
        _, work, rework, finished = range(4 * cell, 4 * cell + 4)
        moves += [([work], [rework]), ([rework], [work]), ([work], [finished])]
    moves += [([0], [1]), ([3, 4, 8], [0, 5, 9]), ([7, 11, 12], [4, 8, 13]), ([15], [12])]
    initial = tuple(0 if place % 4 else cards for place in range(16))
    return SmallNet(initial, tuple((dict.fromkeys(takes, 1), dict.fromkeys(brings, 1)) for takes, brings in moves))


def any_net(random: Random) -> SmallNet:
    """Arcs at random, weights up to 3: many of these are unbounded, some are bounded though no invariant tells."""
    places = range(random.randint(2, 6))

    def weights(least: int, sizes: list[int]) -> Weights:
        chosen = random.sample(places, random.randint(least, min(2, len(places))))
        return {place: random.choice(sizes) for place in chosen}

    transitions = [(weights(1, [1, 1, 1, 2, 3]), weights(0, [1, 1, 1, 2])) for _ in range(random.randint(2, 6))]
    return SmallNet(tuple(random.choice([0, 0, 1, 1, 2, 3]) for _ in places), tuple(transitions))


def machine_net(random: Random) -> SmallNet:
    """State machines that move alone or together, with a few counters that some of their steps take from or bring to;
    sometimes a machine's token comes and goes."""
    initial: list[int] = []
    machines: list[list[int]] = []
    for _ in range(random.randint(1, 3)):
        size = random.randint(2, 4)
        machines.append(list(range(len(initial), len(initial) + size)))
        initial += [1 if position == 0 else 0 for position in range(size)]
    counters = list(range(len(initial), len(initial) + random.randint(0, 2)))
    initial += [random.randint(0, 2) for _ in counters]
    transitions = []
    for _ in range(random.randint(3, 9)):
        takes, brings = Weights(), Weights()
        for machine in random.sample(machines, min(len(machines), random.choice([1, 1, 1, 2]))):
            source, target = random.choice(machine), random.choice(machine)
            if random.random() < 0.9:
                takes[source] = 1
            if takes and random.random() < 0.9:
                brings[target] = 1
        for counter in counters:
            change = random.choice([0, 0, 0, 1, -1, 2, -2])
            if change:
                (brings if change > 0 else takes)[counter] = abs(change)
        transitions.append((takes, brings))
    claimed = tuple(tuple(machine) for machine in machines) if random.random() < 0.5 else ()
    return SmallNet(tuple(initial), tuple(transitions), claimed)


def random_net(seed: int) -> SmallNet:
    """With a few markings, and not too many."""
    random = Random(seed)
    make = random.choice([any_net, machine_net])
    while True:
        net = make(random)
        reached = markings(net, MOST)
        if reached is not None and len(reached) >= 4:
            return net


small_nets = st.integers(0, 2**32).map(random_net)
