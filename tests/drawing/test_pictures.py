"""Pictures show what searches count, and Graphviz reads them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mule
from mule.drawing.automata import property_automaton
from mule.drawing.kinds import Kind
from mule.drawing.picture import Picture
from mule.errors import MuleError
from mule.ltl.parser import parse
from mule.ltl.translate import translate

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = [
    "broken_mutex.dve",
    "peterson.dve",
    "philosophers.dve",
    "mailbox.pml",
    "philosophers.pnml",
    "readers_writers.pnml",
]

needs_graphviz = pytest.mark.skipif(
    shutil.which("dot") is None, reason="there is no Graphviz: apt-get install graphviz"
)


def states(picture: Picture) -> int:
    return sum(name.removeprefix("s").isdigit() for name in picture.nodes)


@pytest.mark.parametrize("name", SMALL)
def test_the_states_and_the_reduced_ones_are_those_of_the_searches(name: str) -> None:
    system = mule.load(EXAMPLES / name)
    picture = system.graph()
    full = system.explore(por="none", as_written=True)
    assert states(picture) == full.states
    reduced = system.explore(por="deletion", as_written=True, search="bfs")
    green = sum(known["fillcolor"] != "white" and name[1:].isdigit() for name, known in picture.nodes.items())
    told = picture.notes[0]
    assert f"green: the {reduced.states:,} states" in told
    assert green >= reduced.states


def test_room_that_a_translation_had_to_guess_is_no_error() -> None:
    """Two messages are on their way at once, and mailboxes have room for one at first."""
    text = """
from mule.actors import Message, Process, System, on, send, step


class Note(Message):
    pass


class Reader(Process):
    @on(Note)
    def read(self, note):
        pass


class Writer(Process):
    reader: Reader
    left: int = 2

    @step(when=lambda self: self.left > 0)
    def write(self):
        self.left = self.left - 1
        send(self.reader, Note())


def system() -> System:
    reader = Reader()
    return System([reader, Writer(reader=reader)])
"""
    picture = mule.loads(text, "actors").graph()
    assert not any("messages of the type" in known["label"] for known in picture.nodes.values())
    assert states(picture) == 6


def test_states_of_a_net_can_be_told_apart() -> None:
    picture = mule.load(EXAMPLES / "philosophers.pnml").graph()
    labels = [known["label"] for name, known in picture.nodes.items() if name[1:].isdigit()]
    assert labels[0] == "the initial state"
    assert labels[1] == "thinks0 = 0\\nwaits0 = 1\\nfork0 = 0"
    assert sum("more" in label for label in labels) > 0
    short = [label for label in labels if "more" not in label]
    assert len(set(short)) == len(short)
    assert {known["label"] for _, _, known in picture.edges} >= {"fires left0", "fires left1"}


@pytest.mark.parametrize("name", SMALL)
def test_deadlocks_are_red(name: str) -> None:
    system = mule.load(EXAMPLES / name)
    found = system.explore(por="none", as_written=True).statistics.deadlocks
    red = [known for node, known in system.graph().nodes.items() if known["color"] == "#c62828"]
    assert len(red) >= found
    assert bool(red) == system.check(deadlock=True, assertions=True).violated


@needs_graphviz
@pytest.mark.parametrize("of", ["states", "processes", "interference"])
@pytest.mark.parametrize("name", ["broken_mutex.dve", "mailbox.pml", "lost_update.py"])
def test_graphviz_draws_it(name: str, of: Kind) -> None:
    picture = mule.load(EXAMPLES / name, defines=["rounds=1"] if name.endswith(".py") else ()).graph(of)
    drawn = picture._repr_svg_()
    assert drawn is not None
    assert drawn.count('class="node"') == len(picture.nodes)
    assert drawn.count('class="edge"') == len(picture.edges)


@needs_graphviz
def test_names_with_every_sign_are_drawn() -> None:
    picture = Picture('a"b\\c')
    picture.node('x"\\', label="l")
    picture.edge('x"\\', 'x"\\', label='say "no"')
    assert 'class="edge"' in picture.svg


def test_automaton_of_a_formula() -> None:
    automaton = translate(parse("[](a -> <>b)").formula, "edges", "builtin")
    picture = property_automaton(automaton, "p")
    assert len(picture.nodes) == automaton.states + 1
    assert len(picture.edges) == sum(map(len, automaton.edges)) + 1


def test_too_many_states_are_refused_with_the_way_out() -> None:
    with pytest.raises(MuleError, match="more than 500 states"):
        mule.load(EXAMPLES / "paxos.py").graph()


def test_a_net_has_no_processes() -> None:
    with pytest.raises(MuleError, match="no processes"):
        mule.load(EXAMPLES / "readers_writers.pnml").graph("processes")


def test_command_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mule", "graph", str(EXAMPLES / "broken_mutex.dve")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, mule.load(EXAMPLES / "broken_mutex.dve").graph().dot)
    assert subprocess.run([*command, "-o", str(tmp_path / "m.dot")], check=False).returncode == 0
    assert (tmp_path / "m.dot").read_text("utf-8") == done.stdout
    for wrong in (["--por", "ample"], ["--of", "processes", "--max-states", "3"], ["-o", "/nowhere/x.dot"]):
        assert subprocess.run([*command, *wrong], capture_output=True, check=False).returncode == 2
