"""Compiling a process takes no longer than its paths need."""

from __future__ import annotations

import ast

import pytest

from mule.frontends import load_text

BRANCHES = 6
TEXT = (
    "from mule.processes import *\n"
    "class S(Shared):\n    a: int = 0\n    b: int = 0\n"
    "async def work(s):\n    await pause()\n"
    + "".join(f"    if s.a == {n}: s.b = {n}\n" for n in range(BRANCHES))
    + "async def count(s):\n    while s.a < 9:\n        await pause()\n        s.a += 1\n"
    "def system():\n    s = S()\n    return System([work(s), count(s)])\n"
)


def test_a_statement_is_put_into_words_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    unparse = ast.unparse

    def counted(node: ast.AST) -> str:
        asked.append(id(node))
        return unparse(node)

    monkeypatch.setattr(ast, "unparse", counted)
    model = load_text(TEXT, "m.py")
    assert len(model.transitions) > BRANCHES
    assert len(asked) < 40
