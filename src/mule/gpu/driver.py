"""A GPU of NVIDIA's as the machine that runs the kernels, through the library that comes with its driver: nothing else
need be installed.

It is opened while other modules are still being loaded: what is needed later is imported later."""

from __future__ import annotations

import ctypes
import threading
from ctypes import byref, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p
from functools import cache
from typing import TYPE_CHECKING

from mule.budget import apart, current
from mule.errors import MuleError
from mule.gpu.architectures import Architecture, architecture_for
from mule.gpu.machine import Argument, OutOfMemoryError, Whole
from mule.gpu.targets import DEVICE, Target
from mule.options import Por

if TYPE_CHECKING:
    from mule.codegen import Listing
    from mule.gpu.sets import Sets

INSTEAD = "leave out --gpu to search on this computer"
BLOCK = 128
"""Threads that start together."""
CREW = 512
"""Threads of a block whose threads wait for each other."""
REGISTERS: dict[Por, int] = {"ample": 48, "closure": 64, "beam-noh": 64}
"""Of each thread that computes stubborn sets, at most: with more there would be fewer threads, which wait for memory
together."""
MOST_BYTES_PER_THREAD = 1 << 16
"""Of the successors of one state: there are hundreds of thousands of threads."""

_LIBRARY = "libcuda.so.1"
_OUT_OF_MEMORY = 2
_MULTIPROCESSORS, _MAJOR, _MINOR, _COOPERATIVE_LAUNCH = 16, 75, 76, 95
_MOST_OF_A_BLOCK = 0
_REGISTERS, _ERROR_LOG, _ERROR_LOG_BYTES = 0, 5, 6
_PTX = 1
_LOG_BYTES = 8192


class GpuError(MuleError):
    """The driver refuses something."""


class _Driver:
    """The functions of the library; each that fails raises an error."""

    def __init__(self) -> None:
        try:
            self._library = ctypes.CDLL(_LIBRARY)
        except OSError:
            raise GpuError(f"no NVIDIA driver ({_LIBRARY})") from None

    def __call__(self, function: str, *arguments: object) -> None:
        code = getattr(self._library, function)(*arguments)
        if code == _OUT_OF_MEMORY:
            raise OutOfMemoryError
        if code:
            raise GpuError(f"the driver says: {self._words(code)} ({function})")

    def _words(self, code: int) -> str:
        text = ctypes.c_char_p()
        self._library.cuGetErrorString(code, byref(text))
        return (text.value or f"error {code}".encode()).decode()


class Gpu:
    """The first GPU of this computer."""

    def __init__(self, driver: _Driver) -> None:
        count, device, version = c_int(), c_int(), c_int()
        call = self._call = driver
        try:
            call("cuInit", 0)
            call("cuDeviceGetCount", byref(count))
            if count.value == 0:
                raise GpuError("the driver finds none")
        except GpuError as error:
            raise _no_gpu(error) from None
        call("cuDeviceGet", byref(device), 0)
        self._device = device
        call("cuDriverGetVersion", byref(version))
        self.driver = version.value
        self.capability = self._attribute(_MAJOR), self._attribute(_MINOR)
        self.multiprocessors = self._attribute(_MULTIPROCESSORS)
        name = ctypes.create_string_buffer(256)
        call("cuDeviceGetName", name, len(name), device)
        self._name = name.value.decode()
        self.architecture = self._known_architecture()
        self._context = c_void_p()
        call("cuDevicePrimaryCtxRetain", byref(self._context), device)
        self.use()
        self._listing: Listing | None = None
        self._sets: Sets | None = None
        self._modules: dict[tuple[str, ...], c_void_p] = {}
        self._functions: dict[str, c_void_p] = {}
        self._threads: dict[str, int] = {}
        self._crews: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def target(self) -> Target:
        return DEVICE

    def available(self) -> int:
        """Some is left to the driver."""
        free, total = c_size_t(), c_size_t()
        self._call("cuMemGetInfo_v2", byref(free), byref(total))
        return max(free.value - (256 << 20), 0)

    def allocate(self, size: int) -> int:
        address = c_uint64()
        self._call("cuMemAlloc_v2", byref(address), c_size_t(size))
        return address.value

    def free(self, address: int) -> None:
        self._call("cuMemFree_v2", c_uint64(address))

    def clear(self, address: int, size: int) -> None:
        self._call("cuMemsetD8_v2", c_uint64(address), ctypes.c_ubyte(0), c_size_t(size))

    def copy(self, to: int, source: int, size: int) -> None:
        self._call("cuMemcpyDtoD_v2", c_uint64(to), c_uint64(source), c_size_t(size))

    def write(self, address: int, content: bytes) -> None:
        self._call("cuMemcpyHtoD_v2", c_uint64(address), content, c_size_t(len(content)))

    def read(self, address: int, size: int) -> bytes:
        content = ctypes.create_string_buffer(size)
        self._call("cuMemcpyDtoH_v2", content, c_uint64(address), c_size_t(size))
        return content.raw

    def load(self, listing: Listing, sets: Sets | None = None) -> None:
        from mule.gpu.kernels import bytes_per_thread, groups_for

        if bytes_per_thread(listing) > MOST_BYTES_PER_THREAD:
            raise GpuError(
                f"a state of this model may have {listing.max_successors:,} successors of {listing.layout.words} words "
                f"each: too much for each thread of a GPU; {INSTEAD}"
            )
        for module in self._modules.values():
            self._call("cuModuleUnload", module)
        self._listing, self._sets = listing, sets
        for known in (self._modules, self._functions, self._threads):
            known.clear()
        self._crews = None
        for group in groups_for(listing):
            self._module(group)

    def most_threads(self, kernel: str) -> int:
        if kernel not in self._threads:
            blocks = self._resident_blocks(self._function(kernel), BLOCK)
            self._threads[kernel] = BLOCK * max(blocks, self.multiprocessors)
        return self._threads[kernel]

    def _resident_blocks(self, function: c_void_p, block: int) -> int:
        """How many blocks of so many threads the GPU runs at the same time."""
        blocks = c_int()
        self._call("cuOccupancyMaxActiveBlocksPerMultiprocessor", byref(blocks), function, c_int(block), c_size_t(0))
        return blocks.value * self.multiprocessors

    @property
    def crews(self) -> tuple[int, int]:
        """Of one block, and of all blocks that run at once: the fewer, the more registers the kernel needs."""
        if self._crews is None:
            most, function = c_int(), self._function("level")
            self._call("cuFuncGetAttribute", byref(most), c_int(_MOST_OF_A_BLOCK), function)
            block = min(most.value, CREW) // DEVICE.lanes * DEVICE.lanes
            waits = self._attribute(_COOPERATIVE_LAUNCH)
            self._crews = block, block * self._resident_blocks(function, block) if waits else 0
        return self._crews

    def run(self, kernel: str, threads: int, arguments: list[Argument], crew: bool = False) -> None:
        if crew:
            block = min(threads, self.crews[0])
            blocks = threads // block
        else:
            threads = min(threads, self.most_threads(kernel))
            block = min((threads + DEVICE.lanes - 1) // DEVICE.lanes * DEVICE.lanes, BLOCK)
            blocks = (threads + block - 1) // block
        values = [c_uint64(each.value) if isinstance(each, Whole) else c_uint32(each.value) for each in arguments]
        places = (c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        sizes = (c_uint(blocks), c_uint(1), c_uint(1), c_uint(block), c_uint(1), c_uint(1), c_uint(0))
        if crew and blocks > 1:
            self._call("cuLaunchCooperativeKernel", self._function(kernel), *sizes, None, places)
        else:
            self._call("cuLaunchKernel", self._function(kernel), *sizes, None, places, None)

    def use(self) -> None:
        """From this thread."""
        self._call("cuCtxSetCurrent", self._context)

    def _function(self, kernel: str) -> c_void_p:
        from mule.gpu.kernels import group_of

        if kernel not in self._functions:
            function = c_void_p()
            self._call("cuModuleGetFunction", byref(function), self._module(group_of(kernel)), kernel.encode())
            self._functions[kernel] = function
        return self._functions[kernel]

    def _module(self, kernels: tuple[str, ...]) -> c_void_p:
        from mule.codegen import cache as code_cache
        from mule.gpu.ptx import cache_key, device_text, to_ptx

        if kernels not in self._modules:
            assert self._listing is not None
            text = device_text(self._listing, self.architecture, kernels, self._sets)
            registers = None if self._sets is None else REGISTERS[self._sets.por]
            key = cache_key(text, self.architecture.name, str(self.driver), str(self.capability), str(registers))
            code = code_cache.read(key)
            if code is None:
                code = apart(lambda: self._translate(to_ptx(text, self.architecture), registers))
                code_cache.write(key, code)
            module = c_void_p()
            self._call("cuModuleLoadData", byref(module), code)
            self._modules[kernels] = module
        return self._modules[kernels]

    def _translate(self, ptx: str, registers: int | None) -> bytes:
        """To the code of this GPU, by the driver. `registers`: of each thread, at most; None: as many as are of use."""
        self.use()
        log = ctypes.create_string_buffer(_LOG_BYTES)
        given = {_ERROR_LOG: ctypes.addressof(log), _ERROR_LOG_BYTES: _LOG_BYTES}
        if registers is not None:
            given[_REGISTERS] = registers
        options = (c_int * len(given))(*given)
        values = (c_void_p * len(given))(*given.values())
        link, code, size = c_void_p(), c_void_p(), c_size_t()
        text = ptx.encode() + b"\0"
        self._call("cuLinkCreate_v2", c_uint(len(given)), options, values, byref(link))
        try:
            self._call(
                "cuLinkAddData_v2", link, c_int(_PTX), text, c_size_t(len(text)), b"model", c_uint(0), None, None
            )
            self._call("cuLinkComplete", link, byref(code), byref(size))
            assert code.value is not None
            return ctypes.string_at(code.value, size.value)
        except GpuError as error:
            said = log.value.decode(errors="replace").strip()
            raise GpuError(f"{error.message}: {said}" if said else error.message) from None
        finally:
            self._call("cuLinkDestroy", link)

    def _attribute(self, number: int) -> int:
        value = c_int()
        self._call("cuDeviceGetAttribute", byref(value), c_int(number), self._device)
        return value.value

    def _known_architecture(self) -> Architecture:
        known = architecture_for(self.capability, self.driver)
        if known is None:
            major, minor = self.capability
            raise GpuError(
                f"{self._name} (compute capability {major}.{minor}, driver for CUDA {self.driver // 1000}."
                f"{self.driver % 1000 // 10}) is too old: Mule needs 8.0 and CUDA 11.4; {INSTEAD}"
            )
        return known


class _Opening(threading.Thread):
    """The GPU is opened while the model is read: that takes a few tenths of a second. Python waits for it at its end:
    what the driver does at the end of a program must not meet what it does here."""

    def __init__(self, driver: _Driver) -> None:
        super().__init__(name="mule-gpu")
        self._driver = driver
        self._opened: Gpu | None = None
        self._error: BaseException | None = None
        current().start(self)

    def run(self) -> None:
        try:
            self._opened = Gpu(self._driver)
        except BaseException as error:
            self._error = error

    def opened(self) -> Gpu:
        """By the thread that asks."""
        self.join()
        if self._error is not None:
            raise self._error
        assert self._opened is not None
        self._opened.use()
        return self._opened


@cache
def opening() -> _Opening:
    """Begun once; GpuError where there is no driver."""
    try:
        return _Opening(_Driver())
    except GpuError as error:
        raise _no_gpu(error) from None


def gpu() -> Gpu:
    """Opened once; GpuError where there is none."""
    return opening().opened()


def _no_gpu(error: GpuError) -> GpuError:
    return GpuError(f"there is no GPU here that Mule can use: {error.message}; {INSTEAD}")
