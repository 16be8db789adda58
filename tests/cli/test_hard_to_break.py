"""Whatever goes wrong around a command: the exit status says what is known about the model, and nothing else does."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mule import load_graph
from mule.checkpoints import read_run, write_run
from mule.codegen import cache, compile_model
from mule.files import written_whole
from mule.model import Model
from mule.records import replace
from tests.cli.conftest import Mule
from tests.graph.archives import edited, header_of, parts_of, rewritten

ENDS = "import sys\nimport mule.actors\nsys.exit(0)\n"
PLANTED = "from pathlib import Path\nimport mule.actors\nPath({mark!r}).write_text('was run')\n"


def shell(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    line = command.replace("mule ", f"{sys.executable} -m mule ", 1)
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"], cwd=cwd, capture_output=True, text=True, timeout=60
    )


# what escapes


def test_a_defect_of_mule_is_no_verdict(mule: Mule, examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> int:
        raise TypeError("something\nof several lines")

    monkeypatch.setattr(sys.modules["mule.cli.main"], "_run", broken)
    told = mule("check", str(examples / "peterson.dve"))
    assert told.status == 4
    assert told.err.count("\n") == 1
    assert "TypeError: something of several lines" in told.err
    assert "report" in told.err
    assert "Traceback" in mule("check", "x.dve", "--debug").err


def test_a_model_that_ends_the_program_is_bad_input(mule: Mule, tmp_path: Path) -> None:
    model = tmp_path / "ends.py"
    model.write_text(ENDS)
    told = mule("check", str(model))
    assert told.status == 2
    assert "SystemExit" in told.err


def test_relations_that_end_the_program_are_bad_input(mule: Mule, examples: Path, tmp_path: Path) -> None:
    relations = tmp_path / "ends.py"
    relations.write_text("import sys\nsys.exit(0)\n")
    told = mule("check", str(examples / "peterson.dve"), "--por", "lpor", "--lpor", f"{relations}:Any")
    assert told.status == 2
    assert "SystemExit" in told.err


def test_out_of_memory_is_no_verdict(mule: Mule, monkeypatch: pytest.MonkeyPatch) -> None:
    def hungry(*_: object) -> int:
        raise MemoryError

    monkeypatch.setattr(sys.modules["mule.cli.main"], "_run", hungry)
    assert mule("check", "x.dve").status == 3


def test_a_cluster_without_ray_is_bad_usage(mule: Mule, examples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    told = mule("check", str(examples / "peterson.dve"), "--cluster", "local:2")
    assert told.status == 2
    assert "a cluster needs Ray" in told.err


# where the words go


@pytest.mark.parametrize("model", [("peterson", 0), ("broken_mutex", 1)])
@pytest.mark.parametrize("output", [">/dev/full", ">&-", "2>&-", ">/dev/full 2>&1", "--json >/dev/full"])
def test_the_status_is_that_of_the_verdict(model: tuple[str, int], output: str, examples: Path) -> None:
    name, status = model
    assert shell(f"mule check {name}.dve {output}", examples).returncode == status


@pytest.mark.parametrize(
    "command", ["check peterson.dve", "show peterson.dve", "check broken_mutex.dve --json", "relations peterson.dve"]
)
def test_nobody_reads(command: str, examples: Path) -> None:
    told = shell(f"mule {command} | true", examples)
    assert told.returncode in (0, 1, 141)
    assert told.stderr == ""


def test_a_full_device_is_told(examples: Path) -> None:
    assert "could not be written: No space left" in shell("mule check peterson.dve >/dev/full", examples).stderr


# signals


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_search_with_what_is_known(number: int, status: int, tmp_path: Path) -> None:
    model = tmp_path / "large.dve"
    names = ", ".join(f"x{i}" for i in range(8))
    turns = "\n".join(
        f"process P{i} {{ state a; init a; trans a -> a {{ effect x{i} = (x{i} + 1) % 200; }}; }}" for i in range(8)
    )
    model.write_text(f"byte {names};\n{turns}\nsystem async;\n")
    command = [sys.executable, "-m", "mule", "check", str(model), "--por", "none", "--as-written"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(3)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == status, err
    assert "incomplete" in out
    assert "Traceback" not in err


# files from strangers


@pytest.mark.parametrize("name", ["model.txt", "model", "model.dve.bak"])
@pytest.mark.parametrize("command", ["check", "show"])
def test_a_program_is_not_run_unless_its_name_says_python(mule: Mule, tmp_path: Path, name: str, command: str) -> None:
    mark = tmp_path / "mark"
    (tmp_path / name).write_text(PLANTED.format(mark=str(mark)))
    told = mule(command, str(tmp_path / name))
    assert told.status == 2
    assert "--language actors" in told.err
    assert not mark.exists()


OBSERVED = {"peterson": "left.critical", "register": "Writer.writing"}


def saved(mule: Mule, model: Path, path: Path) -> Path:
    told = mule("explore", str(model), "--preserve", "ctl", "--observe", OBSERVED[model.stem], "--save", str(path))
    assert told.status == 0, told.err
    return path


def test_a_graph_of_a_program_has_no_program_in_it(mule: Mule, tmp_path: Path, examples: Path) -> None:
    graph = saved(mule, examples / "register.py", tmp_path / "a.mule-graph")
    content = b"".join(parts_of(graph).values())
    assert b"import" not in content
    assert b"def " not in content
    assert load_graph(graph).graph.statistics.states > 1


@pytest.mark.parametrize("form", ["program", "data"])
def test_a_graph_cannot_be_made_to_run_a_program(mule: Mule, tmp_path: Path, examples: Path, form: str) -> None:
    """Not even where its header is changed so that its model would be one."""
    mark = tmp_path / "mark"
    graph = saved(mule, examples / "peterson.dve", tmp_path / "a.mule-graph")
    program = PLANTED.format(mark=str(mark))
    planted = program if form == "program" else json.dumps([program, ["exec", 0], ["tuple", 1, 0]])
    rewritten(graph, model=planted.encode())
    edited(graph, source={**header_of(graph)["source"], "language": "actors"})  # type: ignore[dict-item]
    told = mule("check", str(graph), "--ctl", "AG true")
    assert told.status == 2
    assert "damaged" in told.err
    assert not mark.exists()


@pytest.mark.parametrize("part", ["letters", "targets", "model"])
def test_a_changed_graph_is_refused(mule: Mule, tmp_path: Path, examples: Path, part: str) -> None:
    graph = saved(mule, examples / "peterson.dve", tmp_path / "a.mule-graph")
    rewritten(graph, **{part: bytes(len(parts_of(graph)[part]))})
    told = mule("check", str(graph), "--ctl", "AG true")
    assert told.status == 2
    assert "damaged" in told.err


def test_an_archive_that_unpacks_to_more_than_there_is_memory(
    mule: Mule, tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = saved(mule, examples / "peterson.dve", tmp_path / "a.mule-graph")
    monkeypatch.setattr("mule.graph.file.available_memory", lambda: 2**20)
    rewritten(graph, letters=bytes(2**21))
    assert graph.stat().st_size < 2**14
    told = mule("check", str(graph), "--ctl", "AG true")
    assert told.status == 2
    assert "there are not as many" in told.err


# what is written


def test_a_link_in_the_way_is_replaced_and_not_followed(mule: Mule, tmp_path: Path, examples: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("keep me")
    link = tmp_path / "a.mule-graph"
    link.symlink_to(precious)
    saved(mule, examples / "peterson.dve", link)
    assert precious.read_text() == "keep me"
    assert not link.is_symlink()


def test_a_device_in_the_way_is_refused(mule: Mule, tmp_path: Path, examples: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    asked = ("--preserve", "ctl", "--observe", "left.critical", "--save", str(pipe))
    told = mule("explore", str(examples / "peterson.dve"), *asked)
    assert told.status == 2
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def saved_trail(mule: Mule, examples: Path, folder: Path) -> Path:
    path = folder / "found.json"
    path.write_text(mule("check", str(examples / "broken_mutex.dve"), "--json").out)
    return path


def test_a_link_in_the_way_of_a_trail_is_not_followed(mule: Mule, tmp_path: Path, examples: Path) -> None:
    found, precious, link = saved_trail(mule, examples, tmp_path), tmp_path / "precious", tmp_path / "again.json"
    precious.write_text("keep me")
    link.symlink_to(precious)
    model = str(examples / "broken_mutex.dve")
    assert mule("trail", model, str(found), "-o", str(link)).status == 1
    assert precious.read_text() == "keep me"
    assert mule("trail", model, str(link)).status == 1


def test_a_device_in_the_way_of_a_trail_is_refused(mule: Mule, tmp_path: Path, examples: Path) -> None:
    found = saved_trail(mule, examples, tmp_path)
    told = mule("trail", str(examples / "broken_mutex.dve"), str(found), "-o", "/dev/null")
    assert told.status == 2
    assert "something else than a file" in told.err
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_link_in_the_way_of_a_report_is_not_followed(mule: Mule, tmp_path: Path, examples: Path) -> None:
    precious, link = tmp_path / "precious", tmp_path / "report.html"
    precious.write_text("keep me")
    link.symlink_to(precious)
    assert mule("check", str(examples / "broken_mutex.dve"), "--report", str(link)).status == 1
    assert precious.read_text() == "keep me"
    assert not link.is_symlink()


def test_nothing_is_left_of_what_is_not_finished(tmp_path: Path) -> None:
    def interrupted() -> None:
        with written_whole(tmp_path / "x") as file:
            file.write(b"half of it")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []


# the cache


MODEL = Model("m", "test", (), (), ())


def optimised_code(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory.mkdir(mode=0o700)
    monkeypatch.setenv("MULE_CACHE_DIR", str(directory))
    compile_model(MODEL, []).code.optimise()
    (file,) = directory.glob("*.o")
    return file


def test_a_planted_file_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be run if it were signed; only who can read the secret can do that."""
    ours = optimised_code(tmp_path / "ours", monkeypatch)
    theirs = optimised_code(tmp_path / "theirs", monkeypatch)
    monkeypatch.setenv("MULE_CACHE_DIR", str(tmp_path / "ours"))
    assert compile_model(MODEL, []).code.optimised
    ours.write_bytes(theirs.read_bytes())
    assert not compile_model(MODEL, []).code.optimised


def test_code_under_another_name_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = optimised_code(tmp_path / "ours", monkeypatch)
    ours.rename(ours.with_name(f"{'0' * 64}.o"))
    assert cache.read("0" * 64) is None


def test_a_folder_that_others_can_write_to_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ours = optimised_code(tmp_path / "ours", monkeypatch)
    ours.parent.chmod(0o777)
    for _ in range(2):
        assert not compile_model(MODEL, []).code.optimised
    assert len([record for record in caplog.records if "is not used" in record.getMessage()]) == 1
    ours.parent.chmod(0o700)
    assert compile_model(MODEL, []).code.optimised


def test_a_secret_that_others_can_read_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = optimised_code(tmp_path / "ours", monkeypatch)
    (ours.parent / ".secret").chmod(0o644)
    assert not compile_model(MODEL, []).code.optimised


def test_a_new_cache_is_private_and_left_over_files_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = tmp_path / "new" / "cache"
    monkeypatch.setenv("MULE_CACHE_DIR", str(directory))
    cache.write("key", b"code")
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    left = directory / "tmpabc.part"
    left.write_bytes(b"half")
    os.utime(left, (0, 0))
    cache.write("key", b"code")
    assert not left.exists()
    assert cache.read("key") == b"code"


# runs that are resumed


def stopped_run(mule: Mule, model: Path, directory: Path, *options: str) -> str:
    told = mule("explore", str(model), "--max-states", "2", "--checkpoint", str(directory), *options)
    assert told.status == 3, told.err
    return " ".join(told.out.split())


def test_a_run_of_a_program_goes_on_only_for_who_trusts_it(mule: Mule, tmp_path: Path, examples: Path) -> None:
    told = stopped_run(mule, examples / "register.py", tmp_path / "run")
    assert "--language actors" in told
    refused = mule("explore", "--resume", str(tmp_path / "run"), "--max-states", "100000")
    assert refused.status == 2
    assert "--language actors" in refused.err
    trusted = ("--language", "actors", "--max-states", "100000")
    assert mule("explore", "--resume", str(tmp_path / "run"), *trusted).status == 0


def test_a_run_cannot_be_made_to_run_a_program(mule: Mule, tmp_path: Path, examples: Path) -> None:
    """Its checksum shows damage, not who wrote it."""
    directory, mark = tmp_path / "run", tmp_path / "mark"
    stopped_run(mule, examples / "peterson.dve", directory)
    written = read_run(directory, "explore")
    source = replace(written.recipe.source, language="actors", text=PLANTED.format(mark=str(mark)))
    write_run(directory, replace(written, recipe=replace(written.recipe, source=source)))
    assert mule("explore", "--resume", str(directory)).status == 2
    assert not mark.exists()


def test_relations_of_a_run_are_not_run_unless_they_are_named(mule: Mule, tmp_path: Path, examples: Path) -> None:
    directory, mark, relations = tmp_path / "run", tmp_path / "mark", tmp_path / "planted.py"
    stopped_run(mule, examples / "peterson.dve", directory)
    relations.write_text(PLANTED.format(mark=str(mark)))
    written = read_run(directory, "explore")
    planted = {**written.options, "por": "lpor", "lpor": f"{relations}:Any"}
    write_run(directory, replace(written, options=planted))
    told = mule("explore", "--resume", str(directory))
    assert told.status == 2
    assert "--lpor" in told.err
    assert not mark.exists()


def test_a_cluster_of_a_run_is_not_spoken_to_unless_it_is_named(mule: Mule, tmp_path: Path, examples: Path) -> None:
    """Ray runs what comes back."""
    directory = tmp_path / "run"
    stopped_run(mule, examples / "peterson.dve", directory)
    written = read_run(directory, "explore")
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        stranger.settimeout(0.1)
        address = f"127.0.0.1:{stranger.getsockname()[1]}"
        write_run(directory, replace(written, options={**written.options, "cluster": address}))
        told = mule("explore", "--resume", str(directory))
        with pytest.raises(TimeoutError):
            stranger.accept()
    assert told.status == 2
    assert f"say --cluster {address}" in told.err


def test_a_run_whose_end_cannot_be_written_has_the_status_of_its_verdict(
    mule: Mule, tmp_path: Path, examples: Path
) -> None:
    directory = tmp_path / "run"
    stopped_run(mule, examples / "peterson.dve", directory)
    command = ["explore", "--resume", str(directory), "--max-states", "100000"]
    limited = ["bash", "-c", 'ulimit -f 0; exec "$@"', "bash", sys.executable, "-m", "mule", *command]
    told = subprocess.run(limited, capture_output=True, text=True, check=False)
    assert told.returncode == 0
    assert "explored" in told.stdout
    assert "the run has come to its end, but its files stay" in told.stderr


def test_a_link_in_the_way_of_a_checkpoint_is_not_followed(mule: Mule, tmp_path: Path, examples: Path) -> None:
    directory, precious = tmp_path / "run", tmp_path / "precious"
    stopped_run(mule, examples / "peterson.dve", directory)
    precious.write_text("keep me")
    (directory / "run.json.tmp").symlink_to(precious)
    assert mule("explore", "--resume", str(directory), "--max-states", "100000").status == 0
    assert precious.read_text() == "keep me"
