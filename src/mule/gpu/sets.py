"""What the threads know of a reduction: tables in the memory of the machine, which no thread changes, and sets of
transitions as rows of bits, of which each thread has some of its own."""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from mule.gpu.targets import Target
from mule.gpu.text import Body
from mule.options import Por
from mule.records import Record

DECLARATIONS = """declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.ctpop.i64(i64)"""


class Sets(Record, frozen=True):
    """How stubborn sets are found."""

    por: Por
    transitions: int
    guards: int
    ignores_nothing: bool
    """Where all successors of a reduced set are closed, all transitions are taken (the proviso closed-), and error
    transitions count as enabled: what preserves safety needs both, and what preserves deadlocks neither."""
    table: bytes
    places: Mapping[str, int]
    """Where the parts of the table begin, in words."""

    @property
    def words(self) -> int:
        """Of a row."""
        return words_for(self.transitions)


def words_for(bits: int) -> int:
    return (bits + 63) // 64


class Tables:
    """A table under construction, part by part."""

    def __init__(self, transitions: int) -> None:
        self._transitions = transitions
        self._content = bytearray()
        self.places: dict[str, int] = {}

    @property
    def content(self) -> bytes:
        return bytes(self._content) or bytes(8)

    def rows(self, name: str, rows: Sequence[int]) -> None:
        """Sets of transitions."""
        self._begin(name)
        for row in rows:
            self._content += row.to_bytes(8 * words_for(self._transitions), "little")

    def numbers(self, name: str, numbers: Sequence[int]) -> None:
        self._begin(name)
        self._content += struct.pack(f"<{len(numbers)}Q", *numbers)

    def lists(self, name: str, lists: Sequence[Sequence[int]]) -> None:
        """Where each begins, and where the last one ends; and what is in them, as the part `name` items."""
        ends = [0]
        for each in lists:
            ends.append(ends[-1] + len(each))
        self.numbers(name, ends)
        self.numbers(f"{name} items", [number for each in lists for number in each])

    def _begin(self, name: str) -> None:
        self.places[name] = len(self._content) // 8


class Chooser(ABC):
    """Writes the search for a set into a kernel; `%relations` is the table."""

    def __init__(self, body: Body, sets: Sets, target: Target) -> None:
        self._body = body
        self._sets = sets
        self._memory = target.memory
        self._enabled, self._best = (body.room(f"[{sets.words} x i64]") for _ in range(2))
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

    @abstractmethod
    def choose(self, state: str) -> None:
        """From what is enabled."""

    # -- the table

    def _relation(self, part: str, offset: str) -> str:
        """A word of a part."""
        at = self._body.let(f"add i64 {offset}, {self._sets.places[part]}")
        place = self._body.let(f"getelementptr i64, {self._memory} %relations, i64 {at}")
        return self._body.let(f"load i64, {self._memory} {place}, align 8")

    def _bounds(self, part: str, number: str) -> tuple[str, str]:
        """Where a list begins and ends among the items."""
        return self._relation(part, number), self._relation(part, self._body.let(f"add i64 {number}, 1"))

    def _holds(self, state: str, guard: str) -> str:
        return self._body.let(f"call zeroext i1 @guard(ptr {state}, i32 {guard})")

    def _wide(self, number: str) -> str:
        return self._body.let(f"zext i32 {number} to i64")

    def _narrow(self, number: str) -> str:
        return self._body.let(f"trunc i64 {number} to i32")

    # -- rows of this thread

    def _lowest(self, bits: str, word: str) -> str:
        body = self._body
        position = body.let(f"trunc i64 {body.let(f'call i64 @llvm.cttz.i64(i64 {bits}, i1 true)')} to i32")
        return body.let(f"add i32 {body.let(f'mul i32 {word}, 64')}, {position}")

    def _first_of(self, row: str, but: str | None = None) -> str:
        """The least number in a row that is not in the other one, or -1."""
        body = self._body
        found = body.variable("i32", "-1")
        number = body.variable("i32", "0")
        with body.loop() as loop:
            word = number.get()
            loop.leave_unless(body.let(f"icmp ult i32 {word}, {self._sets.words}"))
            bits = self._word(row, word)
            if but is not None:
                bits = body.let(f"and i64 {bits}, {body.let(f'xor i64 {self._word(but, word)}, -1')}")
            with body.when(body.let(f"icmp ne i64 {bits}, 0")):
                found.set(self._lowest(bits, word))
            loop.leave_if(body.let(f"icmp ne i64 {bits}, 0"))
            number.add("1")
        return found.get()

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

    def _clear_bit(self, row: str, number: str) -> None:
        word, bit = self._split(number)
        others = self._body.let(f"and i64 {self._word(row, word)}, {self._body.let(f'xor i64 {bit}, -1')}")
        self._body.do(f"store i64 {others}, ptr {self._place(row, word)}, align 8")

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
