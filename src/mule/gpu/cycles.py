"""The kernels that look for accepting cycles in a product whose states are in the table: what is known of each cell is
in a word of its own (`%facts`), and lists say which cells are in question. Nobody inserts states meanwhile, so a state
is known by the number of its cell.

    enlist     the states of the log that may be on an accepting cycle, as a list of cells
    follow     the steps from the cells of a list, inside of one component of the automaton, to cells in question
    settle     what a round has found out becomes what the next one begins with
    nearest    the first state of the log that is still in question

`emptiness` says which of them are run, and why."""

from __future__ import annotations

from enum import IntEnum

from mule.gpu.table import load_own
from mule.gpu.text import Body, Variable
from mule.gpu.writer import Counter, Writer

ALIVE = 1 << 63
"""In question."""
REACHED = 1 << 62
ASIDE = 1 << 61
"""To be in question again later."""
_COUNT = ASIDE - 1
"""The other bits: how many steps lead here from cells in question."""


class Follow(IntEnum):
    """What is done with a step to a cell in question."""

    COUNT = 0
    TAKE_AWAY = 1
    """From a cell that is no longer in question: who takes away the last step takes its target out, and lists it."""
    REACH = 2
    """Who reaches it first lists it."""
    DEAD_ENDS = 3
    """Nothing; but a cell without such a step is no longer in question."""


class Settle(IntEnum):
    """What becomes of the cells in question of a list."""

    ROOTS = 0
    """Those to which no step leads are out, and listed."""
    KEEP = 1
    """Those that were not reached are out."""
    PUT_ASIDE = 2
    """The same, but they are to be in question again later."""
    TAKE_BACK = 3
    """Those that were put aside are in question, and only they."""


class CycleKernels(Writer):
    def enlist(self) -> str:
        body = Body()
        cells = body.room("[1 x i64]")
        with self._each_group(body) as (number, is_there, state):
            listed = body.variable("i32", "0")
            with body.when(is_there):
                hash_ = self._load(body, number, state)
                with body.when(body.let(f"call i1 @may_be_repeated(ptr {state})")):
                    cell = self._find(body, hash_, state)
                    body.do(f"store i64 {ALIVE}, {self._fact(body, cell)}, align 8")
                    self._note_cell(body, cells, listed, cell)
            self._list(body, cells, listed)
        body.do("ret void")
        memory = self._target.memory
        return self._define("enlist", body, with_table=True, more=f", {memory} %facts, {memory} %list")

    def follow(self) -> str:
        """Of a list of cells in place of the log. Only steps with all of the marks `%wanted` are followed."""
        body = Body()
        out = self._room_for_successors(body)
        cells = body.room(f"[{max(self._listing.max_successors, 1)} x i64]")
        lost = body.variable("i64", "0")
        with self._each_group(body) as (number, is_there, state):
            listed, dead = body.variable("i32", "0"), body.variable("i32", "0")
            with body.when(is_there):
                cell = self._cell(body, number)
                alive = self._is_alive(body, self._known_fact(body, cell))
                taken_out = self._does(body, Follow.TAKE_AWAY)
                with body.when(body.let(f"or i1 {alive}, {taken_out}")):
                    hash_ = self._load(body, cell, state, "%table")
                    written = body.let(f"call i32 @expand_inside(ptr {state}, i64 {hash_}, ptr {out})")
                    leads_on = body.variable("i1", "false")
                    with body.each(written) as entry:
                        self._follow_step(body, self._entry(body, out, entry), leads_on, cells, listed)
                    with body.when(self._does(body, Follow.DEAD_ENDS)):
                        ends = body.let(f"xor i1 {leads_on.get()}, true")
                        with body.when(ends):
                            self._change(body, "and", cell, ALIVE - 1)
                        dead.set(body.let(f"zext i1 {ends} to i32"))
            self._list(body, cells, listed)
            of_all = body.let(f"call i32 @sum(i32 {dead.get()})")
            lost.add(body.let(f"zext i32 {of_all} to i64"))
        self._tell(body, {Counter.LOST: lost})
        body.do("ret void")
        memory = self._target.memory
        more = f", {memory} %facts, {memory} %list, i32 %what, i64 %wanted"
        return self._define("follow", body, with_table=True, more=more)

    def _follow_step(self, body: Body, entry: str, leads_on: Variable, cells: str, listed: Variable) -> None:
        marks = body.let(f"and i64 {self._header(body, entry)}, %wanted")
        with body.when(body.let(f"icmp eq i64 {marks}, %wanted")):
            target = self._find(body, load_own(body, entry, 0), self._words_of(body, entry))
            fact = self._known_fact(body, target)
            with body.when(self._is_alive(body, fact)):
                leads_on.set("true")
                with body.when(self._does(body, Follow.COUNT)):
                    self._change(body, "add", target, 1)
                with body.when(self._does(body, Follow.TAKE_AWAY)):
                    before = body.let(f"and i64 {self._change(body, 'sub', target, 1)}, {_COUNT}")
                    with body.when(body.let(f"icmp eq i64 {before}, 1")):
                        self._change(body, "and", target, ALIVE - 1)
                        self._note_cell(body, cells, listed, target)
                with body.when(self._does(body, Follow.REACH)):
                    seen = body.let(f"and i64 {fact}, {REACHED}")
                    with body.when(body.let(f"icmp eq i64 {seen}, 0")):
                        before = body.let(f"and i64 {self._change(body, 'or', target, REACHED)}, {REACHED}")
                        with body.when(body.let(f"icmp eq i64 {before}, 0")):
                            self._note_cell(body, cells, listed, target)

    def settle(self) -> str:
        body = Body()
        cells = body.room("[1 x i64]")
        with self._each_group(body) as (number, is_there, _):
            listed = body.variable("i32", "0")
            with body.when(is_there):
                cell = self._cell(body, number)
                fact = self._known_fact(body, cell)
                is_alive = self._is_alive(body, fact)
                after = body.variable("i64", fact)
                with body.when(self._does(body, Settle.ROOTS)):
                    counted = body.let(f"icmp eq i64 {body.let(f'and i64 {fact}, {_COUNT}')}, 0")
                    with body.when(body.let(f"and i1 {is_alive}, {counted}")):
                        after.set("0")
                        self._note_cell(body, cells, listed, cell)
                reached = body.let(f"icmp ne i64 {body.let(f'and i64 {fact}, {REACHED}')}, 0")
                kept = body.let(f"select i1 {body.let(f'and i1 {is_alive}, {reached}')}, i64 {ALIVE}, i64 0")
                with body.when(self._does(body, Settle.KEEP)):
                    after.set(kept)
                with body.when(self._does(body, Settle.PUT_ASIDE)):
                    aside = body.let(f"select i1 {is_alive}, i64 {ASIDE}, i64 0")
                    after.set(body.let(f"select i1 {reached}, i64 {kept}, i64 {aside}"))
                with body.when(self._does(body, Settle.TAKE_BACK)):
                    aside = body.let(f"icmp ne i64 {body.let(f'and i64 {fact}, {ASIDE}')}, 0")
                    after.set(body.let(f"select i1 {aside}, i64 {ALIVE}, i64 0"))
                body.do(f"store i64 {after.get()}, {self._fact(body, cell)}, align 8")
            self._list(body, cells, listed)
        body.do("ret void")
        memory = self._target.memory
        return self._define("settle", body, more=f", {memory} %facts, {memory} %list, i32 %what")

    def nearest(self) -> str:
        body = Body()
        with self._each_group(body) as (number, is_there, state), body.when(is_there):
            hash_ = self._load(body, number, state)
            with body.when(self._is_alive(body, self._known_fact(body, self._find(body, hash_, state)))):
                place = f"{self._target.memory} {self._counter(body, Counter.NEAREST)}"
                body.let(f"atomicrmw umin {place}, i64 {number} {self._target.scope}monotonic")
        body.do("ret void")
        return self._define("nearest", body, with_table=True, more=f", {self._target.memory} %facts")

    # -- cells

    def _find(self, body: Body, hash_: str, state: str) -> str:
        return body.let(f"call i64 @find({self._target.memory} %table, i64 %size, i64 {hash_}, ptr {state})")

    def _cell(self, body: Body, number: str) -> str:
        """Of a list in place of the log."""
        place = body.let(f"getelementptr i64, {self._target.memory} %log, i64 {number}")
        return body.let(f"load i64, {self._target.memory} {place}, align 8")

    def _fact(self, body: Body, cell: str) -> str:
        return f"{self._target.memory} {body.let(f'getelementptr i64, {self._target.memory} %facts, i64 {cell}')}"

    def _known_fact(self, body: Body, cell: str) -> str:
        return body.let(f"load atomic i64, {self._fact(body, cell)} {self._target.scope}monotonic, align 8")

    def _change(self, body: Body, how: str, cell: str, value: int) -> str:
        """What it was before."""
        return body.let(f"atomicrmw {how} {self._fact(body, cell)}, i64 {value} {self._target.scope}monotonic")

    @staticmethod
    def _is_alive(body: Body, fact: str) -> str:
        return body.let(f"icmp slt i64 {fact}, 0")

    @staticmethod
    def _does(body: Body, what: Follow | Settle) -> str:
        return body.let(f"icmp eq i32 %what, {int(what)}")

    @staticmethod
    def _note_cell(body: Body, cells: str, listed: Variable, cell: str) -> None:
        place = body.let(f"getelementptr i64, ptr {cells}, i32 {listed.get()}")
        body.do(f"store i64 {cell}, ptr {place}, align 8")
        listed.add("1")

    def _list(self, body: Body, cells: str, listed: Variable) -> None:
        """What this lane has noted. All lanes come here."""
        with self._each_place(body, listed.get(), Counter.LISTED) as (each, place):
            cell = body.let(f"load i64, ptr {body.let(f'getelementptr i64, ptr {cells}, i32 {each}')}, align 8")
            to = body.let(f"getelementptr i64, {self._target.memory} %list, i64 {place}")
            body.do(f"store i64 {cell}, {self._target.memory} {to}, align 8")
