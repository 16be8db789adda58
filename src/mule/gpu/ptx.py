"""The kernels of a model for NVIDIA's GPUs: PTX, which the driver translates for the GPU at hand. LLVM is all that is
needed for it, and it is part of Mule."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import llvmlite
import llvmlite.binding as llvm

from mule.codegen import Listing
from mule.errors import MuleError
from mule.gpu.architectures import Architecture
from mule.gpu.kernels import kernels_text
from mule.gpu.sets import Sets
from mule.gpu.targets import DEVICE
from mule.records import replace

TRIPLE = "nvptx64-nvidia-cuda"
_LEAST_LLVM = 20
"""Earlier versions do not know how threads of one GPU see each other's memory."""

_ready = False


def device_text(listing: Listing, architecture: Architecture, kernels: Sequence[str], sets: Sets | None = None) -> str:
    target = DEVICE if architecture.exchanges_pairs else replace(DEVICE, wide="")
    return kernels_text(listing, sets, target, kernels)


def to_ptx(text: str, architecture: Architecture) -> str:
    global _ready
    if llvm.llvm_version_info[0] < _LEAST_LLVM:
        raise MuleError(f"llvmlite {llvmlite.__version__} is too old for --gpu: pip install -U llvmlite")
    if not _ready:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        _ready = True
    target = llvm.Target.from_triple(TRIPLE)
    machine = target.create_target_machine(cpu=architecture.name, features=architecture.ptx, opt=3)
    module = llvm.parse_assembly(text)
    module.triple = TRIPLE
    module.data_layout = str(machine.target_data)
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    ptx: str = machine.emit_assembly(module)
    return ptx


def cache_key(text: str, *facts: str) -> str:
    return hashlib.sha256("\0".join((llvmlite.__version__, *facts, text)).encode()).hexdigest()
