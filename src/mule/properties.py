"""What to check: the words that the command line and the Python interface share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Part = Literal["states", "runs", "trees"]
"""What a property speaks of: single states and steps, runs (LTL, claims), or the tree of all runs (CTL)."""

ALL_CLAIMS = "all"
"""The name that stands for every claim of a model."""
PROGRESS = "progress is made again and again"
ACCEPTANCE = "no acceptance cycle"


@dataclass(frozen=True, slots=True)
class Properties:
    """What to check; all of it must hold."""

    deadlock: bool = False
    assertions: bool = False
    invariants: tuple[str, ...] = ()
    ltl: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    """Names of temporal properties that the model declares; `all` stands for every one."""
    progress: bool = False
    """No run goes on for ever without passing a place that means progress."""
    acceptance: bool = False
    """No run comes to accepting places again and again."""
    ctl: tuple[str, ...] = ()

    @property
    def safety(self) -> bool:
        return bool(self.deadlock or self.assertions or self.invariants)

    @property
    def linear(self) -> bool:
        return bool(self.ltl or self.claims or self.progress or self.acceptance)

    @property
    def temporal(self) -> bool:
        return self.linear or bool(self.ctl)

    @property
    def parts(self) -> set[Part]:
        """That there is no error of the model is asked of single steps, even where nothing else is."""
        asked: dict[Part, bool] = {
            "states": self.safety or not self.temporal,
            "runs": self.linear,
            "trees": bool(self.ctl),
        }
        return {part for part, is_asked in asked.items() if is_asked}


SAFETY = Properties(deadlock=True, assertions=True)
"""What can be seen in single states, of all that a model declares."""
