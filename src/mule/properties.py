"""What to check: the words that the command line and the Python interface share."""

from __future__ import annotations

from dataclasses import dataclass


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
    def temporal(self) -> bool:
        return bool(self.ltl or self.claims or self.progress or self.acceptance or self.ctl)
