"""`mule explore --serve`: the state space as a page to walk through."""

from __future__ import annotations

import signal
import sys
import threading
from argparse import Namespace
from types import FrameType

from mule.cli import status
from mule.cli.arguments import UsageError, options_from
from mule.cli.interrupts import SIGNALS, release
from mule.cli.running import heard, load_model
from mule.errors import MuleError, printable
from mule.options import STUBBORN

FIXED = (
    "json",
    "report",
    "save",
    "checkpoint",
    "resume",
    "cluster",
    "stateless",
    "weak",
    "lpor",
    "observe",
    "ltl",
    "ctl",
)
"""Options of a search that a walk has no use for."""


def serve(arguments: Namespace) -> int:
    for name in FIXED:
        if getattr(arguments, name, None):
            raise UsageError(f"--serve is for walking by hand: --{name} has no effect on it", "mule explore")
    from mule.explorer.server import ADDRESS, ExplorerServer
    from mule.explorer.walk import Walk

    if arguments.por not in ("auto", *STUBBORN):
        raise UsageError(f"--serve explains sets by {', '.join(STUBBORN)}, not --por {arguments.por}", "mule explore")
    if sys.stderr.isatty():
        print("finding out what interferes with what: of a large model this takes a while", file=sys.stderr)
    walk = heard(lambda: Walk(load_model(arguments), options_from(arguments)))
    try:
        server = ExplorerServer(walk, arguments.serve)
    except OSError as error:
        raise MuleError(f"cannot listen on {ADDRESS}:{arguments.serve}: {error.strerror}") from None

    def end(number: int, frame: FrameType | None) -> None:
        status.note_signal(number)
        # It waits for the loop to end, which runs in this thread.
        threading.Thread(target=server.shutdown).start()

    release()
    for each in SIGNALS:
        signal.signal(each, end)
    print(f"{printable(walk.model.name)} is at {server.address}")
    print("Only this machine can reach it, and only who has the address. Ctrl-C ends it.", file=sys.stderr)
    sys.stdout.flush()
    with server:
        server.serve_forever(poll_interval=0.2)
    return status.interrupted()
