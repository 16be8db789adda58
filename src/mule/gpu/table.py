"""The table of states that all threads share, as LLVM text: `insert` and `hash_state`; and, where states are closed
(see `engine/proviso/closed_minus.hpp`), `close` and `reopen`.

Open addressing with linear probing. A cell holds a state as it is; a first word of 0 says that the cell is empty, and
no state has that (see `codegen.layout`). A cell that is filled keeps its state, and of those who want to fill it
exactly one wins. States of one or two words are exchanged as a whole. Of wider ones the first word is written first,
marked as unfinished, then the others, then the first word again: who meets an unfinished cell with another first word
goes on to the next cell, and who meets its own first word waits until the others are there. A state that is closed has
a mark in its first word; only the thread that expands it puts it there or takes it away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, IntEnum

from mule.codegen.layout import OCCUPIED
from mule.codegen.module import HASH_SALT
from mule.gpu.targets import Target
from mule.gpu.text import Body

MARK = 1 << 62
"""The second bit that `codegen.layout` leaves to tables: the state is closed, or, without the first, unfinished."""
assert MARK < OCCUPIED


class Met(IntEnum):
    """What `insert` says."""

    CLOSED = 0
    """It was in the table; of a table without marks that is all that is known."""
    FRESH = 1
    """It was not, and this thread has put it there."""
    UNREDUCED = 2
    """It was in the table, and not closed."""


class Cells(Enum):
    """How a state gets into its cell."""

    WORD = "one word at once"
    PAIR = "two words at once"
    MARKED = "the first word, the others, and the first word again"


def cells_for(words: int, target: Target) -> Cells:
    if words == 1:
        return Cells.WORD
    return Cells.PAIR if words == 2 and target.wide else Cells.MARKED


def table_text(words: int, target: Target, cells: Cells, marks: bool = False) -> str:
    """`marks`: whether states are closed."""
    parts = [_hash_state(words), _insert(words, target, cells, marks)]
    if marks:
        parts += [_close(words, target, cells), _reopen(words, target, cells)]
    if cells is Cells.PAIR:
        parts.insert(0, target.wide)
    return "\n\n".join(parts)


def _hash_state(words: int) -> str:
    """As `expand` computes it from the hash of the state before."""
    body = Body()
    total = "0"
    for word in range(words):
        salt = HASH_SALT * (word + 1) & (1 << 64) - 1
        mixed = body.let(f"call i64 @mix(i64 {load_own(body, '%state', word)}, i64 {salt})")
        total = body.let(f"add i64 {total}, {mixed}")
    body.do(f"ret i64 {total}")
    return f"define internal i64 @hash_state(ptr %state) alwaysinline nounwind {{\n{body.text()}\n}}"


def load_own(body: Body, state: str, word: int) -> str:
    """A word of a state that this thread alone can see."""
    return body.let(f"load i64, ptr {body.let(f'getelementptr i64, ptr {state}, i64 {word}')}, align 8")


def _insert(words: int, target: Target, cells: Cells, marks: bool) -> str:
    """What is met (see Met). There must be an empty cell."""
    body = Body()
    own = [load_own(body, "%state", word) for word in range(words)]
    with _probing(body, target, words) as (_, cell):
        if cells is Cells.MARKED:
            _try_marked(body, target, cell, own, marks)
        else:
            _try_at_once(body, target, cell, own, marks)
    return f"define internal i32 @insert({_parameters(target)}) alwaysinline nounwind {{\n{body.text()}\n}}"


def _close(words: int, target: Target, cells: Cells) -> str:
    """The number of the cell of a state, which has a mark from now on."""
    body = Body()
    own = [load_own(body, "%state", word) for word in range(words)]
    with _probing(body, target, words) as (number, cell):
        equal = "true"
        if cells is Cells.MARKED:
            for word, wanted in enumerate(own):
                place = body.let(f"getelementptr i64, {target.memory} {cell}, i64 {word}")
                there = body.let(f"load atomic i64, {target.memory} {place} {target.scope}monotonic, align 8")
                equal = body.let(f"and i1 {equal}, {body.let(f'icmp eq i64 {there}, {wanted}')}")
        else:
            kind, state = _whole(body, own)
            equal = body.let(f"icmp eq {kind} {_load_whole(body, target, cell, kind)}, {state}")
        with body.when(equal):
            _exchange(body, target, cells, cell, own, marks=True)
            body.do(f"ret i64 {number}")
            body.unreached()
    return f"define internal i64 @close({_parameters(target)}) alwaysinline nounwind {{\n{body.text()}\n}}"


def _reopen(words: int, target: Target, cells: Cells) -> str:
    """Take the mark away again from the state in a cell."""
    body = Body()
    own = [load_own(body, "%state", word) for word in range(words)]
    cell = body.let(f"getelementptr i64, {target.memory} %table, i64 {body.let(f'mul i64 %number, {words}')}")
    _exchange(body, target, cells, cell, own, marks=False)
    body.do("ret void")
    parameters = f"{target.memory} %table, i64 %number, ptr %state"
    return f"define internal void @reopen({parameters}) alwaysinline nounwind {{\n{body.text()}\n}}"


def _exchange(body: Body, target: Target, cells: Cells, cell: str, own: list[str], marks: bool) -> None:
    """The state in the cell gets a mark, or loses it. Nobody else changes the cell, and it is changed by an instruction
    of the width of those that read it."""
    memory, scope = target.memory, target.scope
    if cells is Cells.MARKED:
        operation, operand = ("or", MARK) if marks else ("and", ~MARK)
        body.let(f"atomicrmw {operation} {memory} {cell}, i64 {operand} {scope}monotonic")
        return
    kind, state = _whole(body, own)
    marked = body.let(f"or {kind} {state}, {MARK}")
    before, after = (state, marked) if marks else (marked, state)
    body.let(f"cmpxchg {memory} {cell}, {kind} {before}, {kind} {after} {scope}monotonic monotonic")


def find_text(words: int, target: Target) -> str:
    """`find`: the number of a state's cell, or -1. Nobody may insert anything meanwhile."""
    body = Body()
    own = [load_own(body, "%state", word) for word in range(words)]
    with _probing(body, target, words) as (number, cell):
        places = [body.let(f"getelementptr i64, {target.memory} {cell}, i64 {word}") for word in range(words)]
        there = [body.let(f"load i64, {target.memory} {place}, align 8") for place in places]
        equal = "true"
        for one, other in zip(own, there, strict=True):
            equal = body.let(f"and i1 {equal}, {body.let(f'icmp eq i64 {one}, {other}')}")
        _return_if(body, equal, number, "i64")
        _return_if(body, body.let(f"icmp eq i64 {there[0]}, 0"), "-1", "i64")
    return f"define internal i64 @find({_parameters(target)}) alwaysinline nounwind {{\n{body.text()}\n}}"


def _parameters(target: Target) -> str:
    return f"{target.memory} %table, i64 %size, i64 %hash, ptr %state"


@contextmanager
def _probing(body: Body, target: Target, words: int) -> Iterator[tuple[str, str]]:
    """The number of each cell where a state may be, and its place, until the function returns."""
    hash_wide, size_wide = body.let("zext i64 %hash to i128"), body.let("zext i64 %size to i128")
    share = body.let(f"lshr i128 {body.let(f'mul i128 {hash_wide}, {size_wide}')}, 64")
    at = body.variable("i64", body.let(f"trunc i128 {share} to i64"))
    with body.loop():
        number = at.get()
        offset = body.let(f"mul i64 {number}, {words}")
        yield number, body.let(f"getelementptr i64, {target.memory} %table, i64 {offset}")
        at.add("1")
        with body.when(body.let(f"icmp eq i64 {at.get()}, %size")):
            at.set("0")
    body.do("unreachable")


def _return_if(body: Body, condition: str, result: str, kind: str = "i1") -> None:
    with body.when(condition):
        body.do(f"ret {kind} {result}")
        body.unreached()


def _whole(body: Body, own: list[str]) -> tuple[str, str]:
    """A state of one or two words as one value, and its type."""
    if len(own) == 1:
        return "i64", own[0]
    low, high = (body.let(f"zext i64 {word} to i128") for word in own)
    return "i128", body.let(f"or i128 {body.let(f'shl i128 {high}, 64')}, {low}")


def _load_whole(body: Body, target: Target, cell: str, kind: str) -> str:
    if kind == "i64":
        return body.let(f"load atomic i64, {target.memory} {cell} {target.scope}monotonic, align 8")
    return body.let(f"call i128 @load_wide({target.memory} {cell})")


def _known(body: Body, kind: str, there: str, marks: bool) -> str:
    """What is met where the first word of the state, or all of it, is in its cell already."""
    if not marks:
        return str(int(Met.CLOSED))
    is_marked = body.let(f"icmp ne {kind} {body.let(f'and {kind} {there}, {MARK}')}, 0")
    return body.let(f"select i1 {is_marked}, i32 {int(Met.CLOSED)}, i32 {int(Met.UNREDUCED)}")


def _return_if_known(body: Body, kind: str, there: str, state: str, marks: bool) -> None:
    plain = body.let(f"and {kind} {there}, {~MARK}") if marks else there
    with body.when(body.let(f"icmp eq {kind} {plain}, {state}")):
        body.do(f"ret i32 {_known(body, kind, there, marks)}")
        body.unreached()


def _try_at_once(body: Body, target: Target, cell: str, own: list[str], marks: bool) -> None:
    kind, state = _whole(body, own)
    there = _load_whole(body, target, cell, kind)
    _return_if_known(body, kind, there, state, marks)
    with body.when(body.let(f"icmp eq {kind} {there}, 0")):
        exchange = f"{kind} 0, {kind} {state} {target.scope}monotonic monotonic"
        exchanged = body.let(f"cmpxchg {target.memory} {cell}, {exchange}")
        before = body.let(f"extractvalue {{ {kind}, i1 }} {exchanged}, 0")
        _return_if(body, body.let(f"icmp eq {kind} {before}, 0"), str(int(Met.FRESH)), "i32")
        _return_if_known(body, kind, before, state, marks)


def _try_marked(body: Body, target: Target, cell: str, own: list[str], marks: bool) -> None:
    memory, scope = target.memory, target.scope
    places = [cell, *(body.let(f"getelementptr i64, {memory} {cell}, i64 {word}") for word in range(1, len(own)))]
    first = body.variable("i64", body.let(f"load atomic i64, {memory} {cell} {scope}monotonic, align 8"))
    without = body.let(f"and i64 {own[0]}, {OCCUPIED - 1}")
    unfinished = body.let(f"or i64 {without}, {MARK}")
    with body.when(body.let(f"icmp eq i64 {first.get()}, 0")):
        exchanged = body.let(f"cmpxchg {memory} {cell}, i64 0, i64 {unfinished} {scope}monotonic monotonic")
        before = body.let(f"extractvalue {{ i64, i1 }} {exchanged}, 0")
        with body.when(body.let(f"icmp eq i64 {before}, 0")):
            for place, word in zip(places[1:], own[1:], strict=True):
                body.do(f"store atomic i64 {word}, {memory} {place} {scope}monotonic, align 8")
            body.do(f"store atomic i64 {own[0]}, {memory} {cell} {scope}release, align 8")
            body.do(f"ret i32 {int(Met.FRESH)}")
            body.unreached()
        first.set(before)
    bits = body.let(f"and i64 {first.get()}, {MARK - 1}")
    with body.when(body.let(f"icmp eq i64 {bits}, {body.let(f'and i64 {own[0]}, {MARK - 1}')}")):
        with body.loop() as waiting:
            finished = body.let(f"load atomic i64, {memory} {cell} {scope}acquire, align 8")
            waiting.leave_if(body.let(f"icmp ne i64 {body.let(f'and i64 {finished}, {OCCUPIED}')}, 0"))
            body.do("call void @pause()")
        equal = "true"
        for place, word in zip(places[1:], own[1:], strict=True):
            there = body.let(f"load atomic i64, {memory} {place} {scope}monotonic, align 8")
            equal = body.let(f"and i1 {equal}, {body.let(f'icmp eq i64 {there}, {word}')}")
        with body.when(equal):
            body.do(f"ret i32 {_known(body, 'i64', finished, marks)}")
            body.unreached()
