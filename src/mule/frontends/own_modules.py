"""Modules in the folder of a model in Python: each time that the model is read they are imported anew, so that it means
what the files say now, and never what a module of the same name elsewhere says."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

_imported: dict[str, ModuleType] = {}
"""What models have imported: nobody else needs it when the model is read again."""


@contextmanager
def own_modules(file: str) -> Iterator[None]:
    """While a model is read, the modules in its folder come first, as for a program that Python runs."""
    folder = Path(file).resolve().parent
    before = {name: module for name, module in sys.modules.items() if _could_be_in(folder, name)}
    for name in before:
        del sys.modules[name]
    writes = sys.dont_write_bytecode
    # A module that changes within a second, and not its size, would be read from a stale cache.
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = writes
        for name in [name for name in sys.modules if _could_be_in(folder, name)]:
            _imported[name] = sys.modules[name]
        # Those that the program around us has imported are its own.
        sys.modules.update((name, module) for name, module in before.items() if _imported.get(name) is not module)


def _could_be_in(folder: Path, name: str) -> bool:
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names or top in ("mule", "__main__"):
        return False
    return (folder / f"{top}.py").is_file() or (folder / top / "__init__.py").is_file()
