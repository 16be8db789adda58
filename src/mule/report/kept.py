"""What reports need of a model for each step of a trail: found once, and kept with the model."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from mule.model import Model

Fact = TypeVar("Fact")


def kept(find: Callable[[Model], Fact]) -> Callable[[Model], Fact]:
    """As `cached_property` does, from outside of the class: models are never changed, and too large to be hashed."""
    name = f"{find.__module__}.{find.__qualname__}"

    @wraps(find)
    def found(model: Model) -> Fact:
        facts = model.__dict__
        if name not in facts:
            facts[name] = find(model)
        fact: Fact = facts[name]
        return fact

    return found
