"""The page of the explorer, and its answers: for this machine alone, and for those who have the token."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from mule.errors import MuleError
from mule.explorer.page import explorer_page
from mule.explorer.walk import Walk

ADDRESS = "127.0.0.1"
LONGEST = 64 << 20
"""Bytes of a request: a trail may be long."""
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}

Answer = Callable[[Walk, dict[str, Any]], Any]


class RequestError(Exception):
    def __init__(self, status: HTTPStatus) -> None:
        self.status = status


def _trail(walk: Walk, asked: dict[str, Any]) -> Any:
    from mule.trails.replaying import replay_text

    replayed = replay_text(walk.model, str(asked["text"]), "the trail")
    steps = [(step.transition, step.outcome) for step in replayed.trail.taken if step.failure is None]
    return [walk.view(node) for node in walk.path(walk.follow(0, steps))]


ANSWERS: dict[str, Answer] = {
    "view": lambda walk, asked: walk.view(int(asked["node"])),
    "step": lambda walk, asked: walk.view(walk.step(*(int(asked[key]) for key in ("node", "transition", "outcome")))),
    "run": lambda walk, asked: [
        walk.view(node) for node in walk.path(walk.run_to(int(asked["node"]), str(asked["expression"])))
    ],
    "trail": _trail,
    "export": lambda walk, asked: walk.exported(int(asked["node"])),
}


class ExplorerServer(ThreadingHTTPServer):
    """Serves one walk on the loopback address; every path begins with a token that nobody can guess."""

    daemon_threads = True

    def __init__(self, walk: Walk, port: int = 0) -> None:
        super().__init__((ADDRESS, port), _Handler)
        self.walk = walk
        self.token = secrets.token_urlsafe(24)
        self.turn = threading.Lock()
        """One question at a time: a walk is one person's."""

    @property
    def origin(self) -> str:
        return f"http://{ADDRESS}:{self.server_address[1]}"

    @property
    def address(self) -> str:
        return f"{self.origin}/{self.token}/"


class _Handler(BaseHTTPRequestHandler):
    server: ExplorerServer
    server_version = "mule"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    """An answer is sent in one piece: the second one would wait 40 ms for the first one to be acknowledged."""

    def do_GET(self) -> None:
        self._answered(self._page)

    def do_POST(self) -> None:
        self._answered(self._reply)

    def _answered(self, work: Callable[[], tuple[str, bytes]]) -> None:
        try:
            self._require_own()
            kind, content = work()
            self._send(HTTPStatus.OK, kind, content)
        except RequestError as refused:
            self.close_connection = True
            self._send(refused.status, "text/plain; charset=utf-8", refused.status.phrase.encode())

    def _require_own(self) -> None:
        """Only the page itself asks: another site does not know the token, is of another origin, and whoever lets a
        name of theirs stand for this machine sends that name."""
        headers, own = self.headers, self.server.origin
        if headers.get("Host") != own.removeprefix("http://"):
            raise RequestError(HTTPStatus.FORBIDDEN)
        if headers.get("Origin", own) != own or headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise RequestError(HTTPStatus.FORBIDDEN)
        _, token, *_ = (*self.path.split("/", 2), "")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise RequestError(HTTPStatus.FORBIDDEN)

    def _page(self) -> tuple[str, bytes]:
        if self.path != f"/{self.server.token}/":
            raise RequestError(HTTPStatus.NOT_FOUND)
        with self.server.turn:
            return "text/html; charset=utf-8", explorer_page(self.server.walk).encode()

    def _reply(self) -> tuple[str, bytes]:
        answer = ANSWERS.get(self.path.removeprefix(f"/{self.server.token}/"))
        if answer is None:
            raise RequestError(HTTPStatus.NOT_FOUND)
        length = self.headers.get("Content-Length", "")
        if self.headers.get_content_type() != "application/json" or not (length.isascii() and length.isdigit()):
            raise RequestError(HTTPStatus.BAD_REQUEST)
        if int(length) > LONGEST:
            raise RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        try:
            asked = json.loads(self.rfile.read(int(length)))
            with self.server.turn:
                told: Any = {"answer": answer(self.server.walk, asked)}
        except MuleError as error:
            told = {"problem": str(error)}
        except (ValueError, KeyError, TypeError):
            raise RequestError(HTTPStatus.BAD_REQUEST) from None
        return "application/json", json.dumps(told, ensure_ascii=False).encode()

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *values: object) -> None:
        """The terminal is for the user."""
