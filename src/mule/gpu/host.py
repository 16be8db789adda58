"""This computer as the machine that runs the kernels: the same text, by as many threads as wanted. Nobody searches with
it; it is there to test the kernels without a GPU."""

from __future__ import annotations

import ctypes
from concurrent.futures import ThreadPoolExecutor

from mule.codegen import Listing, MachineCode
from mule.gpu.kernels import group_of, kernels_text
from mule.gpu.machine import Argument, OutOfMemoryError, Whole
from mule.gpu.sets import Sets
from mule.gpu.table import Cells
from mule.gpu.targets import HOST, Target

_ALIGNMENT = 64


class Host:
    def __init__(
        self, threads: int = 1, memory: int = 1 << 30, cells: Cells | None = None, optimised: bool = False
    ) -> None:
        """`cells`: to try another kind than the best one for the model."""
        self._threads = threads
        self._memory = memory
        self._cells = cells
        self._optimised = optimised
        self._blocks: dict[int, ctypes.Array[ctypes.c_char]] = {}
        self._listing: Listing | None = None
        self._sets: Sets | None = None
        self._code: dict[tuple[str, ...], MachineCode] = {}
        self._pool = ThreadPoolExecutor(threads)

    @property
    def name(self) -> str:
        return "this computer"

    @property
    def target(self) -> Target:
        return HOST

    def available(self) -> int:
        return self._memory - sum(len(block) for block in self._blocks.values())

    def allocate(self, size: int) -> int:
        if size + _ALIGNMENT > self.available():
            raise OutOfMemoryError
        block = ctypes.create_string_buffer(size + _ALIGNMENT)
        address = (ctypes.addressof(block) + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT
        self._blocks[address] = block
        ctypes.memset(address, 0xA5, size)  # nobody may rely on what is there
        return address

    def free(self, address: int) -> None:
        del self._blocks[address]

    def clear(self, address: int, size: int) -> None:
        ctypes.memset(address, 0, size)

    def copy(self, to: int, source: int, size: int) -> None:
        ctypes.memmove(to, source, size)

    def write(self, address: int, content: bytes) -> None:
        ctypes.memmove(address, content, len(content))

    def read(self, address: int, size: int) -> bytes:
        return ctypes.string_at(address, size)

    def load(self, listing: Listing, sets: Sets | None = None) -> None:
        self._listing, self._sets = listing, sets
        self._code.clear()

    def most_threads(self, kernel: str) -> int:
        return self._threads

    @property
    def crews(self) -> tuple[int, int]:
        return self._threads, self._threads

    def run(self, kernel: str, threads: int, arguments: list[Argument], crew: bool = False) -> None:
        kinds = [ctypes.c_uint64 if isinstance(each, Whole) else ctypes.c_uint32 for each in arguments]
        function = ctypes.CFUNCTYPE(None, *kinds)(self._address(kernel))
        values = [each.value for each in arguments]
        running = [self._pool.submit(function, *values) for _ in range(min(threads, self._threads))]
        for each in running:
            each.result()

    def _address(self, kernel: str) -> int:
        group = group_of(kernel)
        if group not in self._code:
            assert self._listing is not None
            code = self._code[group] = MachineCode(kernels_text(self._listing, self._sets, HOST, group, self._cells))
            if self._optimised and not code.optimised:
                code.optimise()
        return self._code[group].address(kernel)
