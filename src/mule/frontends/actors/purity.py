"""What may run while a model is compiled: functions that give the same answer whenever they are asked, and change
nothing.

It is a list of what is allowed, not of what is forbidden: the code of a handler is run once for each of its paths, and
what it finds stands for every run of the model. Functions of the model itself are not in it: they are compiled."""

from __future__ import annotations

import dataclasses
import enum
import functools
import itertools
import math
import operator
import types
from abc import ABCMeta
from enum import Enum
from typing import Any, Final

from mule.frontends.actors.adoption import has_own_equality
from mule.frontends.actors.constants import Shared, SharedDict, SharedSet
from mule.frontends.actors.messages import Message
from mule.frontends.actors.processes import Process, majority

_ATOMS: Final = frozenset(
    {types.NoneType, bool, int, float, complex, str, bytes, range, slice, types.EllipsisType, types.NotImplementedType}
)
_CONTAINERS: Final = frozenset({list, tuple, set, frozenset, dict, Shared, SharedDict, SharedSet})

_BUILTINS: Final = (
    *(abs, bin, bool, bytes, chr, complex, dict, divmod, float, format, hex, int, len, oct, ord, pow, range, repr),
    *(round, slice, str, sum, tuple, list, set, frozenset, sorted, min, max, any, all, majority),
)
_OPERATORS: Final = (
    *("abs", "add", "and_", "concat", "contains", "countOf", "eq", "floordiv", "ge", "getitem", "gt", "index"),
    *("indexOf", "inv", "invert", "le", "lshift", "lt", "mod", "mul", "ne", "neg", "not_", "or_", "pos", "pow"),
    *("rshift", "sub", "truth", "xor"),
)
_PURE: Final = frozenset(
    (
        *_BUILTINS,
        *(each for each in vars(math).values() if isinstance(each, types.BuiltinFunctionType)),
        *(getattr(operator, name) for name in _OPERATORS),
    )
)

_SPECIAL: Final = frozenset(
    f"__{name}__"
    for name in (
        *("eq", "ne", "lt", "le", "gt", "ge", "hash", "bool", "len", "contains", "iter", "getitem", "index", "int"),
        *("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "mod", "and", "rand", "or", "ror", "xor", "rxor"),
        *("neg", "pos", "invert", "abs", "getattr", "getattribute", "setattr", "delattr", "setitem", "call", "new"),
        *("str", "repr", "format", "instancecheck", "reversed", "next"),
    )
)
"""What operators and functions of Python call behind the scenes."""

_HINTS: Final = {
    "random": "nothing is random here: choose(a, b, …) tries all of them",
    "secrets": "nothing is random here: choose(a, b, …) tries all of them",
    "uuid": "nothing is random here: number things with a field that counts",
    "time": "there is no clock: let a message or a step of its own say that time has passed",
    "datetime": "there is no clock: let a message or a step of its own say that time has passed",
    "os": "a model cannot reach outside of itself: what it learns comes in messages, or from choose(…)",
    "io": "a model cannot reach outside of itself: what it learns comes in messages, or from choose(…)",
    "socket": "a model cannot reach outside of itself: what it learns comes in messages, or from choose(…)",
    "subprocess": "a model cannot reach outside of itself: what it learns comes in messages, or from choose(…)",
    "sys": "a model cannot reach outside of itself: what it learns comes in messages, or from choose(…)",
    "threading": "handlers run one at a time: no locks and no threads are needed",
}
_BY_NAME: Final = {
    **dict.fromkeys(("input", "open", "exec", "eval", "compile", "__import__", "breakpoint"), _HINTS["os"]),
    **dict.fromkeys(("setattr", "delattr"), "write self.field = …"),
    **dict.fromkeys(("vars", "globals", "locals", "dir"), "name what is meant"),
    **dict.fromkeys(("id", "hash"), "they differ from run to run: use a number of your own"),
    **dict.fromkeys(("super",), "write Base.method(self, …)"),
    **dict.fromkeys(("count", "cycle", "repeat"), "it has state of its own: count in a field"),
}


def is_value(value: Any) -> bool:
    """Whether Python's own operators on it do nothing but compute: numbers, texts, enums, frozen records, and tuples,
    lists, sets and dicts of them."""
    cls = type(value)
    if cls in _ATOMS:
        return True
    if cls in _CONTAINERS:
        return all(is_value(each) for each in (itertools.chain(value, value.values()) if is_dict(value) else value))
    if isinstance(value, Enum):
        return is_plain_enum(cls)
    if isinstance(value, tuple):
        return is_named_tuple(cls) and all(is_value(each) for each in value)
    if isinstance(value, type):
        return type(value) in (type, enum.EnumMeta, ABCMeta)
    if is_frozen_record(cls):
        return all(is_value(getattr(value, field.name)) for field in dataclasses.fields(value))
    return False


def is_dict(value: Any) -> bool:
    return type(value) in (dict, SharedDict)


def is_comparable(value: Any) -> bool:
    """Whether == and bool on it do nothing but compute; also of processes, which are only themselves."""
    if isinstance(value, Process | types.ModuleType):
        return not has_own_equality(type(value))
    if callable(value) and not isinstance(value, type):
        return False
    if type(value) in (list, tuple, set, frozenset, Shared, SharedSet):
        return all(is_comparable(each) for each in value)
    if is_dict(value):
        return all(is_comparable(each) for each in itertools.chain(value, value.values()))
    return is_value(value) or not _overloads(type(value), frozenset({"__eq__", "__bool__", "__len__"}))


def is_plain_enum(cls: type) -> bool:
    return issubclass(cls, Enum) and not _overloads(cls, _SPECIAL | {"_missing_"})


def is_named_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields") and not _overloads(cls, _SPECIAL)


def is_frozen_record(cls: type) -> bool:
    """Whether it is a frozen dataclass whose methods behind the scenes are those that Python writes."""
    parameters = getattr(cls, "__dataclass_params__", None)
    written = _SPECIAL | {"__init__", "__post_init__"}
    return parameters is not None and parameters.frozen and not _overloads(cls, written)


def _overloads(cls: type, names: frozenset[str]) -> str | None:
    """A method with one of these names that somebody has written for this class."""
    for base in cls.__mro__:
        if base.__module__ in ("builtins", "enum", "abc", "typing") or base in (Process, Message):
            continue
        for name in names & vars(base).keys():
            if is_written(vars(base)[name]):
                return name
    return None


def is_written(member: Any) -> bool:
    """Whether it is code that somebody wrote: not what dataclasses, enums and named tuples make."""
    member = getattr(member, "__func__", member)
    while hasattr(member, "__wrapped__"):  # as the __repr__ of a dataclass
        member = member.__wrapped__
    if not isinstance(member, types.FunctionType):
        return not isinstance(member, types.WrapperDescriptorType | types.MethodWrapperType | types.NoneType)
    made = member.__code__.co_filename
    return not made.startswith("<") and made not in _MAKERS


_MAKERS: Final = frozenset(
    module.__file__ for module in (dataclasses, enum, functools) if isinstance(module.__file__, str)
)


def overloaded(cls: type) -> str | None:
    """A method of a class of processes or messages that Python would call behind the scenes, and a model would not."""
    found = _overloads(cls, _SPECIAL - {"__repr__", "__str__", "__format__"})
    if found is None and issubclass(cls, Message):
        found = _overloads(cls, frozenset({"__init__", "__post_init__"}))
    return found


def shown_by(cls: type) -> str | None:
    """A method of its own that Python would call to print an instance."""
    return _overloads(cls, frozenset({"__repr__", "__str__", "__format__"}))


def may_run(function: Any) -> bool:
    """Whether it may be called while compiling, with values."""
    if isinstance(function, types.BuiltinFunctionType | types.FunctionType | type):
        if function in _PURE:
            return True
        bound = getattr(function, "__self__", None)
        if isinstance(function, types.BuiltinFunctionType) and bound is not None:
            return type(bound) in _ATOMS | {tuple, frozenset}
        return isinstance(function, type) and (
            is_plain_enum(function) or is_frozen_record(function) or is_named_tuple(function)
        )
    if isinstance(function, types.MethodDescriptorType):
        return function.__objclass__ in _ATOMS | {tuple, frozenset}
    return False


def why_not(function: Any) -> str:
    """What to write in place of a call that may not run while compiling."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, types.ModuleType | None):
        module, name = getattr(function, "__module__", None) or "", getattr(function, "__name__", "")
    elif isinstance(owner, type):
        module, name = owner.__module__, getattr(function, "__name__", "")
    else:
        module, name = type(owner).__module__, getattr(function, "__name__", "")
    root = module.lstrip("_").partition(".")[0]
    root = {"posix": "os", "nt": "os"}.get(root, root)
    if module == "builtins" or root == "itertools":
        return _BY_NAME.get(name, "")
    if root == "functools" or hasattr(function, "cache_info"):
        return "write the function itself: what it has computed before must not be kept"
    return _HINTS.get(root, "")


def overrides_attributes(cls: type) -> bool:
    """Whether its attributes are not simply there, but computed."""
    return _overloads(cls, frozenset({"__getattr__", "__getattribute__"})) is not None


def is_of_python(member: Any) -> bool:
    """Whether it is a method, or a field of a named tuple, that Python itself is written with."""
    return not isinstance(member, functools.cached_property) and type(member).__module__ in ("builtins", "_collections")
