"""Promela programs that the tests of `mule simulate` share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from mule.frontends.promela import load
from mule.model import Model

PING = """
mtype = { ping, pong };
chan a = [0] of { mtype, byte };
chan b = [2] of { byte };
active proctype P() {
    byte i;
    do
    :: i < 3 -> a!ping(i); b?i; i++
    :: else -> break
    od;
    printf("done %d %e\\n", i, ping)
}
active proctype Q() {
    byte j;
end: do :: a?ping(j) -> printf("got %d\\n", j); b!j od
}
"""
COUNTERS = """
byte x;
active [2] proctype P() { do :: x < 20 -> x++ :: x > 0 -> x-- od }
"""
ASSERTS = """
int x; chan c = [1] of { byte };
active proctype P() { atomic { x = 3; printf("x is %d\\n", x); c!x; x++; assert(x == 5) } }
"""
DIVIDES = """
int x, y;
active proctype P() { x = 1; if :: x / y == 1 -> skip :: else -> skip fi }
"""
STUCK = """
int x;
active proctype P() { x == 1; x = 2 }
active proctype Q() { x = 7; printf("hm\\n") }
"""
LOOP_IN_ATOMIC = """
int x, y;
active proctype P() { atomic { do :: x < 150 -> x++; if :: y++ :: skip fi :: else -> break od }; printf("%d", x) }
"""
ENDLESS = "bit b; active proctype P() { do :: b = 1 - b od }"

ALL = {
    "ping": PING,
    "counters": COUNTERS,
    "asserts": ASSERTS,
    "divides": DIVIDES,
    "stuck": STUCK,
    "loop in atomic": LOOP_IN_ATOMIC,
}


def model_of(text: str) -> Model:
    return load(text, "m.pml")


def written(folder: Path, text: str) -> str:
    path = folder / "m.pml"
    path.write_text(text)
    return str(path)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "mule", "simulate", *arguments]


def mule(*arguments: str, answers: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, without a terminal."""
    clean = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    settings = {**clean, "PYTHONIOENCODING": "utf-8", **environment}
    return subprocess.run(command(*arguments), input=answers, capture_output=True, text=True, env=settings, timeout=60)
