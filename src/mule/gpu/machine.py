"""What a search needs of a machine: memory that the threads of its kernels share, and the kernels themselves. A GPU is
one (`driver`), and this computer is another (`host`), so that everything can be tested where there is no GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from mule.errors import MuleError
from mule.gpu.targets import Target

if TYPE_CHECKING:
    from mule.codegen import Listing
    from mule.gpu.sets import Sets


class OutOfMemoryError(MuleError):
    """The machine has no such amount of memory left."""

    def __init__(self) -> None:
        super().__init__(
            "the GPU has not enough memory left for this model: leave out --gpu to search on this computer"
        )


class Whole(NamedTuple):
    """A number of 64 bits, or an address, for a kernel."""

    value: int


class Half(NamedTuple):
    """A number of 32 bits."""

    value: int


Argument = Whole | Half


class Machine(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def target(self) -> Target: ...

    def available(self) -> int:
        """Bytes that can still be allocated."""

    def allocate(self, size: int) -> int:
        """The address of so many bytes; OutOfMemoryError where there are not so many."""

    def free(self, address: int) -> None: ...
    def clear(self, address: int, size: int) -> None: ...
    def copy(self, to: int, source: int, size: int) -> None: ...
    def write(self, address: int, content: bytes) -> None: ...
    def read(self, address: int, size: int) -> bytes: ...

    def load(self, listing: Listing, sets: Sets | None = None) -> None:
        """Compile the kernels of a model. `sets`: how stubborn sets are found; None: nothing is reduced."""

    def most_threads(self, kernel: str) -> int:
        """How many of them it pays to start."""

    @property
    def crews(self) -> tuple[int, int]:
        """How many threads can wait for each other in the kernel `level`: those of one block, and those of all blocks
        that run at once. The second number is 0 if blocks cannot wait for each other."""

    def run(self, kernel: str, threads: int, arguments: list[Argument], crew: bool = False) -> None:
        """By so many threads, or as many as the machine has; `crew`: by exactly so many, which is one of
        `crews` or less than the first. Whoever reads what they have written waits for their end."""
