"""A program run by asyncio, and by Mule."""

from __future__ import annotations

import random

import mule.processes
from mule.frontends.python.translation import translate
from tests.processes.asyncio_programs import loaded, model_ends
from tests.processes.asyncio_writer import HEADER
from tests.processes.event_loop import End, ends, stand_in


def both(body: str, name: str) -> tuple[set[End], set[End]]:
    """How runs of the program and of the model end."""
    text = HEADER + body
    real = ends(loaded(text, f"{name} with asyncio", stand_in()), 200, random.Random(0))
    module = loaded(text, name, mule.processes)
    system = module.system()
    module.STORE.name = "s"
    fields = tuple((each, int(getattr(module.STORE, each))) for each in sorted(type(module.STORE).__annotations__))
    found = model_ends(translate(system), fields, len(system.tasks))
    assert found is not None
    return real, found


def values(found: set[End], name: str) -> set[int]:
    return {dict(end.values)[name] for end in found if end.values}
