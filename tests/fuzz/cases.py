"""Malformed inputs of every kind that the command line reads, each with the command that reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from random import Random

from mule.cli.main import COMMANDS
from tests.fuzz import grammar
from tests.fuzz.documents import mutated_document
from tests.fuzz.mutations import NUMBERS, STRANGE, mutated, mutated_bytes, nested
from tests.fuzz.programs import mutated_program
from tests.fuzz.saved import Saved, changed_json
from tests.fuzz.seeds import EXTENSIONS, PROGRAMS, ROOT, harmless, seed, seeds

MODEL = (ROOT / "examples" / "peterson.dve").read_text()
LIMITS = ("--max-states", "300", "--time", "8")
OF_PROGRAMS = (*LIMITS, "--memory", "500M")
"""Of models in Python: a program may take what it likes before there is a model. All others have to do without."""
LONGEST_ARGUMENT = 100_000
"""Linux takes no longer one."""


@dataclass(frozen=True)
class Case:
    """A command, and the files in its folder."""

    kind: str
    arguments: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the files, and of the folders that they are in."""
        folders = {str(PurePath(name).parent) for name in self.files} - {"."}
        return (*self.files, *(f"{folder}:" for folder in sorted(folders)))


def case(kind: str, random: Random, saved: Saved) -> Case:
    return MAKERS[kind](random, saved)


def _encoded(random: Random, text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return mutated_bytes(random, data) if random.random() < 0.05 else data


def _bad(random: Random, kind: str) -> str:
    text = seed(random, kind)
    if kind in PROGRAMS and random.random() < 0.75:
        return mutated_program(random, text, seeds(kind))
    if kind == "pnml" and random.random() < 0.6:
        return mutated_document(random, text, seeds(kind))
    return mutated(random, text, seeds(kind))


def _model(kind: str) -> Callable[[Random, Saved], Case]:
    file = f"m.{EXTENSIONS[kind]}"
    executed = EXTENSIONS[kind] == "py"

    def make(random: Random, saved: Saved) -> Case:
        text = _bad(random, kind)
        while executed and not harmless(text):
            text = _bad(random, kind)
        return Case(
            kind,
            _reading(random, file),
            {file: text.encode("utf-8", "surrogatepass") if executed else _encoded(random, text)},
        )

    return make


def _reading(random: Random, file: str) -> tuple[str, ...]:
    limits = OF_PROGRAMS if file.endswith(".py") else LIMITS
    return random.choice(
        (
            ("check", file, *limits),
            ("check", file, *limits),
            ("check", file, *limits, "--json"),
            ("explore", file, *limits, "--por", random.choice(("none", "deletion", "ample"))),
            ("show", file),
            ("show", file),
            ("simulate", file, "--steps", "20", "--seed", "1"),
        )
    )


def _formula(kind: str, make: Callable[[Random, int], str]) -> Callable[[Random, Saved], Case]:
    def formula(random: Random, saved: Saved) -> Case:
        text = make(random, random.choice((2, 4, 8, 8, 16, 40)))
        if random.random() < 0.7:
            text = mutated(random, text, [make(random, 6)])
        text = text.replace("\0", "")[:LONGEST_ARGUMENT]
        files = {"m.dve": MODEL.encode()}
        if kind == "ltl" and random.random() < 0.3:
            return Case(kind, ("automaton", random.choice(("", " ")) + text), files)
        return Case(kind, ("check", "m.dve", *LIMITS, f"--{kind}={text}"), files)

    return formula


def _claim(kind: str, make: Callable[[Random], str]) -> Callable[[Random, Saved], Case]:
    file = f"claim.{kind}"

    def claim(random: Random, saved: Saved) -> Case:
        text = random.choice(seeds(kind)) if random.random() < 0.5 else make(random)
        if random.random() < 0.7:
            text = mutated(random, text, [make(random), *seeds(kind)])
        files = {"m.dve": MODEL.encode(), file: _encoded(random, text)}
        return Case(kind, ("check", "m.dve", *LIMITS, "--claim", file), files)

    return claim


def _graph(random: Random, saved: Saved) -> Case:
    data, about = saved.damaged_graph(random)
    asked = random.choice((("--ctl", f"AG EF {about}"), ("--ltl", f"[]<> ({about})")))
    return Case("graphs", ("check", "g.mule-graph", *asked), {"g.mule-graph": data})


def _checkpoint(random: Random, saved: Saved) -> Case:
    files = dict(saved.run)
    name = random.choice(sorted(files))
    if random.random() < 0.3:
        files["run/run.json"] = saved.edited_run(random)
    elif random.random() < 0.1:
        del files[name]
    else:
        files[name] = mutated_bytes(random, files[name])
    return Case("checkpoints", ("explore", "--resume", "run", "--max-states", "500", "--time", "8"), files)


def _trail(random: Random, saved: Saved) -> Case:
    model, needed, data = random.choice(saved.trails)
    if random.random() < 0.6:
        text = json.dumps(changed_json(random, json.loads(data)))
    else:
        text = mutated(random, data, [data])
    arguments = ("trail", model, "t.json", *needed, *random.choice(((), (), ("--shorten",), ("--json",), ("--chart",))))
    return Case("trails", arguments, {model: saved.models[model], "t.json": _encoded(random, text)})


def _spin_trail(random: Random, saved: Saved) -> Case:
    model, text = saved.spin_trail
    lines = text.split("\n")
    if random.random() < 0.5:
        at = random.randrange(len(lines))
        lines[at] = ":".join(
            random.choice((*NUMBERS, "-4", "-2", "3", "19")) for _ in range(random.choice((2, 3, 3, 3, 4)))
        )
        text = "\n".join(lines)
    else:
        text = mutated(random, text, [text])
    return Case(
        "spin trails",
        ("trail", model, "m.pml.trail"),
        {model: saved.models[model], "m.pml.trail": _encoded(random, text)},
    )


def _lpor(random: Random, saved: Saved) -> Case:
    text = _bad(random, "lpor")
    while not harmless(text):
        text = _bad(random, "lpor")
    named = random.choice((*CLASS.findall(text) * 10, "Other", "", "x y"))
    command = random.choice(("check", "check", "explore", "validate"))
    files = {"m.dve": MODEL.encode(), "r.py": text.encode("utf-8", "surrogatepass")}
    return Case("lpor", (command, "m.dve", *LIMITS, "--lpor", f"r.py:{named}"), files)


CLASS = re.compile(r"^class (\w{1,100})", re.MULTILINE)
OPTIONS = (
    *("--deadlock", "--assertions", "--invariant", "--ltl", "--ctl", "--claim", "--progress", "--acceptance", "--por"),
    *(
        "--weak",
        "--lpor",
        "--nds",
        "--no-nds",
        "--net",
        "--no-net",
        "--proviso",
        "--remember",
        "--search",
        "--estimate",
    ),
    *("--weight", "--stateless", "--as-written", "--memory", "--time", "--max-states", "--store", "--workers"),
    *("--checkpoint-every", "--resume", "--visibility", "--emptiness", "--fairness", "--translator", "--full-trail"),
    *(
        "--chart",
        "--json",
        "--preserve",
        "--observe",
        "--language",
        "-D",
        "--processes",
        "--sample",
        "--steps",
        "--seed",
    ),
    *("--property", "--shorten", "--negate", "--never", "--quiet", "--unknown", "-x", "--", "--deadlok"),
)
VALUES = (
    *("auto", "none", "ample", "closure", "beam", "deletion", "lpor", "dpor", "dpor-classic", "stack", "duplicate"),
    *(
        "static",
        "c3prime",
        "bfs",
        "dfs",
        "astar",
        "idastar",
        "best-first",
        "bound",
        "sum",
        "pattern",
        "exact",
        "compact",
    ),
    *("bitstate", "safety", "ltl", "ctl", "deadlocks", "c2", "vi", "scc", "ndfs", "weak", "builtin", "spot", "valid"),
    *(
        "1",
        "2",
        "0.5",
        "4G",
        "64M",
        "x == 1",
        "left.critical",
        "turn == 1",
        "m.dve",
        "p.py",
        "no.such",
        "N=3",
        "N",
        "dve",
    ),
    *("promela", "actors", "all", ".", "/", "\\", " ", "", "🐴", "a" * 50_000, "/dev/null", "-", "--", "-1", "1e400"),
)
PARAMETERS = ("N", "n", "workers", "rounds", "x", "")


def _options(random: Random, saved: Saved) -> Case:
    """A command with options that do not go together, or have no meaning."""
    files = {"m.dve": MODEL.encode()}
    words = [random.choice((*COMMANDS, "check", "check", "explore"))]
    if words[0] == "bench":
        words = ["check"]
    words += random.choice((["m.dve"], ["m.dve"], ["m.dve"], [], ["m.dve", "m.dve"], ["no.dve"]))
    for _ in range(random.randrange(1, 5)):
        words.append(random.choice(OPTIONS))
        if random.random() < 0.7:
            value = random.choice((*VALUES, *VALUES, *NUMBERS, *STRANGE)).replace("\0", "")
            words.append(value if random.random() < 0.9 else nested(random, value or "x", [])[:LONGEST_ARGUMENT])
    if words[0] == "simulate":
        words += ["--steps", "20"]
    if words[0] in ("check", "explore", "compare", "validate", "trail"):
        words += ["--time", "6"]
    return Case("options", tuple(words), files)


def _parameters(random: Random, saved: Saved) -> Case:
    """Parameters of models in Python, and definitions for Promela."""
    name = random.choice(("paxos.py", "dining_philosophers.py", "worker_pool.py", "raft_election.py", "mailbox.pml"))
    path = ROOT / "examples" / name
    words = ["check", name, *LIMITS]
    for _ in range(random.randrange(1, 3)):
        value = random.choice((*NUMBERS, *STRANGE, "3", "None", "[1]", "True", "a" * 5_000)).replace("\0", "")
        words += ["-D", random.choice(PARAMETERS) + random.choice(("=", "=", "=", "", "==")) + value]
    return Case("parameters", tuple(words), {name: path.read_bytes()})


MAKERS: Mapping[str, Callable[[Random, Saved], Case]] = {
    **{kind: _model(kind) for kind in EXTENSIONS},
    "ltl": _formula("ltl", grammar.ltl),
    "ctl": _formula("ctl", grammar.ctl),
    "hoa": _claim("hoa", grammar.hoa),
    "never": _claim("never", grammar.never),
    "graphs": _graph,
    "checkpoints": _checkpoint,
    "trails": _trail,
    "spin trails": _spin_trail,
    "lpor": _lpor,
    "options": _options,
    "parameters": _parameters,
}
KINDS = tuple(MAKERS)


def written(made: Case, folder: Path) -> None:
    for name, data in made.files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
