"""Workers that take jobs from a queue until all are done, and are cancelled then. A job may fail.

mule check examples/worker_pool.py
mule check examples/worker_pool.py -D bug=1      a job that fails is never reported as done: main waits for ever
mule check examples/worker_pool.py --invariant 'pool.failed == 0'      has a counterexample
"""

import asyncio

from mule.processes import Queue, Shared, System, pause


class Pool(Shared):
    done: int = 0
    failed: int = 0
    closed: bool = False


async def work(pool: Pool, job: int):
    await pause()
    if job == 1:
        raise ValueError("a bad job")
    pool.done += 1


async def worker(pool: Pool, queue: Queue[int], careful: bool):
    while True:
        job = await queue.get()
        try:
            await work(pool, job)
            if not careful:
                queue.task_done()
        except ValueError:
            pool.failed += 1
        finally:
            if careful:
                queue.task_done()


async def main(pool: Pool, queue: Queue[int], workers: int, jobs: int, careful: bool):
    tasks = [asyncio.create_task(worker(pool, queue, careful)) for _ in range(workers)]
    for job in range(jobs):
        await queue.put(job)
    await queue.join()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    pool.closed = True


def system(workers: int = 2, jobs: int = 3, size: int = 2, bug: bool = False) -> System:
    pool, queue = Pool(), Queue(size)

    def nothing_left() -> bool:
        return not pool.closed or (pool.done + pool.failed == jobs and queue.empty())

    return System(
        [main(pool, queue, workers, jobs, careful=not bug)],
        invariants=[nothing_left],
        ltl={"the pool is closed": "<> pool.closed"},
    )
