"""From LLVM IR to machine code in this process, with the object code kept on disk for the next run."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm

_SMALL_MODULE = 200_000
"""Modules of fewer characters are translated sooner than they are kept."""
_LARGE_MODULE = 3_000_000
"""Modules of more than so many characters are compiled with fewer optimisations."""

_CHECKSUM_BYTES = 32
_MOST_CACHED = 500

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
        code = _read_cache(self._key)
        self.optimised = code is not None
        self._load(self._as_it_stands() if code is None else code)

    def _as_it_stands(self) -> bytes:
        if len(self._ir) < _SMALL_MODULE:
            return _compile(self._ir, 0)
        key = f"{self._key}-as-it-stands"
        code = _read_cache(key)
        if code is None:
            code = _compile(self._ir, 0)
            _write_cache(key, code)
        return code

    def optimise(self) -> None:
        """Compile again, well; `address` then speaks of the new functions, and the old ones stay callable."""
        code = _compile(self._ir, 2 if len(self._ir) < _LARGE_MODULE else 1)
        _write_cache(self._key, code)
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


def cache_directory() -> Path:
    """Where compiled models are kept; OSError where there is no such place."""
    base = os.environ.get("MULE_CACHE_DIR")
    if base:
        return Path(base)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mule"
    except RuntimeError as error:
        raise OSError("this user has no home directory") from error


def _read_cache(key: str) -> bytes | None:
    """What an earlier run compiled, unless the file is damaged."""
    try:
        content = (cache_directory() / f"{key}.o").read_bytes()
    except OSError:
        return None
    checksum, code = content[:_CHECKSUM_BYTES], content[_CHECKSUM_BYTES:]
    return code if hashlib.sha256(code).digest() == checksum else None


def _write_cache(key: str, code: bytes) -> None:
    """Best effort: a cache that cannot be written costs time, nothing else."""
    with contextlib.suppress(OSError):
        import tempfile  # which takes longer to load than a small model to compile

        directory = cache_directory()
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=directory, delete=False) as file:
            file.write(hashlib.sha256(code).digest() + code)
        os.replace(file.name, directory / f"{key}.o")
        _prune(directory)


def _prune(directory: Path) -> None:
    """Keep the cache small: the oldest files go first."""
    files = sorted(directory.glob("*.o"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files[_MOST_CACHED:]:
        file.unlink(missing_ok=True)
