"""`--gpu` and `mule doctor` from outside: with this computer in place of a GPU, and without one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import mule.gpu.driver
from mule import load
from mule.checking import check, explore
from mule.cli.main import main
from mule.errors import MuleError
from mule.gpu.host import Host
from mule.options import Options, Por
from mule.properties import Properties
from mule.results import Verdict
from tests.gpu.test_kernels import counters

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Host:
    host = Host(2, memory=1 << 26)
    monkeypatch.setattr(mule.gpu.driver, "gpu", lambda: host)
    monkeypatch.setattr(mule.gpu.driver, "opening", lambda: None)
    return host


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mule.gpu.driver, "_LIBRARY", "libthere-is-no-such-driver.so.1")
    mule.gpu.driver.opening.cache_clear()


def test_counts_are_those_of_this_computer(gpu: Host, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for more in ([], ["--gpu"]):
        assert main(["explore", str(EXAMPLES / "pipeline.dve"), "--por", "none", "--json", *more]) == 0
        found.append(json.loads(capsys.readouterr().out))
    host, device = found
    assert all(host[name] == device[name] for name in ("states", "transitions", "deadlocks", "depth", "unreached"))
    assert (host["device"], device["device"]) == (None, "this computer")
    assert device["options"]["gpu"] is True


def test_a_violation_has_a_shortest_trail(gpu: Host, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(EXAMPLES / "broken_mutex.dve"), "--gpu"]) == 1
    out = capsys.readouterr().out
    assert "4 steps, and no fewer will do" in out
    assert "searched by this computer" in out


def test_the_python_interface_takes_it_too(gpu: Host) -> None:
    result = load(str(EXAMPLES / "peterson.dve")).check(deadlock=True, gpu=True)
    assert (result.verdict, result.statistics.device) == (Verdict.HOLDS, "this computer")


def test_assertions_deadlocks_and_invariants_are_judged(gpu: Host) -> None:
    asked = Properties(deadlock=True, assertions=True, invariants=("a < 10", "b < 9"))
    result = check(counters("assert(a + b + c < 8)"), asked, Options(gpu=True, as_written=True))
    verdicts = {judgement.property: judgement.verdict for judgement in result.judgements}
    assert verdicts["invariant b < 9"] is verdicts["no violated assertion"] is Verdict.VIOLATED
    assert all(violation.shortest for violation in result.violations)


def test_memory_that_is_too_small_makes_the_answer_incomplete(gpu: Host, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", str(EXAMPLES / "pipeline.dve"), "--gpu", "--as-written", "--memory", "100K"]) == 3
    assert "leave out --gpu" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (
            Options(gpu=True, por="deletion"),
            "a GPU knows --por none, ample, closure, beam-noh.* leave out --por deletion",
        ),
        (Options(gpu=True, por="closure", weak=True), "leave out --weak"),
        (Options(gpu=True, por="closure", proviso="static"), "leave out --proviso static"),
        (Options(gpu=True, por="dpor"), "a GPU stores all states"),
        (Options(gpu=True, search="dfs"), "leave out --search dfs"),
        (Options(gpu=True, store="bitstate"), "leave out --store bitstate"),
        (Options(gpu=True, cluster="local:2"), "leave out --cluster"),
        (Options(gpu=True, workers=2), "leave out --workers"),
        (Options(gpu=True, spill="/tmp"), "leave out --spill"),
    ],
)
def test_what_a_gpu_cannot_do_is_refused(options: Options, reason: str) -> None:
    with pytest.raises(MuleError, match=reason):
        explore(counters(), options)


@pytest.mark.parametrize("por", ["ample", "closure", "beam-noh"])
def test_a_reduction_keeps_fewer_states_and_says_so(gpu: Host, por: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", str(EXAMPLES / "pipeline.dve"), "--gpu", "--as-written", "--por", por, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["states"] == (114 if por == "ample" else 52)
    assert found["options"]["por"] == por
    assert f"reduced by {por}; this preserves deadlocks" in found["notes"]


@pytest.mark.parametrize("por", ["ample", "closure", "beam-noh"])
def test_a_violation_is_found_with_a_reduction(gpu: Host, por: Por) -> None:
    model = counters("assert(a + b + c < 8)")
    result = check(model, Properties(assertions=True), Options(gpu=True, por=por))
    assert result.verdict is Verdict.VIOLATED
    assert not result.violations[0].shortest


def test_temporal_properties_are_judged(gpu: Host, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for more in ([], ["--gpu"]):
        asked = ["--ltl", "[] <> left.critical", "--ltl", "[] (left.asking -> <> left.waiting || <> [] right.critical)"]
        assert main(["check", str(EXAMPLES / "peterson.dve"), *asked, "--json", "--por", "none", *more]) == 1
        found.append(json.loads(capsys.readouterr().out))
    host, device = found
    assert device["holding"] == host["holding"]
    assert [each["property"] for each in device["violations"]] == [each["property"] for each in host["violations"]]
    assert (device["device"], device["options"]["gpu"]) == ("this computer", True)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (["--ltl", "[] true", "--fairness", "weak"], "leave out --fairness weak, or --gpu"),
        (["--ltl", "[] true", "--por", "ample"], "without reduction: leave out --por ample, or --gpu"),
        (["--ctl", "AG true"], "no CTL: leave out --gpu"),
    ],
)
def test_what_a_gpu_does_not_do_with_runs_is_refused(
    gpu: Host, asked: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(EXAMPLES / "mailbox.pml"), *asked, "--gpu"]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.usefixtures("no_gpu")
def test_without_a_gpu_one_message_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "no-such-model.pml", "--gpu"]) == 2
    said = capsys.readouterr().err
    assert "there is no GPU here that Mule can use" in said
    assert "leave out --gpu" in said
    assert len(said.strip().splitlines()) == 1


@pytest.mark.usefixtures("no_gpu")
def test_doctor_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"mule", "llvm", "processors", "memory", "disk", "cache", "gpu", "spin", "ray", "spot"}
    assert "no NVIDIA driver" in found["gpu"]
    assert main(["doctor"]) == 0
    assert "processors" in capsys.readouterr().out


def test_a_program_that_ends_early_waits_for_the_gpu_to_open() -> None:
    program = (
        "import time, mule.gpu.driver as driver\n"
        "driver._Driver = lambda: None\n"
        "driver.Gpu = lambda _: (time.sleep(0.5), print('opened'))\n"
        "driver.opening()\n"
        "print('ended')"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout.split() == ["ended", "opened"], ran.stderr


def test_nothing_of_it_is_imported_unless_asked_for() -> None:
    program = (
        "import sys; from mule.cli.main import main; "
        f"main(['check', {str(EXAMPLES / 'peterson.dve')!r}]); "
        "sys.exit(any(name.startswith('mule.gpu') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True).returncode == 0
