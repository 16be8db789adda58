"""Processes as `async def` functions over shared objects: what a model imports. See docs/processes.md."""

from mule.frontends.actors.types import AtMost, Range
from mule.frontends.python.objects import BoundedSemaphore, Condition, Event, Lock, Queue, Semaphore, Shared
from mule.frontends.python.system import System
from mule.frontends.python.waiting import choose, gather, pause, sleep, until

__all__ = [
    "AtMost",
    "BoundedSemaphore",
    "Condition",
    "Event",
    "Lock",
    "Queue",
    "Range",
    "Semaphore",
    "Shared",
    "System",
    "choose",
    "gather",
    "pause",
    "sleep",
    "until",
]
