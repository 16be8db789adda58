"""Who gets an answer from the explorer: its own page, with the token, on this machine; nobody else, and no file."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mule.explorer.server import ExplorerServer
from mule.explorer.walk import Walk
from mule.frontends import load

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def server() -> Iterator[ExplorerServer]:
    with ExplorerServer(Walk(load(str(EXAMPLES / "philosophers.dve")))) as started:
        threading.Thread(target=started.serve_forever, args=(0.05,), daemon=True).start()
        yield started
        started.shutdown()


def request(
    server: ExplorerServer, method: str, path: str, body: str | None = None, **headers: str
) -> tuple[int, str, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=30)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, given)
    reply = connection.getresponse()
    told = reply.status, reply.read().decode(), dict(reply.getheaders())
    connection.close()
    return told


def ask(server: ExplorerServer, what: str, **question: Any) -> Any:
    kind = {"Content_Type": "application/json"}
    status, text, _ = request(server, "POST", f"/{server.token}/{what}", json.dumps(question), **kind)
    assert status == 200
    return json.loads(text)


def test_room_that_a_translation_had_to_guess_is_no_error() -> None:
    """Mailboxes have room for one message at first; receivers of echo multicast get more."""
    walk = Walk(load(str(EXAMPLES / "echo_multicast.py")))
    node = 0
    while steps := walk.steps(node):
        assert [step.failure for step in steps] == [None] * len(steps)
        node = walk.step(node, steps[0].transition, steps[0].outcome)
    assert walk.nodes[node].depth > 7


def test_it_listens_on_this_machine_alone(server: ExplorerServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


class Counting(socket.socket):
    """Counts what is sent."""

    sent: ClassVar[list[int]] = []

    def send(self, data: Any, flags: int = 0) -> int:
        self.sent.append(len(data))
        return super().send(data, flags)

    def sendall(self, data: Any, flags: int = 0) -> None:
        self.sent.append(len(data))
        super().sendall(data, flags)


def test_an_answer_is_sent_in_one_piece(server: ExplorerServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nagle's algorithm would keep a second one back for 40 ms."""
    accept = server.get_request

    def counted() -> tuple[socket.socket, Any]:
        accepted, address = accept()
        return Counting(fileno=accepted.detach()), address

    monkeypatch.setattr(server, "get_request", counted)
    ask(server, "view", node=0)
    assert len(Counting.sent) == 1


def test_page_and_answers_with_the_token(server: ExplorerServer) -> None:
    status, text, headers = request(server, "GET", f"/{server.token}/")
    assert (status, text.startswith("<!doctype html>")) == (200, True)
    assert headers["Cache-Control"] == "no-store"
    assert ask(server, "view", node=0)["answer"]["depth"] == 0


@pytest.mark.parametrize(
    "path", ["/", "/view", "/wrong/", "/wrong/view", "//", "/../etc/passwd", "/%2e%2e/etc/passwd", ""]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nothing_without_the_token(server: ExplorerServer, method: str, path: str) -> None:
    status, text, _ = request(server, method, path or "/x", "{}", Content_Type="application/json")
    assert (status, text) == (403, "Forbidden")


@pytest.mark.parametrize(
    "rest", ["../etc/passwd", "etc/passwd", "index.html", "../../etc/passwd", "assets/style.css", "view?x"]
)
def test_no_files(server: ExplorerServer, rest: str) -> None:
    for method in ("GET", "POST"):
        status, _, _ = request(server, method, f"/{server.token}/{rest}", "{}", Content_Type="application/json")
        assert status == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Host": "evil.example"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_nothing_for_other_sites(server: ExplorerServer, headers: dict[str, str]) -> None:
    status, _, _ = request(
        server, "POST", f"/{server.token}/view", '{"node": 0}', Content_Type="application/json", **headers
    )
    assert status == 403


@pytest.mark.parametrize("body", ["", "x", "[]", "{}", '{"node": "a"}', '{"node": []}', "1", "null"])
def test_nonsense_is_a_bad_request(server: ExplorerServer, body: str) -> None:
    status, _, _ = request(server, "POST", f"/{server.token}/view", body, Content_Type="application/json")
    assert status == 400


def test_forms_of_other_pages_are_refused(server: ExplorerServer) -> None:
    status, _, _ = request(server, "POST", f"/{server.token}/view", '{"node": 0}', Content_Type="text/plain")
    assert status == 400


def test_other_methods_are_unknown(server: ExplorerServer) -> None:
    for method in ("PUT", "DELETE", "OPTIONS"):
        assert request(server, method, f"/{server.token}/")[0] == 501


def test_problems_are_told(server: ExplorerServer) -> None:
    assert ask(server, "view", node=10**9) == {"problem": "there is no such state on this walk"}
    assert ask(server, "step", node=0, transition=1, outcome=0) == {"problem": "this step is not possible here"}
    assert "no run from here" in ask(server, "run", node=0, expression="fork[0] == 7")["problem"]
    assert "problem" in ask(server, "run", node=0, expression="nothing + ")
    assert "problem" in ask(server, "trail", text="{}")


def test_run_to_a_state_and_take_the_path_along(server: ExplorerServer, tmp_path: Path) -> None:
    views = ask(server, "run", node=0, expression="phil_1.eating && phil_3.hungry")["answer"]
    assert [view["depth"] for view in views] == list(range(len(views)))
    assert ["processes", "phil_1", "eating"] in views[-1]["state"]
    exported = ask(server, "export", node=views[-1]["node"])["answer"]
    again = ask(server, "trail", text=json.dumps(exported))["answer"]
    assert [view["node"] for view in again] == [view["node"] for view in views]
    (tmp_path / "path.json").write_text(json.dumps(exported), "utf-8")
    command = [sys.executable, "-m", "mule", "trail", str(EXAMPLES / "philosophers.dve"), str(tmp_path / "path.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "not violated by this run" in done.stdout) == (0, True)


def test_a_trail_of_a_check_is_followed(server: ExplorerServer) -> None:
    command = [sys.executable, "-m", "mule", "check", str(EXAMPLES / "philosophers.dve"), "--json"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    views = ask(server, "trail", text=found)["answer"]
    assert views[-1]["end"] == "a deadlock"


@pytest.mark.parametrize("options", [["--json"], ["--por", "ample"], ["--save", "x"], ["--serve", "70000"]])
def test_options_that_make_no_sense(options: list[str]) -> None:
    command = [sys.executable, "-m", "mule", "explore", str(EXAMPLES / "philosophers.dve"), "--serve", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
