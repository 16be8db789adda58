"""`python -m mule` and the `mule` command."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

__all__ = ["run"]


def run() -> NoReturn:
    status = 130
    try:
        from mule.cli.interrupts import hold_back

        hold_back()
        from mule.cli.output import finish, guard

        guard()
        from mule.cli.main import main

        status = main()
        finish()
    except KeyboardInterrupt:  # while the program is being loaded, or while it says that it was interrupted
        pass
    _leave(status)


def _leave(status: int) -> NoReturn:
    """At once, without what Python does at the end: better code that is still being compiled in the background is of no
    use any more. The processes of a local cluster would stay, and their end is the end of whoever is connected: so they
    come last."""
    if "mule.cluster.connection" in sys.modules:
        sys.modules["mule.cluster.connection"].leave()
    os._exit(status)


if __name__ == "__main__":
    run()
