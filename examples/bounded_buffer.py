"""Producers and consumers around a buffer with room for few items, guarded by a lock and two semaphores.

mule check examples/bounded_buffer.py
mule check examples/bounded_buffer.py -D bug=1      the lock is taken before it is sure that there is room: deadlock
mule check examples/bounded_buffer.py --invariant 'buffer.count <= 1'      has a counterexample
"""

from typing import Annotated

from mule.processes import Lock, Range, Semaphore, Shared, System, pause


class Buffer(Shared):
    items: list[Annotated[int, Range(0, 7)]]
    count: int = 0
    produced: int = 0
    consumed: int = 0


async def producer(buffer: Buffer, lock: Lock, room: Semaphore, filled: Semaphore, items: int, hasty: bool):
    for item in range(items):
        if hasty:
            await lock.acquire()
            await room.acquire()
        else:
            await room.acquire()
            await lock.acquire()
        buffer.items[buffer.count] = item
        await pause()
        buffer.count += 1
        buffer.produced += item
        lock.release()
        filled.release()


async def consumer(buffer: Buffer, lock: Lock, room: Semaphore, filled: Semaphore, items: int):
    for _ in range(items):
        await filled.acquire()
        async with lock:
            buffer.count -= 1
            await pause()
            item = buffer.items[buffer.count]
            buffer.items[buffer.count] = 0
        room.release()
        buffer.consumed += item


def system(pairs: int = 2, items: int = 2, size: int = 2, bug: bool = False) -> System:
    buffer, lock = Buffer(items=[0] * size), Lock()
    room, filled = Semaphore(size, name="room"), Semaphore(0, name="filled")

    def never_overflows() -> bool:
        return 0 <= buffer.count <= size

    def nothing_from_nothing() -> bool:
        return buffer.consumed <= buffer.produced

    producers = [producer(buffer, lock, room, filled, items, bug) for _ in range(pairs)]
    consumers = [consumer(buffer, lock, room, filled, items) for _ in range(pairs)]
    return System(
        [*producers, *consumers],
        invariants=[never_overflows, nothing_from_nothing],
        propositions={"all_consumed": lambda: buffer.consumed == pairs * items * (items - 1) // 2},
        ltl={"all is consumed": "<> all_consumed"},
    )
