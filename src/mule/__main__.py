"""`python -m mule` and the `mule` command."""

from __future__ import annotations

import os
from typing import NoReturn

__all__ = ["run"]


def run() -> NoReturn:
    """Leave at once: better code that is still being compiled in the background is of no use any more."""
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
    os._exit(status)


if __name__ == "__main__":
    run()
