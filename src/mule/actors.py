"""Message-passing protocols in Python: what a model imports. See docs/actors.md."""

from mule.frontends.actors.faults import Byzantine, Crash
from mule.frontends.actors.messages import Message
from mule.frontends.actors.networks import Fifo, Network, Unordered
from mule.frontends.actors.processes import Process, majority, on, step
from mule.frontends.actors.running import broadcast, choose, send
from mule.frontends.actors.system import System
from mule.frontends.actors.types import AtMost, Range

__all__ = [
    "AtMost",
    "Byzantine",
    "Crash",
    "Fifo",
    "Message",
    "Network",
    "Process",
    "Range",
    "System",
    "Unordered",
    "broadcast",
    "choose",
    "majority",
    "on",
    "send",
    "step",
]
