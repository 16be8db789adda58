"""Ample sets as SPIN finds them: all enabled transitions of one process, where the label of its control location says
that they may be taken alone (see `relations.ample`); the smallest one, and the first of several."""

from __future__ import annotations

from mule.gpu.sets import Chooser, Sets, Tables
from mule.gpu.targets import Target
from mule.gpu.text import Body, Variable
from mule.relations import Relations
from mule.relations.ample import Block, Condition, label_locations

_MAY_BE_ENABLED = 1 << 32


def ample_tables(relations: Relations) -> Tables:
    """The transitions of each process, and all but those that start at a location of this process alone; which start at
    a location that may do, and at which ones; of each location its process and its conditions; and of each condition
    the blocks."""
    labels = label_locations(relations)
    tables = Tables(len(relations.model.transitions))
    alone = sum(1 << number for number, starts in enumerate(labels.starts) if len(starts) == 1)
    tables.rows("transitions of", labels.transitions_of)
    tables.rows("not alone", [~(own & alone) & (1 << len(labels.starts)) - 1 for own in labels.transitions_of])
    tables.rows("candidates", [sum(1 << number for number, starts in enumerate(labels.starts) if starts)])
    tables.lists("starts", labels.starts)
    tables.numbers("process of", [location.process for location in labels.locations])
    conditions = [condition for location in labels.locations for condition in location.conditions]
    numbers = iter(range(len(conditions)))
    tables.lists("conditions", [[next(numbers) for _ in location.conditions] for location in labels.locations])
    tables.numbers("condition", [_condition(each) for each in conditions])
    tables.lists("blocks", [[_block(block) for block in each.blocks] for each in conditions])
    return tables


def _condition(condition: Condition) -> int:
    return condition.transition | (_MAY_BE_ENABLED if condition.may_be_enabled else 0)


def _block(block: Block) -> int:
    """The guard that must be false, and 1 more than the one that must be true, if there is one."""
    return block.guard | (0 if block.given is None else block.given + 1) << 32


class AmpleSets(Chooser):
    def __init__(self, body: Body, sets: Sets, target: Target) -> None:
        super().__init__(body, sets, target)
        self._left = body.room(f"[{sets.words} x i64]")
        """The enabled transitions whose locations nobody has looked at."""

    def choose(self, state: str) -> None:
        body = self._body
        least = body.variable("i32", self._count(self._enabled, self._enabled))
        with body.each(str(self._sets.words)) as word:
            candidates = self._relation("candidates", self._wide(word))
            both = body.let(f"and i64 {candidates}, {self._word(self._enabled, word)}")
            body.do(f"store i64 {both}, ptr {self._place(self._left, word)}, align 8")
        with body.loop() as loop:
            loop.leave_unless(body.let(f"icmp ugt i32 {least.get()}, 1"))
            transition = self._first_of(self._left)
            loop.leave_if(body.let(f"icmp eq i32 {transition}, -1"))
            self._clear_bit(self._left, transition)
            begin, end = self._bounds("starts", self._wide(transition))
            at = body.variable("i64", begin)
            with body.loop() as starts:
                starts.leave_unless(body.let(f"icmp ult i64 {at.get()}, {end}"))
                self._try(state, self._relation("starts items", at.get()), least)
                at.add("1")

    def _try(self, state: str, location: str, least: Variable) -> None:
        """The set of a process, if it is smaller than the best one. Its other transitions start there as well, and need
        not be looked at."""
        body = self._body
        process = self._relation("process of", location)
        first = body.let(f"mul i64 {process}, {self._sets.words}")
        size = body.variable("i64", "0")
        with body.each(str(self._sets.words)) as word:
            at = body.let(f"add i64 {first}, {self._wide(word)}")
            both = body.let(f"and i64 {self._relation('transitions of', at)}, {self._word(self._enabled, word)}")
            size.add(body.let(f"call i64 @llvm.ctpop.i64(i64 {both})"))
            others = body.let(f"and i64 {self._relation('not alone', at)}, {self._word(self._left, word)}")
            body.do(f"store i64 {others}, ptr {self._place(self._left, word)}, align 8")
        known = self._narrow(size.get())
        fitting = body.variable("i1", body.let(f"icmp ult i32 {known}, {least.get()}"))
        with body.when(fitting.get()):
            fitting.set(self._is_ample(state, location))
        with body.when(fitting.get()):
            least.set(known)
            self._is_reduced.set("true")
            with body.each(str(self._sets.words)) as word:
                own = self._relation("transitions of", body.let(f"add i64 {first}, {self._wide(word)}"))
                body.do(f"store i64 {own}, ptr {self._place(self._best, word)}, align 8")

    def _is_ample(self, state: str, location: str) -> str:
        """Whether all conditions hold."""
        body = self._body
        holds = body.variable("i1", "true")
        begin, end = self._bounds("conditions", location)
        at = body.variable("i64", begin)
        with body.loop() as loop:
            loop.leave_unless(body.let(f"icmp ult i64 {at.get()}, {end}"))
            number = self._relation("conditions items", at.get())
            condition = self._relation("condition", number)
            is_enabled = self._has_bit(self._enabled, self._narrow(condition))
            may_be = body.let(f"icmp uge i64 {condition}, {_MAY_BE_ENABLED}")
            fine = body.variable("i1", body.let(f"and i1 {is_enabled}, {may_be}"))
            with body.when(body.let(f"xor i1 {fine.get()}, true")):
                fine.set(self._is_blocked(state, number))
            holds.set(fine.get())
            loop.leave_unless(fine.get())
            at.add("1")
        return holds.get()

    def _is_blocked(self, state: str, condition: str) -> str:
        body = self._body
        found = body.variable("i1", "false")
        begin, end = self._bounds("blocks", condition)
        at = body.variable("i64", begin)
        with body.loop() as loop:
            loop.leave_unless(body.let(f"icmp ult i64 {at.get()}, {end}"))
            block = self._relation("blocks items", at.get())
            is_false = body.let(f"xor i1 {self._holds(state, self._narrow(block))}, true")
            blocks = body.variable("i1", is_false)
            given = self._narrow(body.let(f"lshr i64 {block}, 32"))
            needs = body.let(f"and i1 {is_false}, {body.let(f'icmp ne i32 {given}, 0')}")
            with body.when(needs):
                blocks.set(self._holds(state, body.let(f"sub i32 {given}, 1")))
            found.set(blocks.get())
            loop.leave_if(blocks.get())
            at.add("1")
        return found.get()
