"""A local cluster whose own processes are killed, and what is left of it at the end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mule.options import Options

pytest.importorskip("ray", reason="Ray is not installed: pip install 'mule-checker[cluster]'")

from mule.cluster.connection import _descendants

pytestmark = pytest.mark.slow

ENDLESS = "byte a, b, c, d;\n" + "\n".join(
    f"process P{name} {{ state s; init s; trans s -> s {{ effect {name} = {name} + 1; }}; }}" for name in "abcd"
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """With a short name: Ray makes sockets in it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        yield Path(name)
        while _started:
            _started.pop().kill()


_started: list[subprocess.Popen[str]] = []
"""What a test that fails would leave."""


def _explore(folder: Path, *options: str) -> subprocess.Popen[str]:
    model = folder / "endless.dve"
    model.write_text(ENDLESS + "\nsystem async;\n")
    (folder / "temporary").mkdir()
    command = [sys.executable, "-m", "mule", "explore", str(model), "--por", "none", "--cluster", "local:2", *options]
    environment = os.environ | {"TMPDIR": str(folder / "temporary")}
    _started.append(
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    )
    return _started[-1]


def _process(command: subprocess.Popen[str], word: str) -> int | None:
    for process in _descendants(command.pid):
        try:
            if word in Path(f"/proc/{process}/cmdline").read_text():
                return process
        except OSError:
            continue
    return None


@pytest.mark.parametrize(
    ("name", "told"), [("gcs_server", "does not answer any more"), ("raylet/raylet", "has no machine any more")]
)
def test_a_cluster_that_is_gone_is_no_violation(folder: Path, name: str, told: str) -> None:
    """Ray would end the program with status 1, or wait for ever."""
    command = _explore(folder, "--checkpoint", str(folder / "run"), "--checkpoint-every", "1")
    while not list((folder / "run").glob("*.cut")):
        assert command.poll() is None, command.communicate()
        time.sleep(0.1)
    process = _process(command, name)
    assert process is not None
    os.kill(process, signal.SIGKILL)
    out, problem = command.communicate(timeout=300)
    assert (command.returncode, out) == (2, "")
    assert f"the Ray cluster local:2 {told}" in problem
    assert list((folder / "temporary").iterdir()) == []


@pytest.mark.parametrize("lost", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_that_is_lost_or_stands_still_is_replaced(folder: Path, lost: signal.Signals) -> None:
    """Ray would print it to standard output, and wait for the one that stands still."""
    command = _explore(folder, "--checkpoint", str(folder / "run"), "--max-states", "20000000", "--json")
    while (process := _process(command, "ray::Worker")) is None:
        assert command.poll() is None, command.communicate()
        time.sleep(0.1)
    time.sleep(4)
    os.kill(process, lost)
    out, problem = command.communicate(timeout=300)
    assert (json.loads(out)["stopped"], problem) == ("states", "")


def test_a_local_cluster_leaves_no_file_behind(folder: Path) -> None:
    command = _explore(folder, "--max-states", "100")
    command.communicate(timeout=300)
    assert command.returncode == 3
    assert list((folder / "temporary").iterdir()) == []


def test_a_host_whose_name_begins_with_local_is_an_address() -> None:
    assert Options(cluster="localhost:6379").local_workers is None
