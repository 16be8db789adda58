"""The rooms of `src/mule` look one way: imports, at any level of a file, make no cycle but those named here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "mule"

TELLS_ITSELF = {
    ("checkable", "report"),
    ("comparison", "report"),
    ("ltl", "drawing"),
    ("relations", "report"),
    ("results", "report"),
    ("simulation", "report"),
    ("trails", "report"),
    ("validation", "report"),
}
"""An object of the first room prints or draws itself (`str`, `_repr_html_`) with the words of the second."""

ACCEPTED = {
    ("frontends", "checkable"): "a system of actors or coroutines is written in a front end, and checks itself",
    ("planning", "cluster"): "a prepared search of states is handed to the cluster, which prepares it again elsewhere",
    ("results", "trails"): "a violation has a trail; what judges and shortens trails speaks of violations",
    ("temporal", "cluster"): "a prepared search of runs is handed to the cluster, which prepares it again elsewhere",
    ("temporal", "vacuity"): "what holds is asked again in a stronger form, in the same way",
}
"""Ways back, and why they are there."""


@cache
def rooms() -> dict[str, set[str]]:
    """What each room imports: a folder or a file of `src/mule` is a room."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        found.setdefault(room, set()).update(imported(ast.parse(path.read_text())))
    return {room: others - {room} for room, others in found.items()}


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [f"mule.{each.name}" for each in node.names] if node.module == "mule" else [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("mule."))


def cycle(graph: dict[str, set[str]]) -> list[str] | None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def test_rooms_look_one_way() -> None:
    backwards = TELLS_ITSELF | ACCEPTED.keys()
    graph = {room: {other for other in others if (room, other) not in backwards} for room, others in rooms().items()}
    assert cycle(graph) is None


def test_every_way_back_that_is_named_is_one() -> None:
    """Whoever removes the last import of a kind removes its name here, too."""
    graph = rooms()
    for room, other in TELLS_ITSELF | ACCEPTED.keys():
        assert other in graph[room], f"{room} does not look into {other} any more"
