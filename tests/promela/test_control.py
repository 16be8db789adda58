"""The control graphs of the corpus are those that SPIN's `pan -d` shows, statement by statement.

Both graphs are walked side by side from the start: at each place there are as many statements, and in the same order
they lead to the same places. A `d_step` is one statement for SPIN. Inside `atomic` SPIN has jumps as steps where we
have none; they are passed over, and whether the process keeps control is then told by the last of them.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mule.frontends.promela import parse, syntax
from mule.frontends.promela.control import control_graph
from mule.frontends.promela.graph import Finish, Graph, Join
from mule.frontends.promela.scopes import Program, Scope, nodes_of
from tests.compile_pan import compile_pan
from tests.promela.corpus import CORPUS, files, needs_corpus, read

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.slow,
    needs_corpus,
    pytest.mark.skipif(not (shutil.which("spin") and shutil.which("gcc")), reason="spin or gcc is not installed"),
]

_STATE = re.compile(r"state\s+(\d+) -\(tr\s*\d+\)-> state\s+(\d+)\s+\[.*?\] \[(.)....\] \S*:\d+ => (.*)")
_JUMP = re.compile(r"goto |\.\(goto\)|break$")


@dataclass(frozen=True, slots=True)
class Edge:
    target: int
    keeps: bool
    text: str

    @property
    def jumps(self) -> bool:
        return bool(_JUMP.match(self.text))


Places = dict[int, list[Edge]]


def spin_graphs(file: str, folder: Path) -> dict[str, Places]:
    shutil.copytree((CORPUS / file).parent, folder / "model")
    here = folder / "model"
    subprocess.run(
        ["spin", "-o1", "-o2", "-o3", "-a", Path(file).name], cwd=here, check=True, capture_output=True, timeout=60
    )
    compile_pan(here, "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM").check_returncode()
    output = subprocess.run(["./pan", "-d"], cwd=here, capture_output=True, text=True, errors="replace", check=False)
    graphs: dict[str, Places] = {}
    places: Places = {}
    for line in output.stdout.splitlines():
        if not line.startswith("\t"):
            places = graphs.setdefault(line.split()[-1].strip(":") if line else "", {})
        elif match := _STATE.search(line):
            source, target, flag, text = match.groups()
            places.setdefault(int(source), []).append(Edge(int(target), flag == "A", text.strip()))
    return graphs


def our_graphs(file: str) -> Iterator[tuple[str, Graph]]:
    tree = parse(read(file), str(CORPUS / file))
    program = Program(tree)
    scope = Scope(program)
    for unit in tree.units:
        match unit:
            case syntax.MtypeDeclaration():
                program.declare_mtypes(unit)
            case syntax.TypeDeclaration():
                program.declare_struct(unit, scope)
            case syntax.VariableDeclaration():
                scope.declare_all(unit)
    remote = [node for node in nodes_of(tree.units) if isinstance(node, syntax.RemoteLabel)]
    for unit in tree.units:
        if isinstance(unit, syntax.ProcessDeclaration | syntax.InitDeclaration):
            name = unit.name if isinstance(unit, syntax.ProcessDeclaration) else "init"
            inner = Scope(program, scope, name)
            if isinstance(unit, syntax.ProcessDeclaration):
                for declaration in unit.parameters:
                    inner.declare_all(declaration)
            observed = frozenset(node.label for node in remote if node.process == name)
            yield name, control_graph(unit.body, inner, unit.at, observed)


def places_of(graph: Graph) -> Places:
    """As SPIN sees it: a `d_step` is one statement, from where it begins to where it ends."""
    result: Places = {}
    for number, location in enumerate(graph.locations):
        if location.step is not None:
            continue
        edges = result.setdefault(number, [])
        begun = set()
        for edge in location.edges:
            is_jump = isinstance(edge.action, syntax.Goto | syntax.Break | Join)
            text = "goto " if is_jump else "-end-" if isinstance(edge.action, Finish) else ""
            target, keeps = edge.target, edge.keeps
            if edge.step is not None:
                if edge.step in begun:
                    continue
                begun.add(edge.step)
                target, keeps = _after_step(graph, number, edge.step)
            edges.append(Edge(target, keeps, text))
    return result


def _after_step(graph: Graph, start: int, step: int) -> tuple[int, bool]:
    waiting, seen = [start], {start}
    while waiting:
        for edge in graph.locations[waiting.pop()].edges:
            if edge.step == step:
                if graph.locations[edge.target].step != step:
                    return edge.target, edge.keeps
                if edge.target not in seen:
                    seen.add(edge.target)
                    waiting.append(edge.target)
    raise AssertionError("a d_step without an end")


def differences(spin: Places, ours: Places, start: int, ours_start: int) -> list[str]:
    found: list[str] = []
    paired = {ours_start: start}
    waiting = [ours_start]
    while waiting:
        here = waiting.pop()
        theirs = spin.get(paired[here], [])
        if len(theirs) != len(ours[here]):
            found.append(f"{len(ours[here])} edges at our {here} ({ours[here]}), {len(theirs)} at SPIN's ({theirs})")
            continue
        for mine, its in zip(ours[here], theirs, strict=True):
            if mine.text == "-end-":
                continue
            its = passed_over(spin, its, jumps=is_jump(ours, mine.target))
            if mine.keeps != its.keeps:
                found.append(f"keeps control: {mine} and {its}")
            if mine.target not in paired:
                paired[mine.target] = its.target
                waiting.append(mine.target)
            elif paired[mine.target] != its.target:
                found.append(f"another place: {mine} and {its}, not {paired[mine.target]}")
    return found


def is_jump(places: Places, place: int) -> bool:
    return len(places[place]) == 1 and places[place][0].jumps


def passed_over(spin: Places, edge: Edge, jumps: bool) -> Edge:
    while not jumps and is_jump(spin, edge.target) and edge.target in spin:
        following = spin[edge.target][0]
        edge = Edge(following.target, following.keeps, edge.text)
    return edge


@pytest.mark.parametrize("file", files())
def test_same_graphs(file: str, tmp_path: Path) -> None:
    ours = list(our_graphs(file))
    spin = spin_graphs(file, tmp_path)
    found = {}
    for name, graph in ours:
        start = next(iter(spin[name]))
        if different := differences(spin[name], places_of(graph), start, graph.start):
            found[name] = different
    assert found == {}
