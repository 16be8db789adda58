"""The product of a model and a Büchi automaton as one more model for the kernels: an `expand` that moves the automaton
along, around that of the model, which becomes `expand_system`.

The automaton's state is a variable of the packed state that no transition of the model reads or writes. As on the host
(engine/ltl/successors.cpp): a step that fails leads nowhere, the automaton does not move in transient states, and where
nothing can happen the system stutters, if runs that come to an end count.

Accepting cycles stay inside one component of the automaton: `expand_inside` leaves out all other steps, and says which
marks each step has in place of its header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from mule.codegen import Listing
from mule.codegen.layout import Field
from mule.codegen.module import HASH_SALT, HEADER_WORDS
from mule.errors import MuleError
from mule.gpu.sets import DECLARATIONS
from mule.gpu.table import load_own
from mule.gpu.text import Body, Variable
from mule.ltl.automaton import Automaton
from mule.records import replace
from mule.tarjan import strongly_connected

MOST_EDGES = 64
"""Of one state of the automaton: the bits of a word."""


@dataclass(frozen=True)
class ProductListing(Listing):
    """The product with an automaton, for any machine."""

    automaton: Automaton | None = None

    @property
    def marks(self) -> int:
        assert self.automaton is not None
        return self.automaton.marks

    @property
    def stutter(self) -> int:
        """What stands for a transition where nothing can happen."""
        return len(self.model.transitions)


def product_of(listing: Listing, automaton: Automaton, field: Field, finite_runs: bool) -> ProductListing:
    """`listing`: the model with the automaton's state as a variable at `field`, and the atoms as its propositions. The
    automaton has an acceptance mark. MuleError where it is too large."""
    assert automaton.marks
    degree = max((len(out) for out in automaton.edges), default=0)
    if degree > MOST_EDGES:
        raise MuleError(
            f"a state of the property's automaton has {degree} edges, and the GPU takes {MOST_EDGES} of them: "
            "leave out --gpu to search on this computer"
        )
    text = listing.text.replace("@expand(", "@expand_system(")
    known = {each.name: getattr(listing, each.name) for each in fields(listing)}
    known |= {
        "model": replace(listing.model, error_state_keeps=None),
        "text": f"{text}\n{_Product(listing, automaton, field, finite_runs).text()}\n",
        "propositions": 0,
        "end_states": None,
        "is_product": True,
        "max_successors": max(listing.max_successors, 1) * max(degree, 1),
    }
    return ProductListing(**known, automaton=automaton)


class _Product:
    def __init__(self, listing: Listing, automaton: Automaton, field: Field, finite_runs: bool) -> None:
        self._listing = listing
        self._automaton = automaton
        self._field = field
        self._finite_runs = finite_runs
        self._words = listing.layout.words
        self._stride = HEADER_WORDS + self._words

    def text(self) -> str:
        parts = [
            DECLARATIONS,
            *self._tables(),
            self._automaton_state(),
            self._may_repeat(),
            self._edges(),
            self._move(),
            self._product(),
            self._expand("expand", "false"),
            self._expand("expand_inside", "true"),
        ]
        return "\n\n".join(parts)

    # -- what is known of the automaton

    def _tables(self) -> list[str]:
        """For each state: where its edges begin, those that stay in its component, as bits, and whether a cycle there
        can have all marks. For each edge: where it leads, and its marks."""
        edges = self._automaton.edges
        component: dict[int, int] = {}
        groups = strongly_connected([[edge.target for edge in out] for out in edges])
        for number, group in enumerate(groups):
            component |= dict.fromkeys(group, number)
        inside = [[component[edge.target] == component[state] for edge in out] for state, out in enumerate(edges)]
        seen = [0] * len(groups)
        for state, out in enumerate(edges):
            for edge, stays in zip(out, inside[state], strict=True):
                seen[component[state]] |= edge.marks if stays else 0
        firsts = [0]
        for out in edges:
            firsts.append(firsts[-1] + len(out))
        return [
            _table("edge_first", "i32", firsts),
            _table("edge_target", "i32", [edge.target for out in edges for edge in out]),
            _table("edge_marks", "i64", [edge.marks for out in edges for edge in out]),
            _table("edges_inside", "i64", [sum(stays << bit for bit, stays in enumerate(row)) for row in inside]),
            _table(
                "may_repeat",
                "i8",
                [int(seen[component[state]] == self._automaton.all_marks) for state in range(len(edges))],
            ),
        ]

    def _automaton_state(self) -> str:
        body = Body()
        word = load_own(body, "%state", self._field.word)
        value = body.let(f"and i64 {body.let(f'lshr i64 {word}, {self._field.shift}')}, {self._field.mask}")
        body.do(f"ret i32 {body.let(f'trunc i64 {value} to i32')}")
        return f"define internal i32 @automaton_state(ptr %state) alwaysinline nounwind {{\n{body.text()}\n}}"

    def _may_repeat(self) -> str:
        """Whether the state may be on an accepting cycle, as far as the automaton can tell."""
        body = Body()
        known = self._look_up(body, "may_repeat", "i8", body.let("call i32 @automaton_state(ptr %state)"))
        body.do(f"ret i1 {body.let(f'icmp ne i8 {known}, 0')}")
        return f"define internal i1 @may_be_repeated(ptr %state) alwaysinline nounwind {{\n{body.text()}\n}}"

    def _look_up(self, body: Body, table: str, kind: str, number: str) -> str:
        return body.let(f"load {kind}, ptr {body.let(f'getelementptr {kind}, ptr @{table}, i32 {number}')}")

    def _edges(self) -> str:
        """The edges under the letter of the state, as bits."""
        body = Body()
        found = body.variable("i64", "0")
        at = body.let("call i32 @automaton_state(ptr %state)")
        for state, out in enumerate(self._automaton.edges):
            if not out:
                continue
            with body.when(body.let(f"icmp eq i32 {at}, {state}")):
                literals: dict[int, str] = {}
                for bit, edge in enumerate(out):
                    allowed = self._allows(body, self._automaton.cubes(edge), literals)
                    own = body.let(f"select i1 {allowed}, i64 {1 << bit}, i64 0")
                    found.set(body.let(f"or i64 {found.get()}, {own}"))
        body.do(f"ret i64 {found.get()}")
        return f"define internal i64 @edges(ptr %state) nounwind {{\n{body.text()}\n}}"

    def _allows(self, body: Body, cubes: Sequence[tuple[int, int]], literals: dict[int, str]) -> str:
        """Whether one of the conjunctions holds; `literals`: the atoms whose value is known."""
        result = "false"
        for positive, negative in cubes:
            holds = "true"
            for atom in range((positive | negative).bit_length()):
                if not (positive | negative) >> atom & 1:
                    continue
                if atom not in literals:
                    literals[atom] = body.let(f"call zeroext i1 @proposition(ptr %state, i32 {atom})")
                literal = literals[atom] if positive >> atom & 1 else body.let(f"xor i1 {literals[atom]}, true")
                holds = body.let(f"and i1 {holds}, {literal}")
            result = body.let(f"or i1 {result}, {holds}")
        return result

    # -- successors

    def _move(self) -> str:
        """One step of the system with each of the automaton's; how many entries there are then. `%stays`: the automaton
        does not move."""
        body = Body()
        left, count = body.variable("i64", "%edges"), body.variable("i32", "%count")
        first = self._look_up(body, "edge_first", "i32", "%from")
        old = load_own(body, "%step", HEADER_WORDS + self._field.word)
        cleared = body.let(f"and i64 {old}, {~(self._field.mask << self._field.shift) & (1 << 64) - 1}")
        salt = HASH_SALT * (self._field.word + 1) & (1 << 64) - 1
        without = body.let(f"sub i64 {load_own(body, '%step', 0)}, {body.let(f'call i64 @mix(i64 {old}, i64 {salt})')}")
        with body.loop() as loop:
            edges = left.get()
            loop.leave_if(body.let(f"icmp eq i64 {edges}, 0"))
            left.set(body.let(f"and i64 {edges}, {body.let(f'sub i64 {edges}, 1')}"))
            bit = body.let(f"trunc i64 {body.let(f'call i64 @llvm.cttz.i64(i64 {edges}, i1 true)')} to i32")
            edge = body.let(f"add i32 {first}, {bit}")
            target, header = body.variable("i32", "%from"), body.variable("i64", load_own(body, "%step", 1))
            with body.when("%inside"):
                header.set("0")
            with body.when(body.let("xor i1 %stays, true")):
                target.set(self._look_up(body, "edge_target", "i32", edge))
                with body.when("%inside"):
                    header.set(self._look_up(body, "edge_marks", "i64", edge))
            moved = body.let(f"shl i64 {body.let(f'zext i32 {target.get()} to i64')}, {self._field.shift}")
            word = body.let(f"or i64 {cleared}, {moved}")
            hash_ = body.let(f"add i64 {without}, {body.let(f'call i64 @mix(i64 {word}, i64 {salt})')}")
            to = body.let(f"getelementptr [{self._stride} x i64], ptr %out, i32 {count.get()}")
            self._store(body, to, 0, hash_)
            self._store(body, to, 1, header.get())
            for number in range(self._words):
                changed = number == self._field.word
                value = word if changed else load_own(body, "%step", HEADER_WORDS + number)
                self._store(body, to, HEADER_WORDS + number, value)
            count.add("1")
        body.do(f"ret i32 {count.get()}")
        parameters = "ptr %step, i64 %edges, i32 %from, i1 %stays, ptr %out, i32 %count, i1 %inside"
        return f"define internal i32 @move({parameters}) nounwind {{\n{body.text()}\n}}"

    @staticmethod
    def _store(body: Body, entry: str, word: int, value: str) -> None:
        body.do(f"store i64 {value}, ptr {body.let(f'getelementptr i64, ptr {entry}, i64 {word}')}, align 8")

    def _product(self) -> str:
        body = Body()
        steps = body.room(f"[{max(self._listing.max_successors, 1) * self._stride} x i64]")
        at = body.let("call i32 @automaton_state(ptr %state)")
        count = body.variable("i32", "0")
        transient = "false"
        if self._listing.transient is not None:
            transient = body.let(f"call zeroext i1 @proposition(ptr %state, i32 {self._listing.transient})")
        edges = body.variable("i64", "1")
        with body.when(body.let(f"xor i1 {transient}, true")):
            edges.set(body.let("call i64 @edges(ptr %state)"))
            with body.when("%inside"):
                inside = self._look_up(body, "edges_inside", "i64", at)
                edges.set(body.let(f"and i64 {edges.get()}, {inside}"))

        def move(entry: str) -> None:
            arguments = f"ptr {entry}, i64 {edges.get()}, i32 {at}, i1 {transient}"
            count.set(body.let(f"call i32 @move({arguments}, ptr %out, i32 {count.get()}, i1 %inside)"))

        with body.when(body.let(f"icmp ne i64 {edges.get()}, 0")):
            written = body.let(f"call i32 @expand_system(ptr %state, i64 %hash, ptr {steps})")
            with body.each(written) as number:
                entry = body.let(f"getelementptr [{self._stride} x i64], ptr {steps}, i32 {number}")
                fails = body.let(f"icmp ne i64 {body.let(f'lshr i64 {load_own(body, entry, 1)}, 48')}, 0")
                with body.when(body.let(f"xor i1 {fails}, true")):
                    move(entry)
                with body.when(body.let(f"and i1 {fails}, {body.let('xor i1 %inside, true')}")):
                    self._copy(body, entry, count)
            if self._finite_runs:
                ends = body.let(f"icmp eq i32 {written}, 0")
                with body.when(body.let(f"and i1 {ends}, {body.let(f'xor i1 {transient}, true')}")):
                    self._store(body, steps, 0, "%hash")
                    self._store(body, steps, 1, str(len(self._listing.model.transitions)))
                    for word in range(self._words):
                        self._store(body, steps, HEADER_WORDS + word, load_own(body, "%state", word))
                    move(steps)
        body.do(f"ret i32 {count.get()}")
        parameters = "ptr %state, i64 %hash, ptr %out, i1 %inside"
        return f"define internal i32 @product({parameters}) alwaysinline nounwind {{\n{body.text()}\n}}"

    def _copy(self, body: Body, entry: str, count: Variable) -> None:
        to = body.let(f"getelementptr [{self._stride} x i64], ptr %out, i32 {count.get()}")
        for word in range(self._stride):
            self._store(body, to, word, load_own(body, entry, word))
        count.add("1")

    @staticmethod
    def _expand(name: str, inside: str) -> str:
        return f"""define i32 @{name}(ptr noalias readonly %state, i64 %hash, ptr noalias %out) nounwind {{
  %count = call i32 @product(ptr %state, i64 %hash, ptr %out, i1 {inside})
  ret i32 %count
}}"""


def _table(name: str, kind: str, numbers: Sequence[int]) -> str:
    cells = ", ".join(f"{kind} {number}" for number in numbers)
    return f"@{name} = internal unnamed_addr constant [{len(numbers)} x {kind}] [{cells}], align 8"
