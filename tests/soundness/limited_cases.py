"""Small models, properties of them, and whether these hold: what limits are tried on."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from mule.frontends import load, load_text
from mule.model import Model
from mule.options import Fairness

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Case:
    name: str
    text: str
    """The model, or the name of an example."""
    language: str = "promela"
    safety: dict[str, bool] = field(default_factory=dict)
    """What `--deadlock --assertions` judges, in words."""
    invariants: dict[str, bool] = field(default_factory=dict)
    ltl: dict[str, bool] = field(default_factory=dict)
    fair: dict[str, bool] = field(default_factory=dict)
    """LTL under `--fairness weak` and `--fairness strong`."""
    ctl: dict[str, bool] = field(default_factory=dict)
    claims: dict[str, tuple[str, bool]] = field(default_factory=dict)
    """By name: in words, and whether it holds."""
    progress: bool | None = None
    defines: tuple[str, ...] = ()
    costly: bool = False
    """Seconds rather than milliseconds: it is tried now and then only."""
    open: tuple[str, ...] = ()
    """What cannot be decided, because some runs end in an error."""

    @cached_property
    def model(self) -> Model:
        if "\n" not in self.text:
            return load(str(EXAMPLES / self.text), defines=self.defines)
        return load_text(self.text, f"{self.name}.{self.language}", self.language, self.defines)

    def truth(self, fairness: Fairness) -> dict[str, bool]:
        """For each property, in words, whether it holds."""
        known = dict(self.safety)
        known |= {f"invariant {text}": holds for text, holds in self.invariants.items()}
        formulas = self.ltl if fairness == "none" else self.fair
        known |= {f"temporal property {text}": holds for text, holds in (*formulas.items(), *self.ctl.items())}
        if fairness == "none":
            known |= {f"temporal property {words}": holds for words, holds in self.claims.values()}
        if self.progress is not None:
            known["temporal property progress is made again and again"] = self.progress
        return known


NO_ERROR, NO_DEADLOCK, NO_ASSERTION = "no error of the model", "no deadlock", "no violated assertion"
ALL_WELL = {NO_ERROR: True, NO_DEADLOCK: True}

SPAWNING = """
byte done;
proctype W(byte n) { if :: n > 0 -> run W(n - 1) :: else fi; done++ }
init { run W(9) }
"""
"""The guess of how many processes there can be is too small."""

QUARRELLING = """
byte done; bool flag;
proctype W(byte n) { if :: n > 0 -> run W(n - 1) :: else fi; done++; assert(done < 10) }
init { run W(9); do :: flag = !flag od }
ltl ends { <> (done == 10) }
ltl counts { [] (done < 10) }
ltl swings { []<> flag || <>[] !flag }
"""

NEVER = """
byte x;
active proctype P() { do :: x < 20 -> x++ :: x == 20 -> x = 0 od }
active proctype Q() { byte y; do :: y < 5 -> y++ :: else -> y = 0 od }
never { do :: x == 17 -> break :: else od }
"""

TAKING_TURNS = """
bool want[2]; byte turn, inside;
active [2] proctype P() {
  do
  :: want[_pid] = true; turn = 1 - _pid;
     (!want[1 - _pid] || turn == _pid);
     progress: inside++; assert(inside == 1); inside--;
     want[_pid] = false
  od
}
ltl safe { [] (inside <= 1) }
ltl live { [] (want[0] -> <> (inside > 0)) }
"""

DIVIDING = """
byte x, y = 9;
active proctype P() { do :: x < 12 -> x++; y = 100 / (12 - x) :: x > 3 -> x = 0 od }
"""

STUCK = """
chan c = [3] of { byte }; byte got, sent;
active proctype A() { do :: sent < 12 -> sent++; c!sent :: sent == 12 -> c!0; c!0; c!0; break od }
active proctype B() { byte x; do :: c?x -> got++; if :: x == 11 -> break :: else fi od; assert(got == 11) }
"""

HANDSHAKES = """
chan c = [0] of { byte }; byte n;
active proctype A() { do :: c!1 od }
active proctype B() { byte x; do :: c?x -> n = (n + x) % 13 od }
active proctype C() { byte z; do :: z = 1 - z od }
"""

ATOMIC = """
byte x, y;
active [3] proctype P() { do :: atomic { x < 15 -> x++; y = x; y = 0 } :: x == 15 -> break od }
"""

LARGE = "byte x;\nactive proctype P() {\n" + "".join(f"  x = (x + {n}) % 7;\n" for n in range(1, 400))
LARGE += "  x = 9\n}\nactive proctype Q() { byte y; do :: y < 3 -> y++ :: else -> break od; assert(x != 9) }\n"
"""Large enough for a trial without reduction."""

CHAIN = """
chan start = [1] of { byte };
proctype Link(chan up) {
  chan mine = [1] of { byte };
  byte n;
  start?n;
  if
  :: n > 0 -> start!n - 1; run Link(mine); mine?n; up!n + 1
  :: n == 0 -> up!0
  fi
}
byte r;
init { chan c = [1] of { byte }; start!16; run Link(c); c?r; assert(r != 16) }
"""
"""A look at deep runs decides."""

COUNTERS = """
byte a = 0; byte b = 0;
process P { state s, t; init s; trans s -> t { guard a < 9; effect a = a + 1; }, t -> s {}; }
process Q { state s, t; init s; trans s -> t { guard b < 9; effect b = b + 1; }, t -> s {}; }
process CLAIM { state w, bad; init w; accept bad;
  trans w -> w {}, w -> bad { guard a == 9 and b == 9; }, bad -> bad {}; }
system async property CLAIM;
"""

TOKENS = """<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="tokens" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">
<place id="p0"><initialMarking><text>24</text></initialMarking></place>
<place id="p1"/><place id="p2"/>
<transition id="t0"/><transition id="t1"/>
<arc id="a" source="p0" target="t0"/>
<arc id="b" source="t0" target="p1"><inscription><text>3</text></inscription></arc>
<arc id="c" source="p1" target="t1"><inscription><text>2</text></inscription></arc>
<arc id="d" source="t1" target="p2"/>
</page></net></pnml>"""

CASES = (
    Case(
        "spawning",
        SPAWNING,
        safety=ALL_WELL,
        invariants={"done <= 10": True, "done < 10": False, "done < 4": False},
        ltl={"<> (done == 10)": True, "[] (done < 10)": False, "<>[] (done == 10)": True, "[]<> (done < 10)": False},
        fair={"<> (done == 10)": True, "[] (done < 10)": False},
        ctl={"EF (done == 10)": True, "AG (done < 10)": False, "AF (done == 10)": True, "EG (done < 10)": False},
    ),
    Case(
        "quarrelling",
        QUARRELLING,
        safety={NO_ERROR: True, NO_DEADLOCK: True, NO_ASSERTION: False},
        invariants={"done <= 10": True, "done != 10": False},
        claims={
            "ends": ("ends: <> (done == 10)", False),
            "counts": ("counts: [] (done < 10)", False),
            "swings": ("swings: []<> flag || <>[] !flag", True),
        },
    ),
    Case(
        "never",
        NEVER,
        safety=ALL_WELL,
        invariants={"x <= 20": True, "x < 20": False},
        ltl={"[]<> (x == 0)": False, "[] (x <= 20)": True, "<> (x == 20)": False},
        fair={"[]<> (x == 0)": True, "<> (x == 20)": True, "<>[] (x < 20)": False},
        ctl={"AG EF (x == 0)": True, "AG (x != 19)": False, "AF (x == 20)": False, "EF AG (x == 20)": False},
        claims={"never": ("never", False)},
    ),
    Case(
        "taking turns",
        TAKING_TURNS,
        safety={**ALL_WELL, NO_ASSERTION: True},
        invariants={"inside <= 1": True, "inside == 0": False},
        ltl={"[]<> (inside == 1)": True, "[]<> want[0]": False, "[] (turn == 0)": False},
        fair={"[]<> want[0]": True, "[]<> (inside == 1)": True, "<>[] want[1]": False},
        ctl={"AG EF (inside == 1)": True, "AG !want[1]": False},
        claims={
            "safe": ("safe: [] (inside <= 1)", True),
            "live": ("live: [] (want[0] -> <> (inside > 0))", True),
        },
        progress=True,
    ),
    Case(
        "dividing",
        DIVIDING,
        safety={NO_ERROR: False, NO_DEADLOCK: True},
        invariants={"x <= 12": True, "x < 11": False},
        ltl={"[]<> (x == 0)": True, "<>[] (x < 4)": False, "[] (x < 12)": False, "[] (x < 11)": False},
        open=("temporal property []<> (x == 0)", "temporal property [] (x < 12)"),
    ),
    Case(
        "stuck",
        STUCK,
        safety={NO_ERROR: True, NO_DEADLOCK: False, NO_ASSERTION: True},
        invariants={"got <= 11": True, "got < 11": False, "len(c) <= 3": True, "len(c) < 3": False},
        ltl={"<> (got == 11)": True, "<>[] (len(c) == 3)": True, "[] (got < 11)": False, "<> (sent == 13)": False},
        ctl={"AF (got == 11)": True, "AG (got < 11)": False, "EF AG (len(c) == 3)": True},
    ),
    Case(
        "handshakes",
        HANDSHAKES,
        safety=ALL_WELL,
        invariants={"n < 13": True, "n < 12": False},
        ltl={"[]<> (n == 0)": False, "[] (n < 13)": True, "[] (n < 12)": False},
        fair={"[]<> (n == 0)": True, "<>[] (n == 5)": False},
        ctl={"AG EF (n == 12)": True, "AG (n < 12)": False},
    ),
    Case(
        "atomic",
        ATOMIC,
        safety=ALL_WELL,
        invariants={"y == 0": True, "x < 15": False},
        ltl={"<> (x == 15)": True, "[] (y == 0)": True, "[] (x < 15)": False},
        ctl={"AF AG (x == 15)": True, "AG (y == 0)": True, "AG (x < 15)": False},
    ),
    Case(
        "large",
        LARGE,
        safety={NO_ERROR: True, NO_DEADLOCK: True, NO_ASSERTION: False},
        invariants={"x <= 9": True, "x < 9": False},
        ltl={"[] (x < 9)": False},
        costly=True,
    ),
    Case(
        "chain",
        CHAIN,
        safety={NO_ERROR: True, NO_DEADLOCK: True, NO_ASSERTION: False},
        invariants={"r <= 16": True, "r < 16": False},
        costly=True,
    ),
    Case(
        "counters",
        COUNTERS,
        "dve",
        safety={NO_ERROR: True, NO_DEADLOCK: False},
        invariants={"a <= 9": True, "a + b < 18": False},
        ltl={"<> (a == 9)": True, "<> (a == 9 && b == 9)": True, "[] (a + b < 18)": False, "[] (a < 10)": True},
        ctl={"AF (a == 9)": True, "AG (a + b < 18)": False, "AG EF (b == 9)": True},
        claims={"CLAIM": ("CLAIM", False)},
    ),
    Case(
        "peterson",
        "peterson.dve",
        "dve",
        safety={
            **ALL_WELL,
            "assertion left.critical: not right.critical": True,
            "assertion right.critical: not left.critical": True,
        },
        invariants={"not (left.critical and right.critical)": True, "not left.critical": False},
        ltl={"[] !(left.critical && right.critical)": True, "[]<> left.critical": False},
        ctl={"AG EF left.critical": True, "AG !right.critical": False},
    ),
    Case(
        "philosophers",
        "philosophers.dve",
        "dve",
        safety={NO_ERROR: True, NO_DEADLOCK: False},
    ),
    Case(
        "tokens",
        TOKENS,
        "pnml",
        safety={NO_ERROR: True, NO_DEADLOCK: False},
        invariants={"p2 <= 36": True, "p2 < 36": False, "p1 <= 72": True, "p1 < 70": False},
        ltl={"<> (p2 == 36)": True, "[] (p2 < 36)": False, "[] (p1 < 70)": False},
        ctl={"AF (p2 == 36)": True, "AG (p1 < 70)": False, "EF (p1 == 72)": True},
    ),
    Case(
        "counting together",
        "lost_update.py",
        "processes",
        safety={**ALL_WELL, "invariant nothing_lost": True},
        invariants={"counter.value <= 4": True, "counter.value < 4": False},
        ltl={"[] (counter.value < 4)": False, "<>[] (counter.value == 4)": True},
        ctl={"AF (counter.value == 4)": True, "AG (counter.value < 4)": False},
        claims={"all counted": ("all counted: <> (counter.value == 4)", True)},
    ),
    Case(
        "a lost update",
        "lost_update.py",
        "processes",
        safety={**ALL_WELL, "invariant nothing_lost": False},
        ltl={"[] (counter.value < 4)": False},
        ctl={"EF (counter.value == 4)": True, "AF (counter.value == 4)": False},
        claims={"all counted": ("all counted: <> (counter.value == 4)", False)},
        defines=("bug=1",),
    ),
    Case(
        "dining",
        "dining_philosophers.py",
        "processes",
        safety={NO_ERROR: True, NO_DEADLOCK: False, "invariant neighbours take turns": True},
        defines=("bug=1",),
    ),
    Case(
        "commit",
        "two_phase_commit.py",
        "actors",
        safety={**ALL_WELL, "invariant consistent": True, NO_ASSERTION: True},
        claims={"termination": ("termination: <> decided", True)},
        defines=("participants=2",),
    ),
    Case(
        "commit without waiting",
        "two_phase_commit.py",
        "actors",
        safety={**ALL_WELL, "invariant consistent": False, NO_ASSERTION: False},
        claims={"termination": ("termination: <> decided", True)},
        defines=("participants=2", "bug=1"),
        open=("temporal property termination: <> decided",),
    ),
)
