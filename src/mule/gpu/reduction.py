"""Stubborn sets, computed by each thread for its state: the closure algorithm (guard-based POR, Algorithm 1), from one
enabled transition, or from each of them for the smallest set (Algorithm 3 without its heuristic). Every disabled member
brings its first usable necessary enabling set, so that the closure is the same in whatever order it is computed.

The relations are words in the memory of the machine, which no thread changes."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from mule.codegen import Listing
from mule.engine import tests_only_locations
from mule.gpu.targets import Target
from mule.gpu.text import Body, Variable
from mule.options import Por
from mule.records import Record
from mule.relations import Relations
from mule.relations.accesses import members


class Sets(Record, frozen=True):
    """How sets are found."""

    transitions: int
    guards: int
    every_start: bool
    """Whether the closure of each enabled transition is computed, and the smallest one taken."""
    ignores_nothing: bool
    """Where no successor of a reduced set is fresh, all are taken (C3⁻_duplicate), and error transitions count as
    enabled: what preserves safety needs both, and what preserves deadlocks neither."""
    table: bytes
    """Rows of bits: what does not accord with each transition; the necessary enabling sets of the guards, and the
    disabling ones. Then, for each transition, where its sets begin, and where those of the last one end; and the sets,
    by their numbers."""

    @property
    def words(self) -> int:
        """Of a row."""
        return (self.transitions + 63) // 64

    @property
    def members(self) -> int:
        """Where the rows of the necessary sets begin, in words."""
        return self.transitions * self.words

    @property
    def places(self) -> int:
        return self.members + 2 * self.guards * self.words

    @property
    def numbers(self) -> int:
        return self.places + self.transitions + 1


def sets_of(listing: Listing, relations: Relations, por: Por, nds: bool, preserves_safety: bool) -> Sets:
    model = listing.model
    count, guards = len(model.transitions), len(model.guards)
    control = [tests_only_locations(guard.expression) for guard in model.guards]
    lists = [_necessary(transition.guards, relations, guards, control, nds) for transition in model.transitions]
    size = 8 * ((count + 63) // 64)
    rows = [*relations.do_not_accord, *relations.enabling, *relations.disabling]
    places = [0]
    for each in lists:
        places.append(places[-1] + len(each))
    numbers = [*places, *(number for each in lists for number in each)]
    table = b"".join(row.to_bytes(size, "little") for row in rows) + struct.pack(f"<{len(numbers)}Q", *numbers)
    return Sets(count, guards, por == "beam-noh", preserves_safety, table)


def _necessary(own: Sequence[int], relations: Relations, guards: int, control: list[bool], nds: bool) -> list[int]:
    """As the engine orders them (engine/reduction/necessary_sets.cpp): those over control locations first."""
    found = set(own)
    if nds:
        found |= {guards + other for guard in own for other in members(relations.never_coenabled[guard])}
    return sorted(found, key=lambda number: (not control[number % guards], number))


class Chooser:
    """Writes the search for a set into a kernel; `%relations` is the table."""

    def __init__(self, body: Body, sets: Sets, target: Target) -> None:
        self._body = body
        self._sets = sets
        self._memory = target.memory
        self._enabled, self._row, self._done, self._best = (body.room(f"[{sets.words} x i64]") for _ in range(4))
        self._is_reduced = body.variable("i1", "false")

    def begin(self) -> None:
        """With a state: nothing is enabled yet."""
        self._clear(self._enabled)
        self._is_reduced.set("false")

    def note_enabled(self, transition: str) -> None:
        self._set_bit(self._enabled, transition)

    @property
    def is_reduced(self) -> str:
        return self._is_reduced.get()

    def is_chosen(self, transition: str) -> str:
        """Of an enabled transition."""
        inside = self._has_bit(self._best, transition)
        return self._body.let(f"or i1 {inside}, {self._body.let(f'xor i1 {self._is_reduced.get()}, true')}")

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
                if not self._sets.every_start:
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
            next_ = self._unprocessed()
            loop.leave_if(body.let(f"icmp eq i32 {next_}, -1"))
            self._set_bit(self._done, next_)
            source = body.variable("i64", "-1")
            is_enabled = self._has_bit(self._enabled, next_)
            with body.when(is_enabled):
                source.set(self._scaled(next_, words))
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

    def _unprocessed(self) -> str:
        """A member that has not brought what it needs yet, or -1."""
        body = self._body
        found = body.variable("i32", "-1")
        number = body.variable("i32", "0")
        with body.loop() as loop:
            word = number.get()
            loop.leave_unless(body.let(f"icmp ult i32 {word}, {self._sets.words}"))
            others = body.let(f"xor i64 {self._word(self._done, word)}, -1")
            open_ = body.let(f"and i64 {self._word(self._row, word)}, {others}")
            with body.when(body.let(f"icmp ne i64 {open_}, 0")):
                found.set(self._lowest(open_, word))
            loop.leave_if(body.let(f"icmp ne i64 {open_}, 0"))
            number.add("1")
        return found.get()

    def _first_usable(self, state: str, transition: str, source: Variable) -> None:
        """Where the first of its sets begins whose guard has the value that makes it usable."""
        body, sets = self._body, self._sets
        at = body.variable("i64", self._relation(self._offset(sets.places, transition)))
        end = self._relation(self._offset(sets.places + 1, transition))
        with body.loop() as loop:
            loop.leave_unless(body.let(f"icmp ult i64 {at.get()}, {end}"))
            wide = self._relation(body.let(f"add i64 {at.get()}, {sets.numbers}"))
            number = body.let(f"trunc i64 {wide} to i32")
            disables = body.let(f"icmp uge i32 {number}, {sets.guards}")
            less = body.let(f"select i1 {disables}, i32 {sets.guards}, i32 0")
            guard = body.let(f"sub i32 {number}, {less}")
            holds = body.let(f"call zeroext i1 @guard(ptr {state}, i32 {guard})")
            usable = body.let(f"icmp eq i1 {holds}, {disables}")
            with body.when(usable):
                row = body.let(f"mul i64 {wide}, {sets.words}")
                source.set(body.let(f"add i64 {row}, {sets.members}"))
            loop.leave_if(usable)
            at.add("1")

    def _add(self, source: str) -> None:
        body = self._body
        with body.each(str(self._sets.words)) as word:
            there = self._relation(body.let(f"add i64 {source}, {body.let(f'zext i32 {word} to i64')}"))
            both = body.let(f"or i64 {self._word(self._row, word)}, {there}")
            body.do(f"store i64 {both}, ptr {self._place(self._row, word)}, align 8")

    # -- bits

    def _lowest(self, bits: str, word: str) -> str:
        body = self._body
        position = body.let(f"trunc i64 {body.let(f'call i64 @llvm.cttz.i64(i64 {bits}, i1 true)')} to i32")
        return body.let(f"add i32 {body.let(f'mul i32 {word}, 64')}, {position}")

    def _count(self, row: str, within: str) -> str:
        body = self._body
        total = body.variable("i64", "0")
        with body.each(str(self._sets.words)) as word:
            both = body.let(f"and i64 {self._word(row, word)}, {self._word(within, word)}")
            total.add(body.let(f"call i64 @llvm.ctpop.i64(i64 {both})"))
        return body.let(f"trunc i64 {total.get()} to i32")

    def _clear(self, row: str) -> None:
        with self._body.each(str(self._sets.words)) as word:
            self._body.do(f"store i64 0, ptr {self._place(row, word)}, align 8")

    def _set_bit(self, row: str, number: str) -> None:
        word, bit = self._split(number)
        both = self._body.let(f"or i64 {self._word(row, word)}, {bit}")
        self._body.do(f"store i64 {both}, ptr {self._place(row, word)}, align 8")

    def _has_bit(self, row: str, number: str) -> str:
        word, bit = self._split(number)
        return self._body.let(f"icmp ne i64 {self._body.let(f'and i64 {self._word(row, word)}, {bit}')}, 0")

    def _split(self, number: str) -> tuple[str, str]:
        body = self._body
        shift = body.let(f"zext i32 {body.let(f'and i32 {number}, 63')} to i64")
        return body.let(f"lshr i32 {number}, 6"), body.let(f"shl i64 1, {shift}")

    def _place(self, row: str, word: str) -> str:
        return self._body.let(f"getelementptr i64, ptr {row}, i32 {word}")

    def _word(self, row: str, word: str) -> str:
        return self._body.let(f"load i64, ptr {self._place(row, word)}, align 8")

    def _scaled(self, number: str, factor: int) -> str:
        return self._body.let(f"mul i64 {self._body.let(f'zext i32 {number} to i64')}, {factor}")

    def _offset(self, base: int, number: str) -> str:
        return self._body.let(f"add i64 {self._body.let(f'zext i32 {number} to i64')}, {base}")

    def _relation(self, offset: str) -> str:
        place = self._body.let(f"getelementptr i64, {self._memory} %relations, i64 {offset}")
        return self._body.let(f"load i64, {self._memory} {place}, align 8")


DECLARATIONS = (
    "declare i64 @llvm.cttz.i64(i64, i1)\ndeclare i64 @llvm.ctlz.i64(i64, i1)\ndeclare i64 @llvm.ctpop.i64(i64)"
)
