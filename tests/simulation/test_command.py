"""`mule simulate` as a user meets it: text, JSON, exit statuses, interrupts."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.simulation import programs
from tests.simulation.programs import command, mule, written

pytestmark = pytest.mark.slow


def test_steps_with_their_statements_changes_and_output(tmp_path: Path) -> None:
    run = mule(written(tmp_path, programs.PING), "--seed", "3")
    assert run.returncode == 0
    assert run.stdout.splitlines()[:8] == [
        "m (promela), seed 3",
        "     1  P: line 8: i < 3",
        "     2  P: line 8: a!ping, i",
        "        Q: line 15: a?ping, j",
        '     3  Q: line 15: printf("got %d\\n", j)',
        "        prints: got 0",
        "     4  Q: line 15: b!j   b: [] → [0]",
        "     5  P: line 8: b?i   b: [0] → []",
    ]
    assert "     8  P: line 8: a!ping, i\n        Q: line 15: a?ping, j   Q:j: 0 → 1\n" in run.stdout
    assert "✓ ended after 20 steps: every process is where it may end\n" in run.stdout


def test_a_seed_is_shown_and_repeats_the_run(tmp_path: Path) -> None:
    path = written(tmp_path, programs.COUNTERS)
    first = mule(path)
    seed = first.stdout.splitlines()[0].removeprefix("m (promela), seed ")
    assert mule(path, "--seed", seed).stdout == first.stdout


def test_the_limit_on_steps(tmp_path: Path) -> None:
    path = written(tmp_path, programs.ENDLESS)
    run = mule(path)
    assert run.returncode == 0
    assert "? stopped after 100 steps: that is the limit; --steps N sets another, 0 none\n" in run.stdout
    assert "? stopped after 7 steps" in mule(path, "--steps", "7").stdout
    assert "✓ ended after 20 steps" in mule(written(tmp_path, programs.PING), "--steps", "0").stdout


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (programs.ASSERTS, "after 1 step: assertion violated: x == 5"),
        (programs.DIVIDES, "after 2 steps: error of the model: division by zero"),
        (programs.STUCK, "after 3 steps: invalid end state: no process can move, with P in line 3"),
    ],
)
def test_violations_end_a_run_with_status_1(program: str, message: str, tmp_path: Path) -> None:
    run = mule(written(tmp_path, program), COLUMNS="120")
    assert run.returncode == 1
    assert f"✗ violated {message}\n" in run.stdout


def test_a_deadlock_of_dve(tmp_path: Path) -> None:
    run = mule("examples/philosophers.dve", "--seed", "1", "--steps", "0")
    assert run.returncode == 1
    assert "deadlock: no process can move\n" in run.stdout


def test_quiet_prints_what_the_program_prints(tmp_path: Path) -> None:
    run = mule(written(tmp_path, programs.PING), "--quiet")
    assert (run.stdout, run.stderr) == ("got 0\ngot 1\ngot 2\ndone 3 ping\n", "")
    run = mule(written(tmp_path, programs.STUCK), "--quiet", "--seed", "4")
    assert (run.returncode, run.stdout) == (1, "hm\n")
    assert run.stderr == "mule: invalid end state: no process can move, with P in line 3 (seed 4)\n"
    run = mule(written(tmp_path, programs.ENDLESS), "--quiet", "--seed", "4")
    assert (run.returncode, run.stdout) == (0, "")
    assert run.stderr.startswith("mule: stopped after 100 steps")


def test_json_is_an_object_a_line(tmp_path: Path) -> None:
    run = mule(written(tmp_path, programs.PING), "--json", "--seed", "3")
    first, *steps, last = [json.loads(line) for line in run.stdout.splitlines()]
    assert (first["model"], first["language"], first["seed"]) == ("m", "promela", 3)
    assert first["initial_state"]["variables"] == {"P:i": 0, "Q:j": 0}
    assert [step["step"] for step in steps] == list(range(1, 21))
    assert steps[2]["output"] == "got 0\n"
    assert (steps[2]["process"], steps[2]["text"], steps[2]["place"]["line"]) == ("Q", 'printf("got %d\\n", j)', 15)
    assert steps[3]["changes"] == {"b": [[], [0]]}
    assert [action["process"] for action in steps[1]["actions"]] == ["P", "Q"]
    assert (last["end"], last["steps"]) == ("end", 20)
    assert last["final_state"]["variables"] == {"P:i": 3, "Q:j": 2}


def test_json_names_the_violation(tmp_path: Path) -> None:
    run = mule(written(tmp_path, programs.ASSERTS), "--json")
    *_, step, last = [json.loads(line) for line in run.stdout.splitlines()]
    assert step["failure"] == last["message"] == "assertion violated: x == 5"
    assert (last["end"], run.returncode) == ("assertion", 1)


def test_definitions_reach_the_preprocessor(tmp_path: Path) -> None:
    path = written(tmp_path, 'active proctype P() { printf("%d\\n", N) }')
    assert mule(path, "-DN=5", "--quiet").stdout == "5\n"


def test_plain_signs_where_the_encoding_has_no_others(tmp_path: Path) -> None:
    run = mule(written(tmp_path, programs.PING), "--seed", "3", PYTHONIOENCODING="ascii")
    assert run.stdout.isascii()
    assert "b: [] -> [0]" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seed", "x"], "argument --seed: 'x' is not a whole number: 0, 1, 2, ..."),
        (["--steps", "-1"], "argument --steps: '-1' is not a whole number: 0, 1, 2, ..."),
        (["--quiet", "--json"], "argument --json: not allowed with argument --quiet"),
        (["--interactive", "--json"], "argument --json: not allowed with argument --interactive"),
        (["--interactive", "--steps", "5"], "argument --steps: not allowed with argument --interactive"),
    ],
)
def test_nonsense_is_refused(arguments: list[str], message: str) -> None:
    run = mule("m.pml", *arguments)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == f"mule: {message}\nTry 'mule simulate --help'.\n"


def test_a_broken_model_is_bad_input(tmp_path: Path) -> None:
    run = mule(written(tmp_path, "active proctype P() { x = 1 }"))
    assert run.returncode == 2
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("option", ["--chart", "--json", "--quiet"])
def test_ctrl_c_ends_a_run_and_shows_what_is_known(option: str, tmp_path: Path) -> None:
    path = written(tmp_path, programs.ENDLESS)
    started = subprocess.Popen(
        command(path, "--steps", "0", option), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(2)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=30)
    assert started.returncode == 130
    assert "interrupted" in (err if option == "--quiet" else out.splitlines()[-1 if option == "--json" else -3])
    assert "Traceback" not in err
