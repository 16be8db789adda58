"""Which GPUs there is code for."""

from __future__ import annotations

from mule.records import Record


class Architecture(Record, frozen=True):
    """What code is made for; newer GPUs and drivers understand it as well."""

    name: str
    ptx: str
    capability: tuple[int, int]
    """Of the GPU, at least."""
    driver: int
    """Its version, at least: 1000 times the major number and 10 times the minor one."""
    exchanges_pairs: bool
    """Whether two words can be exchanged at once."""


ARCHITECTURES = (
    Architecture("sm_90", "+ptx84", (9, 0), 12040, True),
    Architecture("sm_80", "+ptx74", (8, 0), 11040, False),
)
"""The best first."""


def architecture_for(capability: tuple[int, int], driver: int) -> Architecture | None:
    fitting = (each for each in ARCHITECTURES if capability >= each.capability and driver >= each.driver)
    return next(fitting, None)
