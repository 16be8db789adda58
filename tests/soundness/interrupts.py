"""Commands that end before they are done: by `--time`, by `--memory` or by Ctrl-C, at any moment and in any phase.

`python -m tests.soundness.interrupts --count 100 --seed 0` draws so many commands on models of all languages, some of
them huge, and the moment of their end. Each must leave within a second, with exit status 3 (130 after Ctrl-C), with
what is known so far, and without a traceback. How late the latest one was is printed; on a busy machine the processor
time that was spent after the end tells more.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
CORPUS = ROOT.parent / "shared" / "models"
LAUNCH = """import sys, mule.cli.interrupts
mule.cli.interrupts.hold_back()
print('ready', file=sys.stderr, flush=True)
from mule.__main__ import run
run()"""
"""So that the moment does not fall into the start of Python itself."""
GIVEN_UP = "interrupted before there was a result"
LATE = 1.0
PATIENCE = 120.0
WITH_MEMORY = 10.0
"""Seconds for those who may never need so much memory."""

Kind = Literal["time", "memory", "interrupt"]


@dataclass(frozen=True)
class Command:
    words: tuple[str, ...]
    model: Path

    def __str__(self) -> str:
        return f"{' '.join(self.words)} {self.model.name}"


@dataclass(frozen=True)
class Outcome:
    command: Command
    kind: Kind
    limit: float
    status: int
    seconds: float
    """From the end of the budget to the end of the process."""
    processor: float
    """Of these, at most so many on a processor."""
    problem: str | None


def commands(folder: Path, huge: bool = True) -> list[Command]:
    """Models of all languages, and commands for all phases."""
    found: list[Command] = []

    def add(model: Path, *texts: str) -> None:
        if model.exists():
            found.extend(Command(tuple(text.split(" ")), model) for text in texts)

    add(EXAMPLES / "peterson.dve", "check", "check --ltl []<>left.critical", "validate", "compare")
    add(EXAMPLES / "mailbox.pml", "check", "explore")
    add(EXAMPLES / "philosophers.pnml", "check --deadlock", "explore --por none")
    add(EXAMPLES / "dining_philosophers.py", "check", "compare")
    add(EXAMPLES / "paxos.py", "check", "explore --por none", "validate")
    add(EXAMPLES / "raft_election.py", "check")
    if not huge:
        return found
    for name, text in _huge().items():
        (folder / name).write_text(text)
    add(folder / "spawning.pml", "check", "explore", "check --ltl [](_nr_pr<9)", "check --ctl AG(_nr_pr<9)", "compare")
    add(folder / "claims.pml", "check", "check --fairness weak", "explore --preserve ctl --observe a==3")
    add(folder / "many_operands.dve", "check", "explore", "compare", "check --ltl []<>(x==1)")
    add(folder / "many_processes.dve", "check", "explore", "check --ltl []<>(x0==1)", "check --ctl AG(x0<2)")
    add(folder / "many_processes.dve", "validate", "compare")
    add(folder / "ring.pnml", "check --deadlock", "explore", "compare", "validate")
    add(folder / "counters.dve", "check", "explore", "check --ltl []<>p0.a", "check --ctl AG(x0<200)")
    for name in ("firewire_tree.5.dve", "firewire_tree.3.dve", "peg_solitaire.3.dve", "lifts.7.prop2.dve"):
        add(CORPUS / "dve" / name, "check", "explore --por none", "compare", "validate")
    return found


def _huge() -> dict[str, str]:
    processes = "".join(
        f"process p{n} {{ state a, b; init a; trans a -> b {{ guard x{n} == 0 and x{(n * 7 + 1) % 900} < 2; "
        f"effect x{n} = 1; }}, b -> a {{ effect x{n} = 0; }}; }}\n"
        for n in range(900)
    )
    counter = "byte x{n};\nprocess p{n} {{ state a; init a; trans a -> a {{ effect x{n} = x{n} + 1; }}; }}\n"
    counters = "".join(counter.format(n=n) for n in range(8))
    operands = " or ".join(f"x == {n % 250}" for n in range(200_000))
    place = '<place id="p{n}"><initialMarking><text>{tokens}</text></initialMarking></place>'
    places = "".join(place.format(n=n, tokens=n % 2) for n in range(4000))
    arcs = "".join(
        f'<transition id="t{n}"/><arc id="i{n}" source="p{n}" target="t{n}"/>'
        f'<arc id="o{n}" source="t{n}" target="p{(n + 1) % 4000}"/>'
        for n in range(4000)
    )
    claims = "".join(f"ltl c{n} {{ [](a == {n} -> <>(b == {n + 1})) }}\n" for n in range(20))
    return {
        "spawning.pml": "active proctype P() { run P() }\n",
        "claims.pml": f"byte a, b;\nactive [3] proctype P() {{ do :: a++ :: b++ :: a-- od }}\n{claims}",
        "many_operands.dve": f"byte x;\nprocess p {{ state a; init a; trans a -> a {{ guard {operands}; "
        "effect x = x + 1; }; }\nsystem async;\n",
        "many_processes.dve": "".join(f"byte x{n};\n" for n in range(900)) + processes + "system async;\n",
        "counters.dve": f"{counters}system async;\n",
        "ring.pnml": '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" '
        f'type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">{places}{arcs}</page></net></pnml>',
    }


def try_out(command: Command, kind: Kind, limit: float) -> Outcome:
    """`limit`: seconds, or bytes of memory."""
    words = [command.words[0], str(command.model), *command.words[1:], "--json"]
    words += ["--time", str(limit)] if kind == "time" else []
    words += ["--memory", str(int(limit)), "--time", str(WITH_MEMORY)] if kind == "memory" else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCH, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert process.stderr is not None
    process.stderr.readline()
    started = time.perf_counter()
    began = _processor_seconds(process.pid)
    if kind == "interrupt":
        time.sleep(limit)
        started, began = time.perf_counter(), _processor_seconds(process.pid)
        process.send_signal(signal.SIGINT)
    used = began
    out, err, used = _communicate(process, used)
    late = time.perf_counter() - started - (limit if kind == "time" else 0.0)
    spent = used - began - (limit if kind == "time" else 0.0)
    problem = _problem(kind, process.returncode, out, err)
    return Outcome(command, kind, limit, process.returncode, late, max(spent, 0.0), problem)


def _communicate(process: subprocess.Popen[bytes], used: float) -> tuple[bytes, bytes, float]:
    """With the processor time that was seen last."""
    give_up = time.perf_counter() + PATIENCE
    while True:
        try:
            out, err = process.communicate(timeout=0.05)
            return out, err, used
        except subprocess.TimeoutExpired:
            used = max(used, _processor_seconds(process.pid))
            if time.perf_counter() > give_up:
                process.kill()


def _processor_seconds(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def _problem(kind: Kind, status: int, out: bytes, err: bytes) -> str | None:
    if b"Traceback" in err or b"Exception ignored" in err:
        return err.decode(errors="replace")
    if status in (0, 1):  # it was done before, or a violation is known
        return None
    if status != (130 if kind == "interrupt" else 3):
        return f"exit status {status}: {err.decode(errors='replace')}"
    if kind == "interrupt" and GIVEN_UP.encode() in err:
        return None
    try:
        told = json.loads(out)
    except ValueError:
        return f"no result: {out.decode(errors='replace')[:200]} {err.decode(errors='replace')}"
    rows = told.get("rows") or told.get("searches") or []
    stopped = told.get("stopped") or next((row["stopped"] for row in rows if row.get("stopped")), None)
    wanted = {"interrupt": ("interrupted",), "time": ("time",), "memory": ("memory", "time")}[kind]
    return None if stopped in wanted else f"stopped is {stopped}, expected {wanted}"


def draw(chance: random.Random, among: Sequence[Command], longest: float) -> tuple[Command, Kind, float]:
    kind: Kind = chance.choice(("time", "time", "interrupt", "interrupt", "memory"))
    limit = chance.uniform(0.05, longest) if kind != "memory" else 2 ** chance.uniform(16, 26)
    return chance.choice(among), kind, limit


def outcomes(count: int, seed: int, huge: bool, longest: float) -> Iterator[Outcome]:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        among = commands(Path(folder), huge)
        for _ in range(count):
            yield try_out(*draw(chance, among, longest))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=float, default=6.0, help="seconds until the latest moment")
    arguments = parser.parse_args()
    found, wrong = [], 0
    for number, outcome in enumerate(outcomes(arguments.count, arguments.seed, True, arguments.longest), 1):
        ended = outcome.status in (3, 130)
        found += [outcome] if ended and outcome.kind != "memory" else []
        wrong += outcome.problem is not None
        late = ended and outcome.kind != "memory" and outcome.seconds > LATE
        if late or outcome.problem:
            what = f"{outcome.seconds:.2f} s late, {outcome.processor:.2f} s of them on the processor" if late else ""
            told = f"{outcome.command} {outcome.kind} {outcome.limit:.2f}: {what} {outcome.problem or ''}"
            print(f"{number}: {told}", flush=True)
    worst = max(found, key=lambda each: each.seconds, default=None)
    if worst is not None:
        busy = max(found, key=lambda each: each.processor)
        print(f"latest: {worst.seconds:.2f} s ({worst.command}, {worst.kind} {worst.limit:.2f})")
        print(f"most on the processor: {busy.processor:.2f} s ({busy.command}, {busy.kind} {busy.limit:.2f})")
    slow = sum(each.seconds > LATE for each in found)
    print(f"{arguments.count} commands, {len(found)} ended early by time or Ctrl-C, {slow} of them late, {wrong} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
