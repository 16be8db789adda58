"""From LLVM IR to machine code in this process, with the object code kept on disk for the next run."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm

_LARGE_MODULE = 3_000_000
"""Modules of more than so many characters are compiled with fewer optimisations."""

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
    """Compiled functions; they live as long as this object."""

    def __init__(self, ir: str) -> None:
        optimisation = 2 if len(ir) < _LARGE_MODULE else 1
        machine = _target_machine(optimisation)
        key = _cache_key(ir, machine, optimisation)
        code = _read_cache(key)
        if code is None:
            code = _compile(ir, machine, optimisation)
            _write_cache(key, code)
        module = llvm.parse_assembly("")
        module.triple = machine.triple
        self._engine = llvm.create_mcjit_compiler(module, machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        address: int = self._engine.get_function_address(name)
        if address == 0:
            raise KeyError(name)
        return address


def _compile(ir: str, machine: llvm.TargetMachine, optimisation: int) -> bytes:
    module = llvm.parse_assembly(ir)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=optimisation)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


def _cache_key(ir: str, machine: llvm.TargetMachine, optimisation: int) -> str:
    facts = (llvmlite.__version__, machine.triple, llvm.get_host_cpu_name(), str(optimisation), ir)
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()


def cache_directory() -> Path:
    base = os.environ.get("MULE_CACHE_DIR")
    if base:
        return Path(base)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mule"


def _read_cache(key: str) -> bytes | None:
    try:
        return (cache_directory() / f"{key}.o").read_bytes()
    except OSError:
        return None


def _write_cache(key: str, code: bytes) -> None:
    """Best effort: a cache that cannot be written costs time, nothing else."""
    with contextlib.suppress(OSError):
        directory = cache_directory()
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=directory, delete=False) as file:
            file.write(code)
        os.replace(file.name, directory / f"{key}.o")
