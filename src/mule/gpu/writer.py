"""What all kernels are made of: groups of threads that take states, the log that they read and append to, and the words
in which they count."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from mule.codegen import Listing
from mule.codegen.module import HEADER_WORDS
from mule.gpu.sets import Sets
from mule.gpu.table import MARK, Cells, load_own
from mule.gpu.targets import Target
from mule.gpu.text import Body, Variable


class Counter(IntEnum):
    """Words that all threads count in; those that are counted in most often do not share a cache line."""

    NEXT = 0
    """How many of the states were taken, or more."""
    LEVELS = 1
    """How many levels were finished."""
    STORED = 16
    """States in the log."""
    LISTED = 17
    """Cells in a list; while these are counted, no state is stored."""
    STEPS = 32
    DEADLOCKS = 33
    FAILURES = 34
    ASSERTIONS = 35
    TRANSIENT = 36
    FINDINGS = 37
    FAILING = 38
    """States with a step that fails."""
    FULLY = 39
    """States whose stubborn set would not do."""
    MEETING = 40
    """And the word behind it: where threads wait for each other."""
    LOST = 42
    """Cells that are no longer in question, where they are not listed."""
    NEAREST = 43
    """The least place in the log of a state that is."""


COUNTERS = 48
"""Words."""


class Sought(IntEnum):
    """What is noted of a state, as bits."""

    PROPOSITION = 1
    DEADLOCK = 2
    ASSERTION = 4
    ERROR = 8


FINDING_WORDS = 4
"""What it is, the state's place in the log, the number of the proposition or the header of the failing step, 0."""
MOST_FINDINGS = 4096
"""Further ones are counted, and nothing else."""


class Writer:
    """Of the kernels of one model, for one machine."""

    def __init__(self, listing: Listing, sets: Sets | None, target: Target, cells: Cells) -> None:
        self._listing = listing
        self._sets = sets
        self._target = target
        self._cells = cells
        self._words = listing.layout.words
        self._stride = HEADER_WORDS + self._words
        self._marks = sets is not None and sets.ignores_nothing
        """Whether states are closed; those that are have a mark in the log, too."""

    def _define(self, name: str, body: Body, with_table: bool = False, more: str = "") -> str:
        memory = self._target.memory
        table = f", {memory} %table, i64 %size" if with_table else ""
        parameters = f"{memory} %counters, i64 %limit, {memory} %log, i64 %first, i32 %count{table}{more}"
        return f"define {self._target.linkage} @{name}({parameters}) nounwind {{\n{body.text()}\n}}"

    @contextmanager
    def _each_group(self, body: Body, first: str = "%first", count: str = "%count") -> Iterator[tuple[str, str, str]]:
        """The loop over the states that a group of threads takes: the number of the state of this lane in the log,
        whether there is one, and room for it."""
        state = body.room(f"[{self._words} x i64]")
        with body.loop() as loop:
            taken = self._take_group(body, count)
            loop.leave_unless(body.let(f"icmp ult i32 {taken}, {count}"))
            own = body.let(f"add i32 {taken}, {body.let('call i32 @lane()')}")
            is_there = body.let(f"icmp ult i32 {own}, {count}")
            number = body.let(f"add i64 {first}, {body.let(f'zext i32 {own} to i64')}")
            yield number, is_there, state

    def _take_group(self, body: Body, count: str) -> str:
        """The first of the states that this group takes: one of them looks whether there is room."""
        taken = body.variable("i32", count)
        with body.when(self._is_first(body)):
            stored = self._known(body, Counter.STORED)
            with body.when(body.let(f"icmp ule i64 {stored}, %limit")):
                counted = self._increase(body, Counter.NEXT, str(self._target.lanes))
                # Every group that finds nothing has counted once too often.
                is_one = body.let(f"icmp ult i64 {counted}, {body.let(f'zext i32 {count} to i64')}")
                narrow = body.let(f"trunc i64 {counted} to i32")
                taken.set(body.let(f"select i1 {is_one}, i32 {narrow}, i32 {count}"))
        return body.let(f"call i32 @broadcast(i32 {taken.get()})")

    def _room_for_successors(self, body: Body) -> str:
        return body.room(f"[{max(self._listing.max_successors, 1) * self._stride} x i64]")

    def _load(self, body: Body, number: str, state: str, where: str = "%log") -> str:
        """A state of the log, or of the table, to where this thread alone sees it, without a mark; its hash."""
        memory = self._target.memory
        begin = body.let(f"getelementptr i64, {memory} {where}, i64 {body.let(f'mul i64 {number}, {self._words}')}")
        for word in range(self._words):
            there = body.let(f"getelementptr i64, {memory} {begin}, i64 {word}")
            own = body.let(f"getelementptr i64, ptr {state}, i64 {word}")
            content = body.let(f"load i64, {memory} {there}, align 8")
            if self._marks and word == 0:
                content = body.let(f"and i64 {content}, {~MARK}")
            body.do(f"store i64 {content}, ptr {own}, align 8")
        return body.let(f"call i64 @hash_state(ptr {state})")

    def _entry(self, body: Body, out: str, number: str) -> str:
        return body.let(f"getelementptr [{self._stride} x i64], ptr {out}, i32 {number}")

    @staticmethod
    def _header(body: Body, entry: str) -> str:
        return load_own(body, entry, 1)

    @staticmethod
    def _failure(body: Body, header: str) -> str:
        return body.let(f"trunc i64 {body.let(f'lshr i64 {header}, 48')} to i32")

    @staticmethod
    def _words_of(body: Body, entry: str) -> str:
        return body.let(f"getelementptr i64, ptr {entry}, i64 {HEADER_WORDS}")

    @staticmethod
    def _holds(body: Body, state: str, predicate: int) -> str:
        return body.let(f"call zeroext i1 @proposition(ptr {state}, i32 {predicate})")

    @staticmethod
    def _is_sought(body: Body, what: Sought | str) -> str:
        """`what`: as known here, or as the kernel finds out."""
        what = str(int(what)) if isinstance(what, Sought) else what
        return body.let(f"icmp ne i32 {body.let(f'and i32 %sought, {what}')}, 0")

    @staticmethod
    def _is_first(body: Body) -> str:
        return body.let(f"icmp eq i32 {body.let('call i32 @lane()')}, 0")

    def _counter(self, body: Body, counter: Counter) -> str:
        return body.let(f"getelementptr i64, {self._target.memory} %counters, i64 {int(counter)}")

    def _known(self, body: Body, counter: Counter) -> str:
        place = f"{self._target.memory} {self._counter(body, counter)}"
        return body.let(f"load atomic i64, {place} {self._target.scope}monotonic, align 8")

    def _set(self, body: Body, counter: Counter, value: str) -> None:
        place = f"{self._target.memory} {self._counter(body, counter)}"
        body.do(f"store atomic i64 {value}, {place} {self._target.scope}monotonic, align 8")

    def _meet(self, body: Body) -> str:
        meeting = self._counter(body, Counter.MEETING)
        return body.let(f"call i1 @meet({self._target.memory} {meeting}, i32 %crew)")

    def _increase(self, body: Body, counter: Counter, amount: str) -> str:
        """What it was before."""
        place = f"{self._target.memory} {self._counter(body, counter)}"
        return body.let(f"atomicrmw add {place}, i64 {amount} {self._target.scope}monotonic")

    def _cover(self, body: Body, header: str) -> None:
        """The transition is enabled in some state."""
        memory = self._target.memory
        transition = transition_of(body, header)
        place = body.let(f"getelementptr i8, {memory} %fired, i32 {transition}")
        with body.when(body.let(f"icmp eq i8 {body.let(self._target.look.format(place))}, 0")):
            body.do(f"store atomic i8 1, {memory} {place} {self._target.scope}monotonic, align 1")

    def _note(self, body: Body, what: Sought | str, number: str, detail: str) -> None:
        what = str(int(what)) if isinstance(what, Sought) else what
        memory = self._target.memory
        position = self._increase(body, Counter.FINDINGS, "1")
        with body.when(body.let(f"icmp ult i64 {position}, {MOST_FINDINGS}")):
            first = body.let(f"mul i64 {position}, {FINDING_WORDS}")
            for offset, value in enumerate((body.let(f"zext i32 {what} to i64"), number, detail)):
                word = body.let(f"add i64 {first}, {offset}")
                place = body.let(f"getelementptr i64, {memory} %findings, i64 {word}")
                body.do(f"store i64 {value}, {memory} {place}, align 8")

    def _tell(self, body: Body, totals: dict[Counter, Variable]) -> None:
        """What this group has counted, once."""
        with body.when(self._is_first(body)):
            for counter, total in totals.items():
                amount = total.get()
                with body.when(body.let(f"icmp ne i64 {amount}, 0")):
                    self._increase(body, counter, amount)

    def _append(self, body: Body, out: str, fresh: str, log: str, counter: Counter) -> None:
        """The fresh successors of all lanes to the end of a log. All lanes come here."""
        with self._each_place(body, fresh, counter) as (each, number):
            chosen = body.let(f"trunc i64 {load_own(body, self._entry(body, out, each), 0)} to i32")
            state = self._words_of(body, self._entry(body, out, chosen))
            offset = body.let(f"mul i64 {number}, {self._words}")
            place = body.let(f"getelementptr i64, {self._target.memory} {log}, i64 {offset}")
            for word in range(self._words):
                to = body.let(f"getelementptr i64, {self._target.memory} {place}, i64 {word}")
                body.do(f"store i64 {load_own(body, state, word)}, {self._target.memory} {to}, align 8")

    @contextmanager
    def _each_place(self, body: Body, own: str, counter: Counter) -> Iterator[tuple[str, str]]:
        """For each of so many things that this lane wants to append: its number, and its place among all that were
        ever appended. All lanes come here, and count once."""
        total = body.let(f"call i32 @sum(i32 {own})")
        with body.when(body.let(f"icmp ne i32 {total}, 0")):
            before = body.let(f"call i32 @before(i32 {own})")
            begin = body.variable("i64", "0")
            with body.when(self._is_first(body)):
                begin.set(self._increase(body, counter, body.let(f"zext i32 {total} to i64")))
            whole = begin.get()
            low = body.let(f"call i32 @broadcast(i32 {body.let(f'trunc i64 {whole} to i32')})")
            upper = body.let(f"trunc i64 {body.let(f'lshr i64 {whole}, 32')} to i32")
            high = body.let(f"call i32 @broadcast(i32 {upper})")
            wide = body.let(f"shl i64 {body.let(f'zext i32 {high} to i64')}, 32")
            wide = body.let(f"or i64 {wide}, {body.let(f'zext i32 {low} to i64')}")
            first = body.let(f"add i64 {wide}, {body.let(f'zext i32 {before} to i64')}")
            with body.each(own) as each:
                yield each, body.let(f"add i64 {first}, {body.let(f'zext i32 {each} to i64')}")


def transition_of(body: Body, header: str) -> str:
    return body.let(f"trunc i64 {header} to i32")
