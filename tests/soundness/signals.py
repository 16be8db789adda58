"""Commands that are told to end: Ctrl-C or SIGTERM at any moment, in any phase of any command.

`python -m tests.soundness.signals --count 200 --seed 0` draws so many commands, signals and moments. Each must end with
status 130 or 143 (or that of its verdict, if it was done), with what it knows and without a traceback, and leave
nothing behind: no temporary file, no process, no shared memory. How late the latest one was is printed; on a busy
machine the processor time that was spent after the signal tells more.
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
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.soundness.interrupts import EXAMPLES, GIVEN_UP, LATE, LAUNCH, PATIENCE, _huge, _processor_seconds

STATUSES = {signal.SIGINT: 130, signal.SIGTERM: 143}
SHARED_MEMORY = Path("/dev/shm")
REPORTING = frozenset({"check", "explore", "compare", "validate"})
"""Commands that tell what they know as one object."""


@dataclass(frozen=True)
class Outcome:
    words: tuple[str, ...]
    signal: signal.Signals
    moment: float
    status: int
    seconds: float
    """From the signal to the end of the process."""
    processor: float
    """Of these, at most so many on a processor."""
    problem: str | None

    def __str__(self) -> str:
        return f"{' '.join(self.words)}, {self.signal.name} after {self.moment:.2f} s, status {self.status}"


def commands(folder: Path, large: bool = True) -> list[tuple[str, ...]]:
    """`folder`: where their models are written."""
    for name, text in _huge().items():
        (folder / name).write_text(text)
    peterson, broken = str(EXAMPLES / "peterson.dve"), str(EXAMPLES / "broken_mutex.dve")
    counters, processes = str(folder / "counters.dve"), str(folder / "many_processes.dve")
    trail = folder / "trail.json"
    saving = ("--preserve", "ctl", "--observe", "x0 == 3", "--save", "saved.mule-graph")
    (folder / "long.dve").write_text(
        "int n;\nint m;\nprocess P { state a; init a; trans a -> a { guard n < 1000; effect n = n + 1; }, "
        "a -> a { guard n == 1000 and m < 99; effect n = 0, m = m + 1; }; }\nsystem async;\n"
    )
    long = str(folder / "long.dve")
    found = subprocess.run([sys.executable, "-m", "mule", "check", long, "--json"], capture_output=True, check=False)
    trail.write_bytes(found.stdout)
    quick = [
        ("check", peterson),
        ("check", broken, "--json"),
        ("check", str(EXAMPLES / "paxos.py")),
        ("check", counters, "--por", "none", "--json"),
        ("simulate", peterson, "--steps", "0", "--seed", "1"),
        ("show", str(EXAMPLES / "raft_election.py")),
        ("trail", long, str(trail), "--full-trail"),
    ]
    if not large:
        return quick
    formula = " && ".join(f"[]<>(a{n} U b{n})" for n in range(7))
    return [
        *quick,
        ("check", counters, "--search", "dfs"),
        ("check", counters, "--workers", "2", "--json"),
        ("check", counters, "--por", "none", "--memory", "30M", "--spill", "."),
        ("check", counters, "--checkpoint", "run", "--checkpoint-every", "0.3"),
        ("check", counters, "--ltl", "[]<>p0.a", "--json"),
        ("check", counters, "--ctl", "AG(x0<200)", "--json"),
        ("check", counters, "--search", "astar", "--invariant", "x0 + x1 < 300"),
        ("check", processes),
        ("check", str(folder / "spawning.pml")),
        ("check", str(folder / "claims.pml"), "--json"),
        ("check", str(folder / "many_operands.dve")),
        ("check", long, "--full-trail"),
        ("check", long, "--json"),
        ("check", long, "--report", "report.html"),
        ("check", counters, "--ltl", "[]<>p0.a", "--workers", "2"),
        ("check", long, "--search", "dfs", "--chart"),
        ("check", counters, "--cluster", "local:2", "--por", "none"),
        ("explore", counters, "--json"),
        ("explore", counters, *saving),
        ("explore", peterson, "--serve", "0"),
        ("validate", counters, "--json"),
        ("validate", processes),
        ("compare", counters, "--json"),
        ("compare", str(EXAMPLES / "paxos.py")),
        ("trail", long, str(trail), "--json"),
        ("trail", long, str(trail), "--shorten", "-o", "shorter.json"),
        ("simulate", counters, "--steps", "0", "--seed", "1", "--json"),
        ("show", processes),
        ("relations", processes),
        ("automaton", formula),
        ("automaton", formula, "--translator", "builtin"),
        ("bench", "directed"),
        ("bench", "figure8"),
    ]


def try_out(words: tuple[str, ...], number: signal.Signals, moment: float) -> Outcome:
    """`moment`: seconds after the program has begun. It works in a folder of its own, for temporary files too."""
    with tempfile.TemporaryDirectory(prefix="m") as folder:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": folder, "RAY_TMPDIR": folder}
        with open(Path(folder) / "out", "w+b") as out, open(Path(folder) / "err", "w+b") as err:
            process = subprocess.Popen(
                [sys.executable, "-c", LAUNCH, *words],
                stdout=out,
                stderr=err,
                cwd=folder,
                env=environment,
                start_new_session=True,
            )
            while not (Path(folder) / "err").stat().st_size and process.poll() is None:
                time.sleep(0.005)
            time.sleep(moment)
            began, used = time.perf_counter(), _processor_seconds(process.pid)
            process.send_signal(number)
            spent = _wait(process, used)
            late = time.perf_counter() - began
            told, said = Path(out.name).read_bytes(), Path(err.name).read_text(errors="replace")
        left = [*_left_in(Path(folder)), *_processes_of(process.pid), *_shared_memory(process.pid)]
        problem = _problem(words, STATUSES[number], process.returncode, told, said, left)
    return Outcome(words, number, moment, process.returncode, late, max(spent - used, 0.0), problem)


def _wait(process: subprocess.Popen[bytes], used: float) -> float:
    """The processor time that was seen last."""
    give_up = time.perf_counter() + PATIENCE
    while True:
        try:
            process.wait(timeout=0.02)
            return used
        except subprocess.TimeoutExpired:
            used = max(used, _processor_seconds(process.pid))
            if time.perf_counter() > give_up:
                process.kill()


def _left_in(folder: Path) -> list[str]:
    """What stays is what was asked for, and Ray's own diary."""
    wanted = {"out", "err", "run", "saved.mule-graph", "shorter.json", "ray"}
    report = folder / "report.html"
    if report.exists() and report.read_text().rstrip().endswith("</html>"):
        wanted.add(report.name)  # a half one is not what was asked for
    found = [path.name for path in folder.iterdir() if path.name not in wanted]
    return found + [path.name for path in (folder / "run").glob("*.part")]


def _processes_of(session: int) -> list[str]:
    """Those of its session; who is killed takes a moment to be gone."""
    for _ in range(40):
        found = list(_running(session))
        if not found:
            break
        time.sleep(0.05)
    return found


def _running(session: int) -> Iterator[str]:
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (entry / "stat").read_text().rpartition(")")
            state, _, _, its_session = rest.split()[:4]
        except (OSError, ValueError):
            continue
        if its_session == str(session) and state != "Z":
            yield f"process {name.partition('(')[2]}"


def _shared_memory(process: int) -> list[str]:
    """Named by the process that made it, as Python and Ray do."""
    return [path.name for path in SHARED_MEMORY.glob(f"*{process}*")] if SHARED_MEMORY.is_dir() else []


def _problem(words: Sequence[str], expected: int, status: int, out: bytes, err: str, left: Sequence[str]) -> str | None:
    if "Traceback" in err or "Exception ignored" in err or "defect of Mule" in err:
        return err[-1500:]
    if left:
        return f"left behind: {', '.join(left)}"
    if status in (0, 1):  # it was done before, or a violation is known
        return None
    if status != expected:
        return f"status {status} instead of {expected}: {err}"
    if words[0] in REPORTING and GIVEN_UP not in err:
        if not out:
            return "nothing is told"
        if "--json" in words:
            try:
                json.loads(out)
            except ValueError:
                return f"no object: {out[:100]!r}"
    return None


def outcomes(count: int, seed: int, large: bool, longest: float, only: str = "") -> Iterator[Outcome]:
    """Each command in turn, in an order of chance, so that all of them come."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        among = [each for each in commands(Path(folder), large) if only in " ".join(each)]
        for number in range(count):
            if number % len(among) == 0:
                chance.shuffle(among)
            sent = chance.choice(tuple(STATUSES))
            yield try_out(among[number % len(among)], sent, chance.uniform(0.0, longest))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=float, default=4.0, help="seconds until the latest moment")
    parser.add_argument("--only", default="", help="commands with these words")
    arguments = parser.parse_args()
    found: list[Outcome] = []
    for outcome in outcomes(arguments.count, arguments.seed, True, arguments.longest, arguments.only):
        found.append(outcome)
        if outcome.problem is not None or outcome.seconds > LATE:
            late = f"{outcome.seconds:.2f} s, {outcome.processor:.2f} s of them on the processor"
            print(f"{len(found)}: {outcome}: {late} {outcome.problem or ''}", flush=True)
    statuses = Counter(each.status for each in found)
    wrong = sum(each.problem is not None for each in found)
    slow = sum(each.seconds > LATE for each in found)
    busy = sum(each.processor > LATE for each in found)
    worst = max(found, key=lambda each: each.seconds)
    print(f"{len(found)} signals, by status: {dict(sorted(statuses.items()))}; {wrong} wrong")
    print(f"{slow} later than a second, {busy} with more than a second on the processor")
    print(f"latest: {worst.seconds:.2f} s, {worst.processor:.2f} s on the processor ({worst})")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
