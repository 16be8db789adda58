"""Commands for which there is not enough memory, whatever they are doing when it ends.

`python -m tests.soundness.memory --count 50` runs every command and every kind of search under so many limits on the
address space (`ulimit -v`), from 64 MB to 2 GB. A command that gets less than it needs must say so with exit status 3
and what it knows so far, or with 2 if not even the model could be read: never with a verdict, a traceback or a signal.
The limits are drawn by `--seed`, each about as much more than the one before. With more `--seconds` more of the larger
ones are reached.
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
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
LEAST, MOST = 64 * 2**20, 2 * 2**30
PATIENCE = 300.0
SECONDS = "{seconds}"
"""For each command: a search that goes on with disk has no other end."""
CRASHES = ("Traceback", "terminate called", "LLVM ERROR", "Fatal Python", "Exception ignored", "defect of Mule")


@dataclass(frozen=True)
class Case:
    name: str
    words: tuple[str, ...]
    """With `{folder}` for a folder of its own, and `{seconds}`."""
    done: frozenset[int] = frozenset()
    """The statuses of a command that is done, because it had enough."""

    @property
    def tells(self) -> bool:
        """Whether it prints one object, which says why it stopped."""
        return "--json" in self.words and self.words[0] != "simulate"


@dataclass(frozen=True)
class Outcome:
    case: Case
    limit: int
    status: int
    problem: str | None
    reason: str = ""
    """Why it has stopped, where it says so."""

    @property
    def told(self) -> str:
        return f"{self.status} ({self.reason})" if self.reason else str(self.status)


def cases(folder: Path) -> list[Case]:
    """`folder`: where their models are written."""
    files = _models(folder)
    wide, long, code = (str(files[name]) for name in ("wide.dve", "long.dve", "code.dve"))
    mutex, actors, net = (str(EXAMPLES / name) for name in ("peterson.dve", "paxos.py", "philosophers.pnml"))
    found: list[Case] = []

    def add(name: str, *words: str, done: Sequence[int] = ()) -> None:
        found.append(Case(name, words, frozenset(done)))

    def search(name: str, *words: str) -> None:
        add(name, "check", wide, *words, "--as-written", "--json", "--time", SECONDS)

    search("breadth first", "--por", "none")
    search("reduced")
    search("depth first", "--search", "dfs")
    search("two workers", "--workers", "2")
    search("spilling", "--por", "none", "--spill", "{folder}")
    search("hash compaction", "--store", "compact")
    search("bitstate", "--store", "bitstate")
    search("A*", "--search", "astar", "--invariant", "i0 + i1 + i2 < 700")
    search("best first", "--search", "best-first", "--invariant", "i0 + i1 + i2 < 700")
    search("IDA*", "--search", "idastar", "--invariant", "i0 + i1 + i2 < 700")
    search("dpor", "--por", "dpor")
    search("ltl", "--ltl", "[] <> (i0 == 0 || i1 < 200)")
    search("ltl by components", "--ltl", "[] <> (i0 == 0 || i1 < 200)", "--emptiness", "scc")
    search("ltl, fair", "--ltl", "[] <> (i0 == 0 || i1 < 200)", "--fairness", "weak")
    search("ltl, two workers", "--ltl", "[] <> (i0 == 0 || i1 < 200)", "--workers", "2")
    search("ctl", "--ctl", "AG (i0 < 200)")
    search("checkpoints", "--por", "none", "--checkpoint", "{folder}/run")
    graph = ("--preserve", "ctl", "--observe", "i0 == 3", "--save", "{folder}/wide.mule-graph")
    add("graph", "explore", wide, *graph, "--as-written", "--json", "--time", SECONDS)
    add("text", "check", wide, "--as-written", "--time", SECONDS)
    add("compare", "compare", wide, "--json", "--time", SECONDS)
    add("validate", "validate", wide, "--json", "--time", SECONDS)
    add("code", "check", code, "--json", "--time", SECONDS, done=[1])
    add("long trail", "check", long, "--json", "--time", SECONDS, done=[1])
    add("report", "check", long, "--report", "{folder}/report.html", "--time", SECONDS, done=[1])
    add("long trail, text", "check", long, "--full-trail", "--time", SECONDS, done=[1])
    add("replay", "trail", long, str(folder / "long.json"), "--json", "--time", SECONDS, done=[1])
    add("shorten", "trail", long, str(folder / "long.json"), "--shorten", "--time", SECONDS, done=[1])
    add("simulate", "simulate", long, "--steps", "20000", "--seed", "1", "--json", done=[0, 1])
    add("show", "show", code, done=[0])
    add("relations", "relations", wide, done=[0])
    add("automaton", "automaton", "[](a -> <>b) && []<>c && []<>d && []<>e", done=[0])
    add("actors", "check", actors, "--json", "--time", SECONDS, done=[0, 1])
    add("net", "check", net, "--deadlock", "--json", done=[0, 1])
    add("small", "check", mutex, "--json", done=[0])
    return found


def _models(folder: Path) -> dict[str, Path]:
    cells, count = 600, 6
    arrays = "".join(f"int a{n}[{cells}];\nint i{n};\n" for n in range(count))
    writers = "".join(
        f"process P{n} {{ state a; init a; trans a -> a {{ guard i{n} < {cells}; effect "
        f"a{n}[i{n}] = (a{n}[i{n}] * 31 + i{(n + 1) % count} * 7 + 1) % 30000, i{n} = i{n} + 1; }}, "
        f"a -> a {{ guard i{n} == {cells}; effect i{n} = 0; }}; }}\n"
        for n in range(count)
    )
    steps = "".join(
        f"process Q{n} {{ state a; init a; trans a -> a {{ guard x{n} < 9 and y{n} != x{(n + 3) % 700}; "
        f"effect x{n} = x{n} + 1, y{n} = x{(n + 5) % 700}; }}; }}\n"
        for n in range(700)
    )
    variables = "".join(f"byte x{n};\nbyte y{n};\n" for n in range(700))
    texts = {
        "wide.dve": f"{arrays}{writers}system async;\n",
        "code.dve": f"{variables}{steps}system async;\n",
        "long.dve": "int n;\nint m;\nprocess P { state a; init a; trans a -> a { guard n < 1000; effect n = n + 1; }, "
        "a -> a { guard n == 1000 and m < 49; effect n = 0, m = m + 1; }; }\nsystem async;\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    saved = subprocess.run(
        [sys.executable, "-m", "mule", "check", str(folder / "long.dve"), "--json"], capture_output=True, check=False
    )
    (folder / "long.json").write_bytes(saved.stdout)
    return {name: folder / name for name in texts}


def try_out(case: Case, limit: int, seconds: float = 3.0) -> Outcome:
    """`limit`: bytes of address space."""
    with tempfile.TemporaryDirectory() as folder:
        words = [word.replace("{folder}", folder).replace("{seconds}", f"{seconds:g}") for word in case.words]
        return _run(case, words, limit)


def _run(case: Case, words: Sequence[str], limit: int) -> Outcome:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        ["bash", "-c", f'ulimit -v {limit // 1024}; exec "$@"', "bash", sys.executable, "-m", "mule", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
    problem = _problem(case, process.returncode, out, err.decode(errors="replace"))
    return Outcome(case, limit, process.returncode, problem, _reason(process.returncode, out + err))


def _reason(status: int, told: bytes) -> str:
    """Of a command that is incomplete: memory, or only the time."""
    if status != 3:
        return ""
    return "time" if b'"stopped": "time"' in told or b"time limit was reached" in told else "memory"


def _problem(case: Case, status: int, out: bytes, err: str) -> str | None:
    if status < 0:
        return f"ended by {signal.Signals(-status).name}: {err[-300:]}"
    if any(each in err for each in CRASHES):
        return err[-600:]
    if status in case.done:
        return None
    if status == 2:
        return None if not out and "memory" in err else f"status 2: {err[:300]}"
    if status != 3:
        return f"status {status}: {err[:300]}"
    if not case.tells or not out:
        return None if out or any(each in err for each in ("memory", "time limit")) else f"nothing is said: {err}"
    try:
        told = json.loads(out)
    except ValueError:
        return f"no result: {out[:100]!r} ... {out[-100:]!r}: {err[:300]}"
    rows = told.get("rows") or [told]
    known = {row.get("stopped") for row in rows} & {"memory", "time"}
    return None if known else f"it does not say why: {out[:300]!r}"


def limits(count: int, chance: random.Random) -> Iterator[int]:
    """From the least to the most, each about as much more than the one before."""
    for number in range(count):
        place = (number + chance.random()) / count
        yield int(LEAST * (MOST / LEAST) ** place)


def outcomes(count: int, seed: int, only: str, seconds: float, jobs: int) -> Iterator[Outcome]:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        wanted = [case for case in cases(Path(folder)) if only in case.name]
        tried = [(case, limit) for case in wanted for limit in limits(count, chance)]
        yield from pool.map(lambda each: try_out(each[0], each[1], seconds), tried)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="cases with these words in their name")
    parser.add_argument("--seconds", type=float, default=3.0, help="for each command")
    parser.add_argument("--jobs", type=int, default=1, help="commands at the same time")
    arguments = parser.parse_args()
    tally: dict[str, Counter[str]] = {}
    wrong = 0
    given = arguments.count, arguments.seed, arguments.only, arguments.seconds, arguments.jobs
    for outcome in outcomes(*given):
        tally.setdefault(outcome.case.name, Counter())[outcome.told] += 1
        if outcome.problem is not None:
            wrong += 1
            print(f"{outcome.case.name} with {outcome.limit / 2**20:.0f} MB: {outcome.problem}", flush=True)
    for name, statuses in tally.items():
        print(f"{name:<20}", ", ".join(f"status {status}: {count}" for status, count in sorted(statuses.items())))
    total = sum(tally.values(), Counter[str]())
    print(f"{total.total()} commands, {wrong} wrong:", dict(sorted(total.items())))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
