"""The closure algorithm (guard-based POR, Algorithm 1), from one enabled transition, or from each of them for the
smallest set (Algorithm 3 without its heuristic). Every disabled member brings its first usable necessary enabling set,
so that the closure is the same in whatever order it is computed."""

from __future__ import annotations

from collections.abc import Sequence

from mule.engine import tests_only_locations
from mule.gpu.sets import Chooser, Sets, Tables
from mule.gpu.targets import Target
from mule.gpu.text import Body, Variable
from mule.relations import Relations
from mule.relations.accesses import members


def closure_tables(relations: Relations, nds: bool) -> Tables:
    """What does not accord with each transition, the necessary enabling and disabling sets of the guards, and which of
    these each transition may use."""
    model = relations.model
    control = [tests_only_locations(guard.expression) for guard in model.guards]
    tables = Tables(len(model.transitions))
    tables.rows("do not accord", relations.do_not_accord)
    tables.rows("necessary", [*relations.enabling, *relations.disabling])
    tables.lists("sets", [_necessary(each.guards, relations, control, nds) for each in model.transitions])
    return tables


def _necessary(own: Sequence[int], relations: Relations, control: list[bool], nds: bool) -> list[int]:
    """As the engine orders them (engine/reduction/necessary_sets.cpp): those over control locations first."""
    guards = len(control)
    found = set(own)
    if nds:
        found |= {guards + other for guard in own for other in members(relations.never_coenabled[guard])}
    return sorted(found, key=lambda number: (not control[number % guards], number))


class Closures(Chooser):
    def __init__(self, body: Body, sets: Sets, target: Target) -> None:
        super().__init__(body, sets, target)
        self._row, self._done = (body.room(f"[{sets.words} x i64]") for _ in range(2))
        self._every_start = sets.por == "beam-noh"
        self._guards = sets.guards

    def choose(self, state: str) -> None:
        """From what is enabled. Of several sets of the same size that of the last transition is taken, as the engine
        does."""
        body = self._body
        best = body.variable("i32", self._count(self._enabled, self._enabled))
        word = body.variable("i32", str(self._sets.words))
        with body.loop() as words:
            words.leave_if(body.let(f"icmp eq i32 {word.get()}, 0"))
            word.add("-1")
            left = body.variable("i64", self._word(self._enabled, word.get()))
            with body.loop() as loop:
                bits = left.get()
                loop.leave_if(body.let(f"icmp eq i64 {bits}, 0"))
                words.leave_unless(body.let(f"icmp ugt i32 {best.get()}, 1"))
                zeros = body.let(f"call i64 @llvm.ctlz.i64(i64 {bits}, i1 true)")
                position = body.let(f"sub i64 63, {zeros}")
                own = body.let(f"shl i64 1, {position}")
                left.set(body.let(f"xor i64 {bits}, {own}"))
                base = body.let(f"mul i32 {word.get()}, 64")
                self._try(state, body.let(f"add i32 {base}, {body.let(f'trunc i64 {position} to i32')}"), best)
                if not self._every_start:
                    words.leave_if("true")

    # -- one closure

    def _try(self, state: str, first: str, best: Variable) -> None:
        """The closure of a transition, if it has fewer enabled members than the best set so far."""
        body, words = self._body, self._sets.words
        self._clear(self._row)
        self._clear(self._done)
        self._set_bit(self._row, first)
        size = body.variable("i32", "1")
        with body.loop() as loop:
            next_ = self._first_of(self._row, but=self._done)  # it has not brought what it needs yet
            loop.leave_if(body.let(f"icmp eq i32 {next_}, -1"))
            self._set_bit(self._done, next_)
            source = body.variable("i64", "-1")
            is_enabled = self._has_bit(self._enabled, next_)
            with body.when(is_enabled):
                source.set(self._row_of("do not accord", self._wide(next_)))
            with body.when(body.let(f"xor i1 {is_enabled}, true")):
                self._first_usable(state, next_, source)
            # No set: only everything is surely stubborn.
            with body.when(body.let(f"icmp eq i64 {source.get()}, -1")):
                size.set("-1")
            loop.leave_if(body.let(f"icmp eq i64 {source.get()}, -1"))
            self._add(source.get())
            size.set(self._count(self._row, self._enabled))
            loop.leave_if(body.let(f"icmp uge i32 {size.get()}, {best.get()}"))
        with body.when(body.let(f"icmp ult i32 {size.get()}, {best.get()}")):
            best.set(size.get())
            self._is_reduced.set("true")
            with body.each(str(words)) as word:
                body.do(f"store i64 {self._word(self._row, word)}, ptr {self._place(self._best, word)}, align 8")

    def _first_usable(self, state: str, transition: str, source: Variable) -> None:
        """Where the first of its sets begins whose guard has the value that makes it usable."""
        body, guards = self._body, self._guards
        begin, end = self._bounds("sets", self._wide(transition))
        at = body.variable("i64", begin)
        with body.loop() as loop:
            loop.leave_unless(body.let(f"icmp ult i64 {at.get()}, {end}"))
            wide = self._relation("sets items", at.get())
            disables = body.let(f"icmp uge i64 {wide}, {guards}")
            less = body.let(f"select i1 {disables}, i64 {guards}, i64 0")
            guard = self._narrow(body.let(f"sub i64 {wide}, {less}"))
            usable = body.let(f"icmp eq i1 {self._holds(state, guard)}, {disables}")
            with body.when(usable):
                source.set(self._row_of("necessary", wide))
            loop.leave_if(usable)
            at.add("1")

    def _row_of(self, part: str, number: str) -> str:
        """Where a row of the table begins."""
        offset = self._body.let(f"mul i64 {number}, {self._sets.words}")
        return self._body.let(f"add i64 {offset}, {self._sets.places[part]}")

    def _add(self, source: str) -> None:
        body = self._body
        with body.each(str(self._sets.words)) as word:
            at = body.let(f"add i64 {source}, {self._wide(word)}")
            place = body.let(f"getelementptr i64, {self._memory} %relations, i64 {at}")
            there = body.let(f"load i64, {self._memory} {place}, align 8")
            both = body.let(f"or i64 {self._word(self._row, word)}, {there}")
            body.do(f"store i64 {both}, ptr {self._place(self._row, word)}, align 8")
