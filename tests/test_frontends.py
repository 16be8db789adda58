"""Which front end reads a file: told by its extension, else by its content, else by the user."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mule.errors import MuleError, Place
from mule.frontends import language_of, load, load_text

DVE = "// no proctype here\nprocess P { state s; init s; }\nsystem async;"


@pytest.mark.parametrize("extension", [".pml", ".prm", ".pr", ".promela", ".spin", ".pm", ".PML"])
def test_extensions_of_promela(extension: str) -> None:
    assert language_of(f"model{extension}", "") == "promela"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("active proctype P() { skip }", "promela"),
        ("byte x;\ninit { x = 1 }", "promela"),
        ("mtype = { a };\nproctype P() { skip }", "promela"),
        (DVE, "dve"),
        ("process P { state a; init a; trans a -> a { }; }\n\nsystem sync;", "dve"),
    ],
)
def test_without_a_known_extension_the_content_tells(text: str, language: str) -> None:
    assert language_of("model", text) == language
    assert language_of("model.txt", text) == language


def test_a_known_extension_has_the_last_word() -> None:
    assert language_of("model.dve", "active proctype P() { skip }") == "dve"


def test_neither_tells() -> None:
    with pytest.raises(
        MuleError, match=r"^model.txt: cannot tell the language from the extension .txt: expected one of"
    ):
        language_of("model.txt", "/* proctype */ byte x;")


def test_a_program_in_python_is_told_what_a_model_imports() -> None:
    with pytest.raises(MuleError, match=r"^fetch.py: a model in Python imports what it needs from mule.processes"):
        language_of("fetch.py", "import asyncio\n\nasyncio.run(main())\n")


def test_a_language_without_a_preprocessor_takes_no_definitions(tmp_path: Path, mule_command: Any) -> None:
    file = tmp_path / "model.dve"
    file.write_text(DVE)
    with pytest.raises(MuleError, match=r"cannot define N=3 \(-D\): dve has no preprocessor"):
        load(file, defines=["N=3"])
    assert mule_command("explore", str(file), "-D", "N=3") == 2
    assert mule_command("explore", str(file), "--as-written", "--json") == 0


@pytest.fixture
def mule_command() -> Any:
    from mule.cli.main import main

    return lambda *arguments: main(arguments)


def test_what_is_wrong_with_a_model_as_a_whole_names_its_file() -> None:
    text = "active proctype A() { enabled(1) -> skip }\nactive proctype B() { enabled(0) -> skip }"
    with pytest.raises(MuleError, match="depends on whether it is enabled") as caught:
        load_text(text, "both.pml")
    assert caught.value.place == Place("both.pml")
