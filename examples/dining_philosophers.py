"""Philosophers around a table, a fork between any two of them: who eats needs both forks.

mule check examples/dining_philosophers.py -D philosophers=4
mule check examples/dining_philosophers.py -D bug=1      all take their left fork first: deadlock
mule check examples/dining_philosophers.py --ltl '[] <> (philosopher_1.line == 24)'     someone may starve
"""

from mule.processes import Lock, Shared, System, pause


class Table(Shared):
    eating: list[bool]


def neighbours_eat(table: Table, seats: int) -> bool:
    return any(table.eating[seat] and table.eating[(seat + 1) % seats] for seat in range(seats))


async def philosopher(table: Table, seat: int, first: Lock, second: Lock):
    while True:
        await pause()
        async with first, second:
            table.eating[seat] = True
            await pause()  # eats
            table.eating[seat] = False


def system(philosophers: int = 3, bug: bool = False) -> System:
    table = Table(eating=[False] * philosophers)
    forks = [Lock(name=f"fork {seat + 1}") for seat in range(philosophers)]
    tasks = []
    for seat in range(philosophers):
        left, right = forks[seat], forks[(seat + 1) % philosophers]
        swapped = seat == philosophers - 1 and not bug
        tasks.append(philosopher(table, seat, right if swapped else left, left if swapped else right))
    return System(tasks, invariants={"neighbours take turns": lambda: not neighbours_eat(table, philosophers)})
