"""Modules in the folder of a model in Python: each time that the model is read they are imported anew, so that it means
what the files say now, and never what a module of the same name elsewhere says."""

from __future__ import annotations

import importlib
import linecache
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import ExecutionLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType

from mule.frontends.files import Files, current

_imported: dict[str, ModuleType] = {}
"""What models have imported: nobody else needs it when the model is read again."""


@contextmanager
def own_modules(file: str) -> Iterator[None]:
    """While a model is read, the modules in its folder come first, as for a program that Python runs."""
    finder = _Finder(Path(file).resolve().parent, current())
    before = {name: module for name, module in sys.modules.items() if finder.knows(name)}
    for name in before:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    sys.path.insert(0, str(finder.folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(finder.folder))
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if finder.knows(name)]:
            _imported[name] = sys.modules[name]
        # Those that the program around us has imported are its own.
        sys.modules.update((name, module) for name, module in before.items() if _imported.get(name) is not module)


class _Finder(MetaPathFinder):
    """Finds modules among the files of a model."""

    def __init__(self, folder: Path, files: Files) -> None:
        self.folder = folder
        self._files = files

    def knows(self, name: str) -> bool:
        """Whether the module belongs to something in the folder that can be imported; a folder without `__init__.py`
        hides no package of that name elsewhere."""
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top in ("mule", "__main__"):
            return False
        return any(self._files.has(key, self.folder / key) for key in (f"{top}.py", f"{top}/__init__.py"))

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not self.knows(fullname):
            return None
        key = fullname.replace(".", "/")
        for found, is_package in ((f"{key}/__init__.py", True), (f"{key}.py", False)):
            place = self.folder / found
            if self._files.has(found, place):
                return spec_from_loader(fullname, _Loader(self._files.read(found, place), str(place), is_package))
        if self._files.has_folder(key, self.folder / key):
            return ModuleSpec(fullname, None, is_package=True)
        return None


class _Loader(ExecutionLoader):
    def __init__(self, text: str, file: str, is_package: bool) -> None:
        self._text = text
        self._file = file
        self._is_package = is_package

    def is_package(self, fullname: str) -> bool:
        return self._is_package

    def get_filename(self, fullname: str) -> str:
        return self._file

    def get_source(self, fullname: str) -> str:
        return self._text

    def get_code(self, fullname: str) -> CodeType | None:
        # Whoever looks for the source of a function finds the text that was compiled, whatever the file says by then.
        linecache.cache[self._file] = (len(self._text), None, self._text.splitlines(keepends=True), self._file)
        return super().get_code(fullname)
