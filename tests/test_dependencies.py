"""The versions that Mule allows are those that are tested."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
ALLOWED = re.compile(r"(?P<name>[\w-]+)>=(?P<least>[\d.]+),<(?P<below>[\d.]+)")
NEEDED = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["spot"]]
OTHERS = [*PROJECT["project"]["optional-dependencies"]["cluster"], *PROJECT["build-system"]["requires"]]


def numbers(text: str) -> tuple[int, ...]:
    """Without zeros at the end: 13 is 13.0.0."""
    found = [int(part) for part in re.findall(r"\d+", text)]
    while found and found[-1] == 0:
        found.pop()
    return tuple(found)


@pytest.mark.parametrize("needed", [*NEEDED, *OTHERS])
def test_every_dependency_has_both_bounds(needed: str) -> None:
    match = ALLOWED.match(needed)
    assert match is not None
    assert numbers(match["least"]) < numbers(match["below"])


def test_the_oldest_versions_are_those_that_are_allowed() -> None:
    lines = (ROOT / "tests" / "oldest.txt").read_text().splitlines()
    oldest = dict(line.split("==") for line in lines if not line.startswith("#"))
    bounded = [*NEEDED, *PROJECT["project"]["optional-dependencies"]["cluster"]]
    allowed = {match["name"]: match["least"] for match in map(ALLOWED.match, bounded) if match}
    assert {name: numbers(text) for name, text in oldest.items()} == {
        name: numbers(text) for name, text in allowed.items()
    }


@pytest.mark.parametrize("needed", NEEDED)
def test_what_is_installed_is_allowed(needed: str) -> None:
    match = ALLOWED.match(needed)
    assert match is not None
    try:
        installed = numbers(version(match["name"]))
    except PackageNotFoundError:
        pytest.skip(f"{match['name']} is not installed")
    assert numbers(match["least"]) <= installed < numbers(match["below"])
