"""Every page of the documentation, followed to the letter: what it says to type runs, and prints what it shows."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name

import pytest

from mule.cli.completion import command_lines
from mule.cli.main import COMMANDS, USAGE, parser_of
from tests.docs import reader
from tests.docs.blocks import COMMENT, Code, Command, Script, blocks
from tests.docs.reader import INSTEAD, NOT_HERE, STANDS_FOR, NotSoError, Reader, is_synopsis, why_not_here

pytestmark = pytest.mark.slow

PAGES = {path.name: path.read_text() for path in reader.PAGES}
RUN_IN_TEXT = ("coming-from.md",)
"""On these pages the commands in the text, and in its tables, are complete: they run as well."""
BEFORE = {"coming-from.md": ["mule check m.dve --json > found.json"]}
"""What somebody has done before."""
IN_TEXT = re.compile(r"`((?:mule|python -m tests\.)[^`\n]*)`")
OPTIONS = {line.command: {name for each in line.options for name in each.names} for line in command_lines()}


def commands_of(name: str) -> list[Code | Command | Script]:
    page = PAGES[name]
    found = list(blocks(page))
    if name in RUN_IN_TEXT:
        found += [Command(text, 0) for text in [*BEFORE[name], *dict.fromkeys(in_text(page))]]
    return found


def in_help() -> list[Command]:
    """The examples that --help shows."""
    texts = [USAGE, *(import_module(f"mule.cli.{name}").DESCRIPTION for name in COMMANDS)]
    lines = (line for text in texts for line in re.findall(r"^  (mule .*)$", text.replace("\\\n", ""), re.MULTILINE))
    return [Command(COMMENT.sub("", line), 0) for line in lines if "COMMAND" not in line and "--version" not in line]


def test_the_examples_of_help_run(tmp_path: Path) -> None:
    person = Reader(tmp_path, "help")
    assert len(in_help()) > 25
    for command in in_help():
        require_known(command.text.split(" | ")[0])
        try:
            person.run(command)
        except NotSoError as problem:
            pytest.fail(f"{command.text}: {problem}")


def in_text(page: str) -> list[str]:
    prose = re.sub(r"^```.*?^```$|^    .*?$", "", page, flags=re.MULTILINE | re.DOTALL)
    return [text.replace("\\|", "|") for text in IN_TEXT.findall(prose)]


RUNNING = [name for name in PAGES if any(not isinstance(block, Code) for block in commands_of(name))]


@pytest.mark.parametrize("name", RUNNING)
def test_what_a_page_says_to_type_runs_and_prints_what_it_shows(name: str, tmp_path: Path) -> None:
    person = Reader(tmp_path, name)
    for block in commands_of(name):
        if isinstance(block, Code):
            person.write(block)
        elif isinstance(block, Script):
            person.execute(block)
        elif not is_synopsis(block.text):
            try:
                printed = person.run(block)
            except NotSoError as problem:
                pytest.fail(f"line {block.line}: {block.text}: {problem}")
            if printed is not None and block.output:
                assert block.matches(printed), f"line {block.line}: {block.text} prints\n" + "\n".join(printed)


@pytest.mark.parametrize("name", PAGES)
def test_every_command_that_is_named_exists(name: str) -> None:
    """Those that do not run here, too, and those in the text that are no whole commands."""
    shown = [block.text for block in blocks(PAGES[name]) if isinstance(block, Command)]
    for text in [*shown, *in_text(PAGES[name])]:
        for part in re.split(r" && | \| ", text):
            require_known(part)


def require_known(text: str) -> None:
    if module := re.search(r"python -m (tests\.[\w.]+)(.*)", text):
        spec = find_spec(module[1])
        assert spec is not None, text
        assert spec.origin is not None
        source = Path(spec.origin).read_text()
        assert all(option in source for option in re.findall(r"--[\w-]+", module[2])), text
    elif text.startswith("mule "):
        named = re.match(r"mule ([a-z]+)\b", text)
        options = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", re.sub(r"'[^']*'", "", text)))
        if named is None:
            assert options <= {"--help", "--version"}, text
            return
        if named[1] == "help":
            assert not options, text
            return
        assert named[1] in COMMANDS, text
        assert options <= OPTIONS[named[1]] | {"--help"}, text


def test_a_run_that_was_not_begun_does_not_go_on(tmp_path: Path) -> None:
    """As where the models of its first command are not beside the checkout."""
    person = Reader(tmp_path, "a page")
    assert person.run(Command("mule explore m.dve --cluster local:2 --checkpoint run", 0)) is None
    assert person.run(Command("mule explore --resume run", 0)) is None


NAMED = re.compile(r"`(mule(?:\.[a-z_]\w*)+(?:\.\w+)*)")


@pytest.mark.parametrize("page", [name for name, text in PAGES.items() if NAMED.search(text)])
def test_what_is_named_of_the_python_interface_exists(page: str) -> None:
    for name in NAMED.findall(PAGES[page]):
        try:
            resolve_name(name)
        except (AttributeError, ImportError) as error:
            pytest.fail(f"{name}: {error}")


def test_whole_commands_that_do_not_run_here_are_well_formed() -> None:
    for name in PAGES:
        for block in blocks(PAGES[name]):
            if isinstance(block, Command) and block.text.startswith("mule ") and not is_synopsis(block.text):
                words = shlex.split(re.split(r" [|>] ", block.text)[0])[1:]
                if why_not_here(block.text) is not None:
                    parser_of(words[0]).parse_args(words[1:])


def test_the_lists_of_exceptions_have_no_entry_too_many() -> None:
    shown = [block.text for name in PAGES for block in commands_of(name) if isinstance(block, Command)]
    for text in INSTEAD:
        assert text in shown, text
    for pattern in NOT_HERE:
        assert any(re.search(pattern, text) for text in shown), pattern
    for word in STANDS_FOR:
        assert any(word in text.split() for text in shown), word


def test_no_page_shows_output_without_the_command() -> None:
    for name, page in PAGES.items():
        lines = page.splitlines()
        covered = {
            block.first + number
            for block in blocks(page)
            if isinstance(block, Command)
            for number in range(len(block.output))
        }
        for number, line in enumerate(lines, 1):
            assert number in covered or not re.match(r"(    |)(✓|✗|\?|mule:) ", line), f"{name}:{number}: {line}"


def test_every_block_of_the_tutorial_is_written_or_run() -> None:
    page = PAGES["tutorial.md"]
    fences = re.findall(r"^```(\S+)(?: (\S+))?$", page, re.MULTILINE)
    assert all(kind == "console" or file for kind, file in fences)
    outputs = [block.output for block in blocks(page) if isinstance(block, Command) and block.output]
    verdicts = [output[0].split()[1] for output in outputs if output[0].startswith(("✗", "✓"))]
    assert verdicts[0] == "violated"
    assert "holds" in verdicts
