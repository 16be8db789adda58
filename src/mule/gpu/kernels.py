"""The kernels, as LLVM text beside that of the model: so the model's functions become part of them, and no compiler is
needed but LLVM's.

All kernels take states from the log, in which every state that was met has its place, in the order in which they were
met. Groups of threads take as many states as they have threads, until none is left, or until so many states are stored
that there might not be room for all successors. So a kernel may be started by any number of threads, and again with
what is left."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from mule.codegen import Listing
from mule.codegen.emitter import FailureCode
from mule.codegen.layout import OCCUPIED
from mule.codegen.module import HEADER_WORDS
from mule.gpu.reduction import chooser_for
from mule.gpu.sets import DECLARATIONS, Chooser, Sets
from mule.gpu.table import MARK, Cells, Met, cells_for, find_text, load_own, table_text
from mule.gpu.targets import Target
from mule.gpu.text import Body, Loop, Variable
from mule.gpu.writer import Counter, Sought, Writer, transition_of

CYCLES = ("enlist", "follow", "settle", "nearest")
GROUPS = (("level", "rehash"), ("errors",), ("predecessor", "describe"), CYCLES)
"""Kernels that are compiled together: many a search needs the first ones alone."""


def groups_for(listing: Listing) -> tuple[tuple[str, ...], ...]:
    """Those that a search of the model is sure to need."""
    return (GROUPS[0], CYCLES) if listing.is_product else (GROUPS[0],)


def group_of(kernel: str) -> tuple[str, ...]:
    return next(group for group in GROUPS if kernel in group)


def kernels_text(
    listing: Listing, sets: Sets | None, target: Target, names: Sequence[str], cells: Cells | None = None
) -> str:
    """Some of the kernels, with the model. `sets`: how stubborn sets are found; None: nothing is reduced."""
    return _Kernels(listing, sets, target, cells or cells_for(listing.layout.words, target)).text(names)


def bytes_per_thread(listing: Listing) -> int:
    """The successors of one state."""
    return 8 * listing.max_successors * (HEADER_WORDS + listing.layout.words)


class _Kernels(Writer):
    def text(self, names: Sequence[str]) -> str:
        writers: dict[str, Callable[[], str]] = {
            "level": self._level,
            "rehash": self._rehash,
            "errors": self._errors,
            "predecessor": self._predecessor,
            "describe": self._describe,
        }
        # Nobody else calls the functions of the model: those that are not called here are left out.
        model = re.sub("^define (?!internal)", "define internal ", self._listing.text, flags=re.MULTILINE)
        table = table_text(self._words, self._target, self._cells, self._marks)
        more = [] if self._sets is None else [DECLARATIONS]
        if set(names) & set(CYCLES):
            from mule.gpu.cycles import CycleKernels  # of use to few searches

            cycles = CycleKernels(self._listing, self._sets, self._target, self._cells)
            writers |= {name: getattr(cycles, name) for name in CYCLES}
            more.append(find_text(self._words, self._target))
        return "\n\n".join((model, self._target.functions, table, *more, *(writers[name]() for name in names))) + "\n"

    # -- the kernels

    def _level(self) -> str:
        """Expand states, store their successors, judge what there is to judge. A crew of threads that can wait for
        each other goes on with the levels that follow, as long as these are narrow, and notes where they end."""
        body = Body()
        out = self._room_for_successors(body)
        counted = [Counter.STEPS, Counter.DEADLOCKS, Counter.FAILURES, Counter.ASSERTIONS]
        if self._listing.transient is not None:
            counted.append(Counter.TRANSIENT)
        if self._sets is not None:
            counted.append(Counter.FULLY)
        totals = {counter: body.variable("i64", "0") for counter in counted}
        chooser = None if self._sets is None else chooser_for(body, self._sets, self._target)
        first, count = body.variable("i64", "%first"), body.variable("i32", "%count")
        finished = body.variable("i32", "0")
        with body.loop() as levels:
            with self._each_group(body, first.get(), count.get()) as (number, is_there, state):
                numbers = {counter: body.variable("i32", "0") for counter in counted}
                fresh = body.variable("i32", "0")
                with body.when(is_there):
                    hash_ = self._load(body, number, state)
                    self._judge(body, number, state)
                    written = body.let(f"call i32 @expand(ptr {state}, i64 {hash_}, ptr {out})")
                    if chooser is None:

                        def take(entry: str, there: str, _: str) -> None:
                            self._take_successor(body, out, there, entry, numbers, fresh)

                        self._look_at(body, out, written, number, numbers, take)
                    else:
                        self._take_reduced(body, chooser, state, out, written, number, numbers, fresh)
                    with body.when(body.let(f"icmp eq i32 {written}, 0")):
                        self._judge_stuck(body, number, state, numbers[Counter.DEADLOCKS])
                self._append(body, out, fresh.get(), "%log", Counter.STORED)
                for counter, own in numbers.items():
                    of_all = body.let(f"call i32 @sum(i32 {own.get()})")
                    totals[counter].add(body.let(f"zext i32 {of_all} to i64"))
            levels.leave_if(body.let("icmp eq i32 %levels, 1"))
            self._go_down(body, levels, first, count, finished)
        self._tell(body, totals)
        body.do("ret void")
        memory = self._target.memory
        more = f", {memory} %fired, {memory} %findings, i32 %sought"
        more += f", i32 %levels, i32 %widest, i32 %crew, {memory} %ends"
        more += "" if self._sets is None else f", {memory} %relations"
        return self._define("level", body, with_table=True, more=more)

    def _rehash(self) -> str:
        """States of the log into an empty table, with their marks."""
        body = Body()
        memory = self._target.memory
        with self._each_group(body) as (number, is_there, state), body.when(is_there):
            hash_ = self._load(body, number, state)
            if self._marks:
                first = body.let(f"load i64, {memory} {self._first_word(body, number)}, align 8")
                body.do(f"store i64 {first}, ptr {state}, align 8")
            body.let(f"call i32 @insert({memory} %table, i64 %size, i64 {hash_}, ptr {state})")
        body.do("ret void")
        return self._define("rehash", body, with_table=True)

    def _errors(self) -> str:
        """What is kept of states with a step that fails, into a log and a table of their own."""
        mask = self._listing.error_mask
        assert mask is not None
        body = Body()
        out = self._room_for_successors(body)
        memory = self._target.memory
        with self._each_group(body) as (number, is_there, state):
            fresh = body.variable("i32", "0")
            with body.when(is_there):
                hash_ = self._load(body, number, state)
                written = body.let(f"call i32 @expand(ptr {state}, i64 {hash_}, ptr {out})")
                fails = body.variable("i1", "false")
                with body.each(written) as entry:
                    failure = self._failure(body, self._header(body, self._entry(body, out, entry)))
                    is_error = body.let(f"icmp ne i32 {failure}, {int(FailureCode.ASSERTION)}")
                    is_error = body.let(f"and i1 {is_error}, {body.let(f'icmp ne i32 {failure}, 0')}")
                    fails.set(body.let(f"or i1 {fails.get()}, {is_error}"))
                with body.when(fails.get()):
                    first = self._words_of(body, out)
                    for word, bits in enumerate(mask):
                        kept = body.let(f"and i64 {load_own(body, state, word)}, {bits}")
                        kept = body.let(f"or i64 {kept}, {OCCUPIED}") if word == 0 else kept
                        body.do(f"store i64 {kept}, ptr {body.let(f'getelementptr i64, ptr {first}, i64 {word}')}")
                    own_hash = body.let(f"call i64 @hash_state(ptr {first})")
                    met = body.let(f"call i32 @insert({memory} %table, i64 %size, i64 {own_hash}, ptr {first})")
                    won = body.let(f"icmp eq i32 {met}, {int(Met.FRESH)}")
                    fresh.set(body.let(f"zext i1 {won} to i32"))
                    body.do(f"store i64 0, ptr {out}")
            self._append(body, out, fresh.get(), "%kept", Counter.STORED)
        body.do("ret void")
        return self._define("errors", body, with_table=True, more=f", {memory} %kept")

    def _predecessor(self) -> str:
        """The least place of a state with a step to the state at `target`, in the word behind it."""
        body = Body()
        memory = self._target.memory
        with self._each_expanded(body) as (number, out, written), body.each(written) as entry:
            there = self._entry(body, out, entry)
            failure = self._failure(body, self._header(body, there))
            equal = body.let(f"icmp eq i32 {failure}, 0")
            for word in range(self._words):
                place = body.let(f"getelementptr i64, {memory} %target, i64 {word}")
                wanted = body.let(f"load i64, {memory} {place}, align 8")
                own = load_own(body, self._words_of(body, there), word)
                equal = body.let(f"and i1 {equal}, {body.let(f'icmp eq i64 {own}, {wanted}')}")
            with body.when(equal):
                least = body.let(f"getelementptr i64, {memory} %target, i64 {self._words}")
                body.let(f"atomicrmw umin {memory} {least}, i64 {number} {self._target.scope}monotonic")
        body.do("ret void")
        return self._define("predecessor", body, more=f", {memory} %target")

    def _describe(self) -> str:
        """How many successors a state has, and all of them with their headers."""
        body = Body()
        memory = self._target.memory
        with self._each_expanded(body) as (_, out, written):
            body.do(f"store i64 {body.let(f'zext i32 {written} to i64')}, {memory} %successors, align 8")
            with body.each(body.let(f"mul i32 {written}, {self._stride}")) as word:
                there = body.let(f"getelementptr i64, ptr {out}, i32 {word}")
                place = body.let(f"getelementptr i64, {memory} %successors, i32 {body.let(f'add i32 {word}, 1')}")
                body.do(f"store i64 {body.let(f'load i64, ptr {there}, align 8')}, {memory} {place}, align 8")
        body.do("ret void")
        return self._define("describe", body, more=f", {memory} %successors")

    @contextmanager
    def _each_expanded(self, body: Body) -> Iterator[tuple[str, str, str]]:
        """The number of each state in the log, its successors, and how many they are."""
        out = self._room_for_successors(body)
        with self._each_group(body) as (number, is_there, state), body.when(is_there):
            hash_ = self._load(body, number, state)
            yield number, out, body.let(f"call i32 @expand(ptr {state}, i64 {hash_}, ptr {out})")

    def _go_down(self, body: Body, levels: Loop, first: Variable, count: Variable, finished: Variable) -> None:
        """To the next level, if this one is finished and the next one is narrow. All threads of the crew come here."""
        self._meet(body)
        stored, taken, findings = (
            self._known(body, counter) for counter in (Counter.STORED, Counter.NEXT, Counter.FINDINGS)
        )
        wanted = body.let(f"zext i32 {count.get()} to i64")
        is_finished = body.let(f"icmp uge i64 {taken}, {wanted}")
        one = self._meet(body)
        with body.when(body.let(f"and i1 {one}, {is_finished}")):
            done = finished.get()
            place = body.let(f"getelementptr i64, {self._target.memory} %ends, i32 {done}")
            body.do(f"store i64 {stored}, {self._target.memory} {place}, align 8")
            more = body.let(f"zext i32 {body.let(f'add i32 {done}, 1')} to i64")
            self._set(body, Counter.LEVELS, more)
            self._set(body, Counter.NEXT, "0")
        finished.add("1")
        end = body.let(f"add i64 {first.get()}, {wanted}")
        next_ = body.let(f"sub i64 {stored}, {end}")
        levels.leave_unless(is_finished)
        levels.leave_if(body.let(f"icmp eq i64 {next_}, 0"))
        levels.leave_if(body.let(f"icmp ne i64 {findings}, 0"))
        levels.leave_if(body.let(f"icmp ugt i64 {next_}, {body.let('zext i32 %widest to i64')}"))
        levels.leave_if(body.let(f"icmp eq i32 {finished.get()}, %levels"))
        first.set(end)
        count.set(body.let(f"trunc i64 {next_} to i32"))
        self._meet(body)

    # -- what a level does with a state

    def _judge(self, body: Body, number: str, state: str) -> None:
        """The first proposition that is false. One that is transient is inside of a step, and not judged."""
        if not self._listing.propositions:
            return
        with body.when(self._is_sought(body, Sought.PROPOSITION)):
            judged = body.variable("i1", "true")
            if self._listing.transient is not None:
                judged.set(body.let(f"xor i1 {self._holds(body, state, self._listing.transient)}, true"))
            broken = body.variable("i32", "-1")
            for proposition in reversed(range(self._listing.propositions)):
                holds = self._holds(body, state, proposition)
                broken.set(body.let(f"select i1 {holds}, i32 {broken.get()}, i32 {proposition}"))
            is_broken = body.let(f"and i1 {body.let(f'icmp ne i32 {broken.get()}, -1')}, {judged.get()}")
            with body.when(is_broken):
                self._note(body, Sought.PROPOSITION, number, body.let(f"zext i32 {broken.get()} to i64"))

    def _judge_stuck(self, body: Body, number: str, state: str, deadlocks: Variable) -> None:
        dead = "true"
        for predicate in (self._listing.end_states, self._listing.transient):
            if predicate is not None:
                holds = self._holds(body, state, predicate)
                dead = body.let(f"and i1 {dead}, {body.let(f'xor i1 {holds}, true')}")
        with body.when(dead):
            deadlocks.set("1")
            with body.when(self._is_sought(body, Sought.DEADLOCK)):
                self._note(body, Sought.DEADLOCK, number, "0")

    def _look_at(
        self,
        body: Body,
        out: str,
        written: str,
        number: str,
        numbers: dict[Counter, Variable],
        take: Callable[[str, str, str], None],
        note: Callable[[str, str], None] = lambda header, failure: None,
    ) -> None:
        """What can happen: `take(entry, its place, header)` where there is a successor. `note(header, failure)` hears
        of everything."""
        noted = body.variable("i1", "false")
        with body.each(written) as entry:
            there = self._entry(body, out, entry)
            header = self._header(body, there)
            self._cover(body, header)
            failure = self._failure(body, header)
            note(header, failure)
            goes_on = body.let(f"icmp eq i32 {failure}, 0")
            with body.when(goes_on):
                take(entry, there, header)
            with body.when(body.let(f"xor i1 {goes_on}, true")):
                asserts = body.let(f"icmp eq i32 {failure}, {int(FailureCode.ASSERTION)}")
                numbers[Counter.ASSERTIONS].add(body.let(f"zext i1 {asserts} to i32"))
                is_error = body.let(f"xor i1 {asserts}, true")
                numbers[Counter.FAILURES].add(body.let(f"zext i1 {is_error} to i32"))
                kind = body.let(f"select i1 {asserts}, i32 {int(Sought.ASSERTION)}, i32 {int(Sought.ERROR)}")
                first = body.let(f"xor i1 {noted.get()}, true")
                with body.when(body.let(f"and i1 {first}, {self._is_sought(body, kind)}")):
                    self._note(body, kind, number, header)
                    noted.set("true")
        if self._listing.error_mask is not None:
            with body.when(body.let(f"icmp ne i32 {numbers[Counter.FAILURES].get()}, 0")):
                self._increase(body, Counter.FAILING, "1")

    def _take_reduced(
        self,
        body: Body,
        chooser: Chooser,
        state: str,
        out: str,
        written: str,
        number: str,
        numbers: dict[Counter, Variable],
        fresh: Variable,
    ) -> None:
        """Those of a stubborn set; and the others, where nothing may be ignored for ever and all of them are closed.
        The state itself is closed before any of them is asked about."""
        assert self._sets is not None
        sets = self._sets

        def note(header: str, failure: str) -> None:
            if sets.ignores_nothing:
                return chooser.note_enabled(transition_of(body, header))
            with body.when(body.let(f"icmp ult i32 {failure}, {int(FailureCode.ERROR)}")):
                chooser.note_enabled(transition_of(body, header))

        def take_if(wanted: bool) -> None:
            with body.each(written) as entry:
                there = self._entry(body, out, entry)
                header = self._header(body, there)
                goes_on = body.let(f"icmp eq i32 {self._failure(body, header)}, 0")
                chosen = chooser.is_chosen(transition_of(body, header))
                chosen = chosen if wanted else body.let(f"xor i1 {chosen}, true")
                with body.when(body.let(f"and i1 {goes_on}, {chosen}")):
                    met = self._take_successor(body, out, there, entry, numbers, fresh)
                    with body.when(body.let(f"icmp ne i32 {met}, {int(Met.CLOSED)}")):
                        leads_on.set("true")

        memory = self._target.memory
        leads_on = body.variable("i1", "false")
        cell = body.variable("i64", "0")
        chooser.begin()
        self._look_at(body, out, written, number, numbers, lambda *_: None, note)
        chooser.choose(state)
        if sets.ignores_nothing:
            with body.when(chooser.is_reduced):
                hash_ = body.let(f"call i64 @hash_state(ptr {state})")
                cell.set(body.let(f"call i64 @close({memory} %table, i64 %size, i64 {hash_}, ptr {state})"))
                self._mark_in_log(body, number, state, MARK)
                body.do("call void @keep_order()")
        take_if(True)
        if sets.ignores_nothing:
            closed = body.let(f"xor i1 {leads_on.get()}, true")
            with body.when(body.let(f"and i1 {closed}, {chooser.is_reduced}")):
                numbers[Counter.FULLY].set("1")
                body.do(f"call void @reopen({memory} %table, i64 {cell.get()}, ptr {state})")
                self._mark_in_log(body, number, state, 0)
                take_if(False)

    def _mark_in_log(self, body: Body, number: str, state: str, mark: int) -> None:
        """For the table that is made after this one."""
        first = body.let(f"or i64 {load_own(body, state, 0)}, {mark}")
        body.do(f"store i64 {first}, {self._target.memory} {self._first_word(body, number)}, align 8")

    def _first_word(self, body: Body, number: str) -> str:
        offset = body.let(f"mul i64 {number}, {self._words}")
        return body.let(f"getelementptr i64, {self._target.memory} %log, i64 {offset}")

    def _take_successor(
        self, body: Body, out: str, there: str, entry: str, numbers: dict[Counter, Variable], fresh: Variable
    ) -> str:
        """Store it; the first word of the n-th entry then says which is the n-th that is fresh. What was met."""
        state = self._words_of(body, there)
        hash_ = load_own(body, there, 0)
        counted = "1"
        transient = None
        if self._listing.transient is not None:
            transient = self._holds(body, state, self._listing.transient)
            if not self._listing.is_product:
                counted = body.let(f"zext i1 {body.let(f'xor i1 {transient}, true')} to i32")
        numbers[Counter.STEPS].add(counted)
        met = body.let(f"call i32 @insert({self._target.memory} %table, i64 %size, i64 {hash_}, ptr {state})")
        with body.when(body.let(f"icmp eq i32 {met}, {int(Met.FRESH)}")):
            place = self._entry(body, out, fresh.get())
            body.do(f"store i64 {body.let(f'zext i32 {entry} to i64')}, ptr {place}, align 8")
            fresh.add("1")
            if transient is not None:
                numbers[Counter.TRANSIENT].add(body.let(f"zext i1 {transient} to i32"))
        return met
