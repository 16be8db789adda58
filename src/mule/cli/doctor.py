"""`mule doctor`: what Mule can use on this computer."""

from __future__ import annotations

import shutil
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from importlib.util import find_spec

from mule.cli import status
from mule.cli.arguments import add_json
from mule.cli.running import page, print_json

DESCRIPTION = """Say what Mule can use on this computer, and how to get what is missing.

examples:
  mule doctor
  mule doctor --json"""


def add_arguments(parser: ArgumentParser) -> None:
    add_json(parser)


def run(arguments: Namespace) -> int:
    found = dict(findings())
    if arguments.json:
        print_json(found)
    else:
        for name, text in found.items():
            page().console.print(f"{name:<10} {text}", markup=False, highlight=False, soft_wrap=True)
    return status.HOLDS


def findings() -> Iterator[tuple[str, str]]:
    from mule import __version__, numbers
    from mule.cores import available_cores
    from mule.memory import available_memory

    yield "mule", __version__
    yield "llvm", _llvm()
    yield "processors", str(available_cores())
    yield "memory", f"{numbers.size(available_memory())} for a search, if --memory does not say otherwise"
    yield "disk", _disk()
    yield "cache", _cache()
    yield "gpu", _gpu()
    yield "spin", shutil.which("spin") or "not installed: only `mule bench` and tests compare with it"
    yield "ray", _extra("ray", "cluster", "--cluster")
    yield "spot", _extra("spot", "spot", "--translator spot")


def _llvm() -> str:
    import llvmlite.binding as llvm
    from llvmlite import __version__

    return f"{'.'.join(map(str, llvm.llvm_version_info))} (llvmlite {__version__})"


def _disk() -> str:
    from mule import numbers
    from mule.scratch import spill_directory

    directory = spill_directory(None)
    try:
        return f"{numbers.size(shutil.disk_usage(directory).free)} in {directory}, where the memory is full"
    except OSError as error:
        return f"none: {error}"


def _cache() -> str:
    from mule.codegen.cache import place

    try:
        return str(place())
    except OSError as error:
        return f"none: {error}"


def _gpu() -> str:
    from mule import numbers
    from mule.errors import MuleError

    try:
        from mule.gpu.driver import gpu

        known = gpu()
    except MuleError as error:
        return error.message
    driver = f"CUDA {known.driver // 1000}.{known.driver % 1000 // 10}"
    free = numbers.size(known.available())
    return f"{known.name}, {known.multiprocessors} multiprocessors, {free} free, driver for {driver}: --gpu"


def _extra(module: str, extra: str, option: str) -> str:
    if find_spec(module) is None:
        return f"not installed: pip install 'mule-checker[{extra}]' for {option}"
    return f"installed: {option}"
