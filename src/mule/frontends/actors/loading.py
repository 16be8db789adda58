"""A file with a protocol: the module is run, and its function `system` makes the system."""

from __future__ import annotations

import inspect
import linecache
import re
import sys
from collections.abc import Sequence
from enum import Enum
from itertools import count
from pathlib import PurePath
from types import ModuleType
from typing import Any, Protocol, TypeVar

from mule.errors import MuleError, Place, clipped
from mule.frontends.actors.sources import parse
from mule.frontends.actors.system import System
from mule.frontends.actors.translation import translate
from mule.frontends.counted import counting
from mule.frontends.own_modules import own_modules
from mule.frontends.programs import compiled, refusing, running
from mule.model import Model

_numbers = count(1)


class Named(Protocol):
    name: str


Made = TypeVar("Made", bound=Named)


def load(text: str, file: str, defines: Sequence[str] = ()) -> Model:
    """Read a protocol; `defines` (NAME=VALUE) are arguments for its function `system`."""
    with own_modules(file):
        return translate(load_system(text, file, defines))


def load_system(text: str, file: str, defines: Sequence[str] = ()) -> System:
    return made_by(text, file, defines, System)


def made_by(text: str, file: str, defines: Sequence[str], kind: type[Made]) -> Made:
    """The system of the wanted kind that a module makes."""
    with counting():
        return _made_by(text, file, defines, kind)


def _made_by(text: str, file: str, defines: Sequence[str], kind: type[Made]) -> Made:
    module = _run(text, file)
    make = getattr(module, "system", None)
    if isinstance(make, kind):
        if defines:
            raise MuleError(
                f"cannot define {clipped(defines[0])} (-D): system is no function with parameters", Place(file)
            )
        return _named(make, file)
    if not inspect.isfunction(make):
        raise MuleError("there is no function system() that returns the System to check", Place(file))
    arguments = _arguments(make, defines, file)
    with running(file):
        made = make(**arguments)
    if not isinstance(made, kind):
        wanted = "mule.actors" if kind is System else "mule.processes"
        message = f"system() must return a System of {wanted}"
        raise MuleError(message, Place(file, make.__code__.co_firstlineno))
    return _named(made, file)


def _named(system: Made, file: str) -> Made:
    if system.name == "system":
        system.name = PurePath(file).stem
    return system


def _run(text: str, file: str) -> ModuleType:
    """The module, under a name of its own, so that annotations can be looked up in it."""
    parse(text, file)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = ModuleType(f"mule.model_{next(_numbers)}_{PurePath(file).stem}")
    module.__file__ = file
    sys.modules[module.__name__] = module
    with running(file):
        exec(compiled(text, file, file), module.__dict__)
    return module


def _arguments(make: Any, defines: Sequence[str], file: str) -> dict[str, Any]:
    place = Place(file, make.__code__.co_firstlineno)
    with refusing("the annotations of system() cannot be read: ", lambda _: place):
        parameters = inspect.signature(make, eval_str=True).parameters
    found: dict[str, Any] = {}
    for define in defines:
        name, equals, value = define.partition("=")
        if name not in parameters:
            known = ", ".join(parameters) or "none"
            raise MuleError(f"system() has no parameter {clipped(name)} (-D): it has {known}", Place(file))
        found[name] = _converted(name, value if equals else "1", parameters[name], file)
    for name, parameter in parameters.items():
        if name not in found and parameter.default is parameter.empty:
            raise MuleError(f"system() needs a value for {name}: give -D {name}=VALUE", Place(file))
    return found


def _converted(name: str, text: str, parameter: inspect.Parameter, file: str) -> Any:
    wanted = parameter.annotation
    if wanted is parameter.empty and parameter.default is not parameter.empty:
        wanted = type(parameter.default)
    words = {"true": True, "1": True, "false": False, "0": False}
    if wanted is bool and text.lower() in words:
        return words[text.lower()]
    if wanted is int and re.fullmatch(r"-?[0-9]{1,19}", text):
        return int(text)
    if wanted in (str, parameter.empty):
        return text
    if isinstance(wanted, type) and issubclass(wanted, Enum) and text in wanted.__members__:
        return wanted[text]
    raise MuleError(
        f"{clipped(text)!r} is no {getattr(wanted, '__name__', wanted)}, which {name} (-D) must be", Place(file)
    )
