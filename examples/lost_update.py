"""Workers that count together: each reads the counter, is interrupted, and writes back one more.

mule check examples/lost_update.py
mule check examples/lost_update.py -D bug=1               without the lock an update gets lost
mule check examples/lost_update.py -D workers=3 -D rounds=1 --ltl '<> (counter.value == 3)'
"""

from mule.processes import Lock, Shared, System, pause


class Counter(Shared):
    value: int = 0
    finished: int = 0


async def worker(counter: Counter, lock: Lock, rounds: int, careful: bool):
    for _ in range(rounds):
        if careful:
            await lock.acquire()
        value = counter.value
        await pause()
        counter.value = value + 1
        if careful:
            lock.release()
    counter.finished += 1


def system(workers: int = 2, rounds: int = 2, bug: bool = False) -> System:
    counter, lock = Counter(), Lock()

    def nothing_lost() -> bool:
        return counter.finished < workers or counter.value == workers * rounds

    return System(
        [worker(counter, lock, rounds, careful=not bug) for _ in range(workers)],
        invariants=[nothing_lost],
        ltl={"all counted": f"<> (counter.value == {workers * rounds})"},
    )
