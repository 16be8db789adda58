"""Models of our own, in Promela, of the protocols that the seeds measure; each says at its head what it is."""

from __future__ import annotations

from pathlib import Path

HOME = Path(__file__).parent


def protocol(name: str) -> Path:
    return HOME / f"{name}.pml"
