"""Runs that are killed at random moments, resumed and killed again, against one that nobody disturbs.

    python -m tests.checkpoints.killed --count 20 --seed 1
    python -m tests.checkpoints.killed --count 20 --seed 1 --workers
    python -m tests.checkpoints.killed --count 20 --seed 1 --cluster
    python -m tests.checkpoints.killed --count 20 --seed 1 --temporal

Each run takes a model and options by chance, and must end with the verdict and the counts of the other one."""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Literal

PROCESS = """
process P{0} {{
  byte x = 0;
  byte turns = 0;
  state a, b; init a;
  trans a -> b {{ guard turns < {1}; effect x = (x + 1) % {2}, turns = turns + 1; }},
        b -> a {{ effect common = (common * 2 + x) % 5; }};
}}
"""


def model(processes: int, turns: int, values: int) -> str:
    parts = [PROCESS.format(number, turns, values) for number in range(processes)]
    return "byte common = 0;\n" + "".join(parts) + "system async;\n"


def without_end(processes: int, values: int) -> str:
    """The same, but all go on for ever."""
    return model(processes, 1, values).replace("turns < 1;", "true;").replace("turns = turns + 1", "turns = 0")


MODELS = {"wide": model(6, 3, 3), "deep": model(3, 30, 7)}
OPTIONS = (
    ["explore", "--por", "none", "--as-written"],
    ["explore", "--por", "none", "--as-written", "--memory", "4M"],
    ["explore", "--por", "none", "--as-written", "--search", "dfs"],
    ["explore", "--por", "none", "--as-written", "--store", "bitstate", "--memory", "4M"],
    ["explore", "--por", "none", "--as-written", "--store", "compact"],
    ["check", "--por", "none", "--as-written", "--invariant", "common < 5", "--search", "bfs"],
    ["check", "--invariant", "common < 5", "--por", "deletion"],
    ["check", "--invariant", "common < 5", "--por", "deletion", "--search", "bfs"],
    ["check", "--invariant", "common < 5", "--por", "beam", "--search", "bfs", "--memory", "4M"],
    ["check", "--deadlock"],
    ["check", "--invariant", "not (P0.b and P1.b and common == 4 and P0->x == 2)", "--search", "bfs"],
)
SHARED = (
    ["explore", "--por", "none", "--as-written"],
    ["explore", "--por", "none", "--as-written", "--memory", "4M"],
    ["check", "--por", "none", "--as-written", "--invariant", "common < 5"],
    ["check", "--invariant", "common < 5", "--por", "deletion"],
    ["check", "--por", "none", "--invariant", "not (P0.b and P1.b and common == 4 and P0->x == 2)"],
)
"""For several workers, other numbers of them after each time."""
ON_CLUSTER = (
    ["explore", "--por", "none", "--as-written"],
    ["check", "--por", "none", "--as-written", "--invariant", "common < 5"],
    ["check", "--invariant", "common < 5", "--por", "deletion", "--proviso", "duplicate"],
    ["check", "--invariant", "common < 5", "--por", "deletion", "--proviso", "fragmented-history"],
    ["check", "--por", "none", "--invariant", "not (P0.b and P1.b and common == 4 and P0->x == 2)"],
    ["check", "--por", "none", "--as-written", "--ltl", "[] (common < 5)"],
    ["check", "--por", "deletion", "--proviso", "duplicate", "--ltl", "[](P0.b -> <> P0.a)", "--fairness", "weak"],
)
CLUSTER = "local:2"
STARTING_CLUSTER = 4.0
"""Seconds that Ray takes to start."""
TEMPORAL_MODELS = {**MODELS, "endless": without_end(5, 5)}
TEMPORAL = (
    ["check", "--por", "none", "--as-written", "--ltl", "[]<>(common < 5)"],
    ["check", "--por", "deletion", "--ltl", "[](P0.b -> <> P0.a)", "--fairness", "weak"],
    ["check", "--por", "none", "--ltl", "[](P0.b -> <> P0.a)", "--fairness", "strong"],
    ["check", "--por", "deletion", "--ltl", "[](P0.b -> <> P0.a)", "--fairness", "F"],
    ["check", "--por", "none", "--as-written", "--ltl", "[](P0.b -> <> P0.a)"],
    ["check", "--por", "deletion", "--ltl", "[](common == 4 -> <> (common != 4 and P1.b))"],
    ["check", "--por", "beam", "--proviso", "duplicate", "--ltl", "<> (common == 4 and P0.b)"],
    ["check", "--por", "deletion", "--proviso", "static", "--ltl", "[]<> P0.b or [] (common < 5)"],
    [
        "check",
        "--por",
        "none",
        "--invariant",
        "common < 5",
        "--ltl",
        "[]<>(common < 5)",
        "--ltl",
        "[](P0.b -> <> P0.a)",
    ],
)
"""For any number of workers; what these count does not depend on it."""
COMPARED = ("verdict", "stopped", "states", "transitions", "deadlocks", "depth", "holding", "unreached")
BY_CHANCE = ("states", "transitions", "depth", "unreached")
"""What several workers may count otherwise, if a reduction is left to them or a violation ends the search."""

BY_CHANCE_ON_CLUSTER = ("depth", "lengths")
"""What a cluster counts otherwise in any case: its workers do not go level by level together."""


def mule(*arguments: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-m", "mule", *arguments], stdout=pipe, stderr=pipe, text=True)


def answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, error = process.communicate(timeout=300)
    assert not error, error
    return compared(out)


def compared(out: str) -> dict[str, Any]:
    known: dict[str, Any] = json.loads(out)
    return {name: known[name] for name in COMPARED} | {"lengths": [each["length"] for each in known["violations"]]}


Who = Literal["one", "workers", "any", "cluster"]
"""Who searches: one worker, several or any number, other numbers of them each time, or a cluster."""
FEWEST: dict[Who, int] = {"workers": 2, "any": 1}
"""Workers at first."""
CHOICES = {"one": OPTIONS, "workers": SHARED, "cluster": ON_CLUSTER}


def disturbed(
    file: Path, options: list[str], chance: random.Random, directory: Path, who: Who
) -> tuple[dict[str, Any], int]:
    """What a run answers that is killed a few times, and how many times it went on from a checkpoint."""
    command, *rest = options
    every = ["--checkpoint-every", "0.005", "--json"]
    went_on = 0

    def next_run() -> subprocess.Popen[str]:
        nonlocal went_on
        resumes = (directory / "run.json").exists()
        went_on += bool(written(directory))
        run = ["--resume", str(directory)] if resumes else [str(file), *rest, "--checkpoint", str(directory)]
        fewest = FEWEST.get(who)
        workers = [] if fewest is None else ["--workers", str(chance.randint(1 if resumes else fewest, 3))]
        cluster = ["--cluster", CLUSTER] if who == "cluster" and not resumes else []
        return mule(command, *run, *every, *workers, *cluster)

    for _ in range(chance.randint(1, 4)):
        process = next_run()
        if not wait(process, directory, chance, STARTING_CLUSTER if who == "cluster" else 0):
            return answer(process), went_on
        process.kill()
        told, _ = process.communicate()
        if told:
            return compared(told), went_on
    return answer(next_run()), went_on


def written(directory: Path) -> set[Path]:
    """What is written last of each checkpoint."""
    return {*directory.glob("*.search"), *directory.glob("*.cut")}


def wait(process: subprocess.Popen[str], directory: Path, chance: random.Random, starting: float) -> bool:
    """Until some moment, most often soon after a checkpoint; False: it has ended by then. `starting`: seconds for which
    there is nothing to disturb."""
    known = written(directory)
    if chance.random() < 0.85:
        while process.poll() is None and written(directory) <= known:
            time.sleep(0.001)
        ends = time.monotonic() + chance.uniform(0, 0.2)
    else:
        ends = time.monotonic() + starting + chance.uniform(0.2, 1)
    while time.monotonic() < ends and process.poll() is None:
        time.sleep(0.001)
    return process.poll() is None


def compare(seed: int, who: Who = "one") -> int:
    """How many times the run went on from a checkpoint."""
    chance = random.Random(seed)
    name = chance.choice(list(MODELS))
    options = chance.choice(CHOICES[who])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.dve"
        file.write_text(MODELS[name])
        by_levels = ["--checkpoint", f"{folder}/other"] if "--ltl" in options else []
        expected = answer(mule(options[0], str(file), *options[1:], *by_levels, "--workers", "1", "--json"))
        found, went_on = disturbed(file, options, chance, Path(folder) / "run", who)
    by_chance = BY_CHANCE if who != "one" and ("none" not in options or expected["lengths"]) else ()
    by_chance = (*by_chance, *(BY_CHANCE_ON_CLUSTER if who == "cluster" else ()))
    found, expected = ({k: v for k, v in each.items() if k not in by_chance} for each in (found, expected))
    assert found == expected, (seed, name, options, found, expected)
    return went_on


def compare_temporal(seed: int) -> int:
    """The same for temporal properties, by any number of workers. The other run goes by levels, too."""
    chance = random.Random(seed)
    name = chance.choice(list(TEMPORAL_MODELS))
    options = chance.choice(TEMPORAL)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.dve"
        file.write_text(TEMPORAL_MODELS[name])
        expected = answer(mule(options[0], str(file), *options[1:], "--checkpoint", f"{folder}/other", "--json"))
        found, went_on = disturbed(file, options, chance, Path(folder) / "run", "any")
    assert found == expected, (seed, name, options, found, expected)
    return went_on


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", action="store_true", help="by several workers, other numbers each time")
    parser.add_argument("--cluster", action="store_true", help="on a Ray cluster of this machine")
    parser.add_argument("--temporal", action="store_true", help="temporal properties, by any number of workers")
    arguments = parser.parse_args()
    who: Who = "cluster" if arguments.cluster else "workers" if arguments.workers else "one"
    resumed = 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        went_on = compare_temporal(seed) if arguments.temporal else compare(seed, who)
        resumed += went_on
        print(f"seed {seed}: the same, {went_on} times from a checkpoint", flush=True)
    print(f"{arguments.count} runs, {resumed} times resumed from a checkpoint: all ended as undisturbed ones")


if __name__ == "__main__":
    main()
