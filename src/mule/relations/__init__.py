"""What may interfere with what, computed from the model alone, once for all languages (guard-based POR, sections 3-5).

Every relation errs on the side of "may": each answer that was not proven is the one that reduces less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from mule.model.domains import Domains
from mule.model.model import Model
from mule.relations.accesses import Accesses, members

if TYPE_CHECKING:
    from mule.relations.changes import Changes


@dataclass(repr=False)
class Relations:
    """Bit sets as Python integers: over transitions, except `never_coenabled`, which is over guards."""

    do_not_accord: list[int]
    """For each transition those that may disable it, be disabled by it, or not commute with it; and itself."""
    enabling: list[int]
    """For each guard a necessary enabling set."""
    disabling: list[int]
    """For each guard a necessary disabling set."""
    never_coenabled: list[int]
    """For each guard the guards that are false wherever it is true."""
    must_disable: list[int]
    """For each transition those that are surely disabled when it has run."""
    model: Model = field(repr=False)
    domains: Domains = field(repr=False)
    accesses: Accesses = field(repr=False)
    changes: Changes = field(repr=False)
    left_accordance: Callable[[], list[int]] = field(repr=False)
    """Computes `do_not_left_accord`, which only weak stubborn sets ask for."""
    visible: int = 0
    """The transitions whose order the property can see."""

    @cached_property
    def do_not_left_accord(self) -> list[int]:
        """For each transition t those u for which "u then t" may not be replaceable by "t then u"; and itself."""
        return self.left_accordance()

    def __str__(self) -> str:
        from mule.report.plain import text_of
        from mule.report.relations_text import relations_text

        return text_of(lambda page: relations_text(self.model, self, page))

    def __repr__(self) -> str:
        model = self.model
        return f"<Relations of {model.name}: {len(model.guards)} guards, {len(model.transitions)} transitions>"


__all__ = ["Accesses", "Relations", "members"]
