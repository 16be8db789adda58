"""From LLVM IR to machine code in this process, with the object code kept on disk for the next run."""

from __future__ import annotations

import hashlib

import llvmlite
import llvmlite.binding as llvm

from mule.codegen import cache
from mule.memory import require_room

_SMALL_MODULE = 200_000
"""Modules of fewer characters are translated sooner than they are kept."""
_LARGE_MODULE = 3_000_000
"""Modules of more than so many characters are compiled with fewer optimisations."""

_BASE_ROOM = 48 * 2**20
_ROOM = {0: 70, 1: 120, 2: 160}
"""Bytes of memory for each character of a module, by how well it is optimised, with a margin of two: LLVM ends the
program when it has too few."""

_targets_ready = False


def _target_machine(optimisation: int) -> llvm.TargetMachine:
    global _targets_ready
    if not _targets_ready:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        _targets_ready = True
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=optimisation,
        reloc="pic",
        codemodel="jitdefault",
    )


class MachineCode:
    """Compiled functions; they live as long as this object.

    Optimising takes longer than many a search. So code that is not in the cache is first translated as it stands, and
    `optimise` makes the fast version later, when a search turns out to be worth it."""

    def __init__(self, ir: str) -> None:
        self._ir = ir
        self._key = _cache_key(ir)
        self._engines: list[llvm.ExecutionEngine] = []
        code = cache.read(self._key)
        self.optimised = code is not None
        self._load(self._as_it_stands() if code is None else code)

    def _as_it_stands(self) -> bytes:
        if len(self._ir) < _SMALL_MODULE:
            return _compile(self._ir, 0)
        key = f"{self._key}-as-it-stands"
        code = cache.read(key)
        if code is None:
            code = _compile(self._ir, 0)
            cache.write(key, code)
        return code

    def optimise(self) -> None:
        """Compile again, well; `address` then speaks of the new functions, and the old ones stay callable."""
        code = _compile(self._ir, 2 if len(self._ir) < _LARGE_MODULE else 1)
        cache.write(self._key, code)
        self._load(code)
        self.optimised = True

    def address(self, name: str) -> int:
        address: int = self._engines[-1].get_function_address(name)
        if address == 0:
            raise KeyError(name)
        return address

    def _load(self, code: bytes) -> None:
        machine = _target_machine(0)
        module = llvm.parse_assembly("")
        module.triple = machine.triple
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        self._engines.append(engine)


def _compile(ir: str, optimisation: int) -> bytes:
    require_room(_BASE_ROOM + _ROOM[optimisation] * len(ir))
    machine = _target_machine(optimisation)
    module = llvm.parse_assembly(ir)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=optimisation)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


def _cache_key(ir: str) -> str:
    features = llvm.get_host_cpu_features().flatten()
    facts = (llvmlite.__version__, llvm.get_process_triple(), llvm.get_host_cpu_name(), features, ir)
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()
