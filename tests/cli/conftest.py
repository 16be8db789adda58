"""Commands run in this process, with or without the engine behind them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mule.cli.main import main
from mule.results import Verdict
from tests.cli.tiny_results import one_step_model, tiny_result


@dataclass(frozen=True)
class Run:
    status: int
    out: str
    err: str


Mule = Callable[..., Run]


@pytest.fixture
def mule(capsys: pytest.CaptureFixture[str]) -> Mule:
    def run(*arguments: str) -> Run:
        status = main(arguments)
        captured = capsys.readouterr()
        return Run(status, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def examples() -> Path:
    return Path(__file__).parents[2] / "examples"


@dataclass
class FakeChecking:
    """Stands in for the engine: remembers how it was called and answers what a test wants."""

    answer: Callable[[Callable[[Any], bool]], Any]
    calls: list[tuple[Any, ...]]


@pytest.fixture
def checking(monkeypatch: pytest.MonkeyPatch) -> FakeChecking:
    fake = FakeChecking(lambda progress: tiny_result(Verdict.HOLDS), [])

    def called(name: str) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            fake.calls.append((name, *arguments))
            return fake.answer(arguments[-1])

        return run

    def fake_module(name: str, **members: Any) -> None:
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)

    fake_module("mule.checking", check=called("check"), explore=called("explore"))
    fake_module("mule.comparison", compare=called("compare"))
    fake_module("mule.validation", validate=called("validate"))
    monkeypatch.setattr("mule.frontends.load", lambda path, language, defines, processes: one_step_model())
    return fake
