"""Breadth-first searches that go on with disk where the memory is full."""

from __future__ import annotations

import os
import subprocess
import sys
from math import isclose
from pathlib import Path
from typing import Any

import pytest

import mule
from mule.errors import MuleError
from mule.memory import available_memory
from mule.scratch import spill_directory
from tests.engine.test_lossy_stores import counters

MEMORY = 2**21


def round_counters(limit: int) -> mule.System:
    """Three counters that count round and round: edges lead back to the oldest states."""
    process = """
process P{0} {{
  byte x = 0;
  state s; init s;
  trans s -> s {{ effect x = (x + 1) % {1}; }};
}}
"""
    parts = [process.format(number, limit) for number in range(3)]
    return mule.loads("".join(parts) + "system async;\n", "dve")


def test_a_model_three_times_larger_than_the_memory_has_the_right_counts() -> None:
    model = round_counters(90)
    found = model.explore(por="none", as_written=True, memory=MEMORY)
    assert found.stopped is None
    assert (found.states, found.transitions, found.statistics.depth) == (90**3, 3 * 90**3, 3 * 89)
    assert found.statistics.memory_bytes < MEMORY
    assert found.statistics.disk_bytes > 2 * MEMORY


def test_large_states_go_to_disk_as_the_tuples_of_their_components() -> None:
    process = """
process P{0} {{
  byte x[9] = {{0, 0, 0, 0, 0, 0, 0, 0, 0}};
  byte i = 0;
  state s; init s;
  trans s -> s {{ effect x[i] = (x[i] + 131) % 251, i = (i + 1) % 9; }};
}}
"""
    model = mule.loads("".join(process.format(number) for number in range(6)) + "system async;\n", "dve")
    limits: dict[str, Any] = {"por": "none", "as_written": True, "max_states": 120_000}
    expected = model.explore(**limits)
    found = model.explore(**limits, memory=6 * MEMORY)
    assert found.statistics.disk_bytes > 0
    assert (found.stopped, found.states, found.statistics.depth) == ("states", 120_000, expected.statistics.depth)


def test_a_trail_leads_through_states_on_disk() -> None:
    result = round_counters(80).check(
        invariant="P0->x + P1->x + P2->x < 3 * 79",
        search="bfs",
        por="none",
        memory=MEMORY,
    )
    assert result.violation is not None
    assert result.statistics.disk_bytes > 0
    assert result.violation.shortest
    assert len(result.violation.trail) == 3 * 79


@pytest.mark.parametrize("por", ["deletion", "ample"])
def test_with_reduction_the_verdicts_are_the_same(por: str) -> None:
    result = counters(7, 6).check(
        invariant="x[0] + x[1] + x[2] < 18", search="bfs", por=por, proviso="duplicate", memory=MEMORY, as_written=True
    )
    assert result.violated


def test_an_array_of_bits_leaves_out_about_as_many_states_as_it_says() -> None:
    found = counters(7, 6).explore(por="none", as_written=True, store="bitstate", memory=MEMORY)
    assert found.stopped == "omissions"
    assert found.omissions is not None
    assert found.omissions.hash_factor is not None
    assert 14 < found.omissions.hash_factor < 17
    assert isclose(found.omissions.expected, 7**7 - found.states, rel_tol=0.25)
    assert found.omissions.probability > 0.999


def test_depth_first_searches_stop_and_say_what_goes_on() -> None:
    found = round_counters(90).explore(por="none", as_written=True, search="dfs", memory=MEMORY)
    assert found.stopped == "memory"
    assert any("--search bfs" in note for note in found.notes)


FULL_DISK = """
import resource, sys
import mule
from tests.engine.test_spilling import MEMORY, round_counters
resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))
found = round_counters(90).explore(por="none", as_written=True, memory=MEMORY)
print(found.stopped, 0 < found.states < 90**3)
"""


def test_a_full_disk_ends_the_search_with_what_it_knows() -> None:
    done = subprocess.run([sys.executable, "-c", FULL_DISK], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("disk True\n", "")


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    found = round_counters(90).explore(por="none", as_written=True, memory=MEMORY, spill=str(tmp_path))
    assert found.statistics.disk_bytes > 0
    assert not list(tmp_path.iterdir())


def test_the_directory_must_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for wrong in ("file", "missing"):
        with pytest.raises(MuleError, match="no directory in which files can be made"):
            round_counters(3).explore(spill=str(tmp_path / wrong))
    with pytest.raises(MuleError, match=r"--spill .* has no effect"):
        round_counters(3).explore(search="dfs", spill=str(tmp_path))


def test_files_in_memory_save_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/dev/shm")
    assert spill_directory(None) != "/dev/shm"


def test_the_limit_is_what_machine_and_control_groups_have_left(tmp_path: Path) -> None:
    def write(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    write("proc/meminfo", "MemTotal: 4000000 kB\nMemAvailable: 2000000 kB\n")
    assert available_memory(tmp_path) == int(2_000_000 * 1024 * 0.85)
    write("proc/self/cgroup", "0::/outer/inner\n")
    write("sys/fs/cgroup/outer/memory.max", str(10**9))
    write("sys/fs/cgroup/outer/memory.current", str(4 * 10**8))
    write("sys/fs/cgroup/outer/memory.stat", f"anon 7\ninactive_file {10**8}\n")
    write("sys/fs/cgroup/outer/inner/memory.max", "max\n")
    write("sys/fs/cgroup/outer/inner/memory.current", "5\n")
    assert available_memory(tmp_path) == int(7 * 10**8 * 0.85)
    write("proc/self/cgroup", "5:cpu,memory:/group\n1:name=systemd:/\n")
    write("sys/fs/cgroup/memory/group/memory.limit_in_bytes", str(5 * 10**8))
    write("sys/fs/cgroup/memory/group/memory.usage_in_bytes", str(10**8))
    assert available_memory(tmp_path) == int(4 * 10**8 * 0.85)


def test_a_limit_on_the_address_space_counts() -> None:
    code = "import resource\nresource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
    code += "from mule.memory import available_memory\nprint(available_memory() < 2**30)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True)
    assert done.stdout == "True\n"
