"""The documentation as a site: it builds without a warning, and what is made from the code is complete."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tools.docs_site import on_page_markdown, pages

import mule
from mule.cli.completion import command_lines
from tests.docs import figures

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def test_the_site_builds_and_every_link_leads_somewhere(tmp_path: Path) -> None:
    if find_spec("mkdocs") is None or find_spec("material") is None:
        pytest.skip("mkdocs-material is not installed: pip install -e '.[docs]'")
    paths = [str(Path(mule.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "NO_MKDOCS_2_WARNING": "1"}
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    tutorial = (tmp_path / "tutorial.html").read_text()
    assert "```" not in re.sub(r"<script.*?</script>", "", tutorial, flags=re.DOTALL), "a block was taken for text"
    assert "--assertions" in (tmp_path / "reference" / "commands.html").read_text()


def test_every_command_and_option_is_in_the_reference() -> None:
    page = pages()["reference/commands.md"]
    for line in command_lines():
        start = page.index(f"\n## mule {line.command}\n")
        part = page[start : page.find("\n## ", start + 1)] if "\n## " in page[start + 1 :] else page[start:]
        for option in line.options:
            assert all(f"`{name}" in part for name in option.names)


def test_every_public_name_is_in_the_reference() -> None:
    page = pages()["reference/python.md"]
    assert all(f"### mule.{name}\n" in page for name in mule.__all__ if not name.startswith("_"))
    assert {"#### check\n", "#### explore\n", "#### assert_holds\n"} <= set(re.findall(r"#### \w+\n", page))
    assert " object at 0x" not in page, "the same page each time"


def test_a_block_keeps_the_name_of_its_file() -> None:
    assert on_page_markdown("```python lock.py\nx = 1\n```") == '```python title="lock.py"\nx = 1\n```'
    assert on_page_markdown("```console\n$ mule\n```") == "```console\n$ mule\n```"


def test_a_bar_in_the_code_of_a_table_stays_one() -> None:
    assert on_page_markdown(r"| `p \|\| q` | a \| b |") == r"| `p || q` | a \| b |"
    assert on_page_markdown(r"`p \| q`") == r"`p \| q`"


def test_the_table_of_reductions_is_what_a_search_gives() -> None:
    (found,) = figures.PLACE.findall(figures.PAGE.read_text())
    assert found == figures.table()
