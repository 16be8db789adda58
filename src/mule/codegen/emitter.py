"""LLVM IR for expressions and statements over packed states.

The text of the IR is written directly: building it through an object model costs more than compiling it.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

from mule.codegen.facts import Facts
from mule.codegen.layout import Field
from mule.model import Assign, IntegerType, Receive, Send, Statement, Variable
from mule.model.expressions import (
    COMPARISONS,
    EXACT,
    HIGHEST,
    LEAST,
    Binary,
    Conditional,
    Constant,
    Expression,
    Lookup,
    Read,
    Unary,
    Undefined,
)

_PREDICATES = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
_STRICT = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor"}


_CHEAP = 20
"""Of a conditional with two parts no larger than this both are evaluated."""


class FailureCode(IntEnum):
    """Why a step has no meaning; the interpreter finds the words for it. The engine knows the last two, those of error
    transitions."""

    INDEX = 1
    DIVISION = 2
    CHANNEL_FULL = 3
    CHANNEL_EMPTY = 4
    RANGE = 5
    """A value that does not fit, be it the type it is assigned to or 32 bits."""
    ERROR = 6
    ASSERTION = 7


class Words:
    """The words of a state under construction: loaded from memory until a statement replaces them."""

    def __init__(self, load: Callable[[int], str], pointer: str) -> None:
        self._load = load
        self._pointer = pointer
        self.changed: dict[int, str] = {}

    @property
    def unchanged_at(self) -> str | None:
        """Where the state lies in memory, as long as nothing was replaced."""
        return None if self.changed else self._pointer

    def __getitem__(self, word: int) -> str:
        return self.changed[word] if word in self.changed else self._load(word)


class _ConstantStore(NamedTuple):
    """Constants that were put into a word, in two instructions."""

    old: str
    mask: int
    bits: int
    result: str
    lines: int
    """How many there were after it."""


class Emitter:
    """One function under construction. `fail(code)` names the label to jump to where evaluation goes wrong."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.layout = facts.layout
        self.lines: list[str] = []
        self.block = "entry"
        self._counter = 0
        self._constant: _ConstantStore | None = None
        """The last one."""
        self.fail: Callable[[FailureCode], str] = self._no_failure

    @staticmethod
    def _no_failure(code: FailureCode) -> str:
        raise AssertionError(f"nothing here may fail ({code.name})")

    # -- the text

    def emit(self, line: str) -> None:
        self.lines.append("  " + line)

    def assign(self, instruction: str) -> str:
        self._counter += 1
        name = f"%v{self._counter}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def label(self, hint: str) -> str:
        self._counter += 1
        return f"{hint}{self._counter}"

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.block = label

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        self.emit(f"br i1 {condition}, label %{then}, label %{otherwise}")

    def jump(self, label: str) -> None:
        self.emit(f"br label %{label}")

    def state_words(self, pointer: str) -> Words:
        def load(word: int) -> str:
            address = pointer if word == 0 else self.assign(f"getelementptr i64, ptr {pointer}, i64 {word}")
            return self.assign(f"load i64, ptr {address}, align 8")

        return Words(load, pointer)

    # -- expressions

    def truth(self, expression: Expression, words: Words) -> str:
        """The i1 that says whether an expression is not zero."""
        match expression:
            case Constant(value):
                return "true" if value else "false"
            case Unary("not", operand):
                return self.assign(f"xor i1 {self.truth(operand, words)}, true")
            case Binary("and" | "or"):
                function = self.facts.function_of(expression) if words.unchanged_at is not None else None
                if function is not None:
                    return self.assign(f"call i1 @{function}(ptr {words.unchanged_at})")
                return self.connective(expression, words)
            case Binary(operator, left, right) if operator in COMPARISONS:
                a, b = self.value(left, words), self.value(right, words)
                return self.assign(f"icmp {_PREDICATES[operator]} i32 {a}, {b}")
            case Undefined(operand):
                return self._undefined(operand, words)
        return self.assign(f"icmp ne i32 {self.value(expression, words)}, 0")

    def value(self, expression: Expression, words: Words) -> str:
        """The i32 of an expression."""
        match expression:
            case Constant(value):
                return str(value)
            case Read(variable, index):
                return self._read(variable, index, words)
            case Unary("-", operand):
                return self.assign(f"sub i32 0, {self.value(operand, words)}")
            case Unary("~", operand):
                return self.assign(f"xor i32 {self.value(operand, words)}, -1")
            case Binary(operator, left, right) if operator in EXACT:
                return self._exact(expression, words)
            case Binary("/" | "%" as operator, left, right):
                return self._divide(operator, left, right, words)
            case Binary("<<" | ">>" as operator, left, right):
                a, b = self.value(left, words), self.value(right, words)
                count = self.assign(f"and i32 {b}, 31")
                return self.assign(f"{'shl' if operator == '<<' else 'ashr'} i32 {a}, {count}")
            case Binary(operator, left, right) if operator in _STRICT:
                a, b = self.value(left, words), self.value(right, words)
                return self.assign(f"{_STRICT[operator]} i32 {a}, {b}")
            case Binary("min" | "max" as operator, left, right):
                a, b = self.value(left, words), self.value(right, words)
                first = self.assign(f"icmp {'slt' if operator == 'min' else 'sgt'} i32 {a}, {b}")
                return self.assign(f"select i1 {first}, i32 {a}, i32 {b}")
            case Lookup(place, numbers):
                table, position = self.facts.table_of(numbers), self.value(place, words)
                cell = "i8" if isinstance(numbers, bytes) else "i32"
                address = self.assign(f"getelementptr {cell}, ptr @{table}, i32 {position}")
                if cell == "i32":
                    return self.assign(f"load i32, ptr {address}, align 4")
                byte = self.assign(f"load i8, ptr {address}, align 1")
                return self.assign(f"zext i8 {byte} to i32")
            case Conditional(test, then, otherwise):
                return self._conditional(test, then, otherwise, words)
        return self.assign(f"zext i1 {self.truth(expression, words)} to i32")

    def connective(self, expression: Binary, words: Words) -> str:
        operator, left, right = expression.operator, expression.left, expression.right
        if isinstance(left, Binary) and left.operator == operator:
            first = self.connective(left, words)
        else:
            first = self.truth(left, words)
        if not self.facts.can_fail(right):
            return self.assign(f"{operator} i1 {first}, {self.truth(right, words)}")
        go_on, done = self.label("more"), self.label("known")
        before = self.block
        if operator == "and":
            self.branch(first, go_on, done)
        else:
            self.branch(first, done, go_on)
        self.start(go_on)
        second = self.truth(right, words)
        after = self.block
        self.jump(done)
        self.start(done)
        decided = "false" if operator == "and" else "true"
        return self.assign(f"phi i1 [ {decided}, %{before} ], [ {second}, %{after} ]")

    def _conditional(self, test: Expression, then: Expression, otherwise: Expression, words: Words) -> str:
        condition = self.truth(test, words)
        if self._is_cheap(then) and self._is_cheap(otherwise):
            a, b = self.value(then, words), self.value(otherwise, words)
            return self.assign(f"select i1 {condition}, i32 {a}, i32 {b}")
        yes, no, done = self.label("then"), self.label("else"), self.label("chosen")
        self.branch(condition, yes, no)
        self.start(yes)
        a, a_block = self.value(then, words), self.block
        self.jump(done)
        self.start(no)
        b, b_block = self.value(otherwise, words), self.block
        self.jump(done)
        self.start(done)
        return self.assign(f"phi i32 [ {a}, %{a_block} ], [ {b}, %{b_block} ]")

    def _is_cheap(self, expression: Expression) -> bool:
        """Whether it may just as well be evaluated where it is not asked for."""
        return self.facts.size(expression) <= _CHEAP and not self.facts.can_fail(expression)

    def _undefined(self, operand: Expression, words: Words) -> str:
        if not self.facts.can_fail(operand):
            return "false"
        failed, done = self.label("undefined"), self.label("known")
        outer = self.fail
        self.fail = lambda _: failed
        self.value(operand, words)
        self.fail = outer
        defined_block = self.block
        self.jump(done)
        self.start(failed)
        self.jump(done)
        self.start(done)
        return self.assign(f"phi i1 [ false, %{defined_block} ], [ true, %{failed} ]")

    def _require(self, condition: str, code: FailureCode) -> None:
        fine = self.label("fine")
        self.branch(condition, fine, self.fail(code))
        self.start(fine)

    def _divide(self, operator: str, left: Expression, right: Expression, words: Words) -> str:
        return self._narrowed(self._quotient("sdiv" if operator == "/" else "srem", left, right, words), fits=True)

    def _quotient(self, instruction: str, left: Expression, right: Expression, words: Words) -> str:
        """In 64 bits, so that the least number divided by -1 does not trap."""
        a, b = self.value(left, words), self.value(right, words)
        if not (isinstance(right, Constant) and right.value != 0):
            self._require(self.assign(f"icmp ne i32 {b}, 0"), FailureCode.DIVISION)
        wide_a, wide_b = self.assign(f"sext i32 {a} to i64"), self.assign(f"sext i32 {b} to i64")
        return self.assign(f"{instruction} i64 {wide_a}, {wide_b}")

    def _exact(self, expression: Binary, words: Words) -> str:
        """Computed with 64 bits, where that is needed to see whether the result fits."""
        operator, left, right = EXACT[expression.operator], expression.left, expression.right
        if operator == "/":
            return self._narrowed(self._quotient("sdiv", left, right, words), self.facts.fits(expression))
        a, b = self.value(left, words), self.value(right, words)
        if self.facts.fits(expression):
            return self.assign(f"{'shl' if operator == '<<' else _STRICT[operator]} i32 {a}, {b}")
        if operator == "<<":
            self._require(self.assign(f"icmp ult i32 {b}, 32"), FailureCode.RANGE)
        wide_a, wide_b = self.assign(f"sext i32 {a} to i64"), self.assign(f"sext i32 {b} to i64")
        instruction = "shl" if operator == "<<" else _STRICT[operator]
        return self._narrowed(self.assign(f"{instruction} i64 {wide_a}, {wide_b}"), fits=False)

    def _narrowed(self, wide: str, fits: bool) -> str:
        if not fits:
            above = self.assign(f"icmp sge i64 {wide}, {LEAST}")
            below = self.assign(f"icmp sle i64 {wide}, {HIGHEST}")
            self._require(self.assign(f"and i1 {above}, {below}"), FailureCode.RANGE)
        return self.assign(f"trunc i64 {wide} to i32")

    def _read(self, variable: Variable, index: Expression | None, words: Words) -> str:
        field = self.layout.fields[variable]
        if index is None or isinstance(index, Constant):
            position = 0 if index is None else index.value
            if not 0 <= position < variable.size:
                self.jump(self.fail(FailureCode.INDEX))
                self.start(self.label("unreachable"))
                return "0"
            return self._cell(field, position, words)
        position_value = self._checked_index(variable, index, words)
        return self._dynamic_cell(variable, field, position_value, words)

    def _checked_index(self, variable: Variable, index: Expression, words: Words) -> str:
        position = self.value(index, words)
        if not self.facts.in_range(variable, index):
            self._require(self.assign(f"icmp ult i32 {position}, {variable.size}"), FailureCode.INDEX)
        return self.assign(f"zext i32 {position} to i64")

    def _cell(self, field: Field, index: int, words: Words) -> str:
        if field.width == 0:
            return str(field.low)
        word, shift = field.place(index)
        return self._decode(field, self._shift_right(words[word], str(shift)))

    def _shift_right(self, value: str, count: str) -> str:
        return value if count == "0" else self.assign(f"lshr i64 {value}, {count}")

    def _decode(self, field: Field, shifted: str) -> str:
        masked = self.assign(f"and i64 {shifted}, {field.mask}")
        number = self.assign(f"trunc i64 {masked} to i32")
        return number if field.low == 0 else self.assign(f"add i32 {number}, {field.low}")

    def _dynamic_place(self, variable: Variable, field: Field, index: str) -> tuple[str, str]:
        """The word (relative to the field's first) and the shift of an element, both as i64."""
        if variable.size <= field.per_word:
            offset = self.assign(f"mul i64 {index}, {field.width}")
            return "0", offset if field.shift == 0 else self.assign(f"add i64 {offset}, {field.shift}")
        bits = field.per_word.bit_length() - 1
        word = self.assign(f"lshr i64 {index}, {bits}")
        within = self.assign(f"and i64 {index}, {field.per_word - 1}")
        return word, self.assign(f"mul i64 {within}, {field.width}")

    def _dynamic_cell(self, variable: Variable, field: Field, index: str, words: Words) -> str:
        if field.width == 0:
            return str(field.low)
        relative, shift = self._dynamic_place(variable, field, index)
        all_words = self.layout.words_of(variable)
        chosen = words[all_words[0]]
        for position, word in enumerate(all_words[1:], start=1):
            here = self.assign(f"icmp eq i64 {relative}, {position}")
            chosen = self.assign(f"select i1 {here}, i64 {words[word]}, i64 {chosen}")
        return self._decode(field, self.assign(f"lshr i64 {chosen}, {shift}"))

    # -- statements

    def run(self, statement: Statement, words: Words) -> None:
        match statement:
            case Assign(target, value):
                self._assign(target, self.value(value, words), words)
            case Send(channel, values):
                results = [self.value(value, words) for value in values]
                count = self._read(channel.length, None, words)
                self._require(self.assign(f"icmp ult i32 {count}, {channel.capacity}"), FailureCode.CHANNEL_FULL)
                position = self.assign(f"zext i32 {count} to i64")
                for field, result in zip(channel.fields, results, strict=True):
                    self._store_dynamic(field, position, self._wrap(result, field.type), words)
                self._store(channel.length, 0, self.assign(f"add i32 {count}, 1"), words)
            case Receive(channel, targets):
                count = self._read(channel.length, None, words)
                self._require(self.assign(f"icmp ugt i32 {count}, 0"), FailureCode.CHANNEL_EMPTY)
                heads = [self._read(field, Constant(0), words) for field in channel.fields]
                for field in channel.fields:
                    self._shift_down(field, words)
                self._store(channel.length, 0, self.assign(f"sub i32 {count}, 1"), words)
                for destination, head in zip(targets, heads, strict=True):
                    if destination is not None:
                        self._assign(destination, head, words)

    def _assign(self, target: Read, value: str, words: Words) -> None:
        wrapped = self._wrap(value, target.variable.type)
        if target.index is None:
            self._store(target.variable, 0, wrapped, words)
        elif isinstance(target.index, Constant) and 0 <= target.index.value < target.variable.size:
            self._store(target.variable, target.index.value, wrapped, words)
        else:
            position = self._checked_index(target.variable, target.index, words)
            self._store_dynamic(target.variable, position, wrapped, words)

    def _wrap(self, value: str, type_: IntegerType) -> str:
        span = type_.high - type_.low + 1
        if span == 2**32:
            return value
        if _is_number(value) and (not type_.checked or type_.low <= int(value) <= type_.high):
            return str(type_.wrap(int(value)))
        if type_.checked:
            above = self.assign(f"icmp sge i32 {value}, {type_.low}")
            below = self.assign(f"icmp sle i32 {value}, {type_.high}")
            self._require(self.assign(f"and i1 {above}, {below}"), FailureCode.RANGE)
            return value
        shifted = value if type_.low == 0 else self.assign(f"sub i32 {value}, {type_.low}")
        if span & (span - 1) == 0:
            reduced = self.assign(f"and i32 {shifted}, {span - 1}")
        else:
            wide = self.assign(f"sext i32 {value} to i64")
            moved = self.assign(f"sub i64 {wide}, {type_.low}")
            remainder = self.assign(f"srem i64 {moved}, {span}")
            negative = self.assign(f"icmp slt i64 {remainder}, 0")
            raised = self.assign(f"add i64 {remainder}, {span}")
            chosen = self.assign(f"select i1 {negative}, i64 {raised}, i64 {remainder}")
            reduced = self.assign(f"trunc i64 {chosen} to i32")
        return reduced if type_.low == 0 else self.assign(f"add i32 {reduced}, {type_.low}")

    def _encode(self, field: Field, value: str) -> str:
        if _is_number(value):
            return str(int(value) - field.low & field.mask)
        moved = value if field.low == 0 else self.assign(f"sub i32 {value}, {field.low}")
        wide = self.assign(f"zext i32 {moved} to i64")
        return self.assign(f"and i64 {wide}, {field.mask}")

    def _store(self, variable: Variable, index: int, value: str, words: Words) -> None:
        field = self.layout.fields[variable]
        if field.width == 0:
            return
        word, shift = field.place(index)
        bits = self._encode(field, value)
        if _is_number(bits):
            self._store_constant(word, field.mask << shift, int(bits) << shift, words)
            return
        cleared = self.assign(f"and i64 {words[word]}, {_bits(~(field.mask << shift))}")
        moved = bits if shift == 0 else self.assign(f"shl i64 {bits}, {shift}")
        words.changed[word] = self.assign(f"or i64 {cleared}, {moved}")

    def _store_constant(self, word: int, mask: int, bits: int, words: Words) -> None:
        """Into the place that the mask covers; together with the last constant, where that went into the same word and
        nothing has happened since."""
        known = self._constant
        if known is not None and known.result == words.changed.get(word) and known.lines == len(self.lines):
            del self.lines[-2:]
            old, mask, bits = known.old, known.mask | mask, known.bits & ~mask | bits
        else:
            old = words[word]
        cleared = self.assign(f"and i64 {old}, {_bits(~mask)}")
        words.changed[word] = result = self.assign(f"or i64 {cleared}, {bits}")
        self._constant = _ConstantStore(old, mask, bits, result, len(self.lines))

    def _store_dynamic(self, variable: Variable, index: str, value: str, words: Words) -> None:
        field = self.layout.fields[variable]
        if field.width == 0:
            return
        relative, shift = self._dynamic_place(variable, field, index)
        bits = self.assign(f"shl i64 {self._encode(field, value)}, {shift}")
        hole = self.assign(f"xor i64 {self.assign(f'shl i64 {field.mask}, {shift}')}, -1")
        all_words = self.layout.words_of(variable)
        for position, word in enumerate(all_words):
            old = words[word]
            new = self.assign(f"or i64 {self.assign(f'and i64 {old}, {hole}')}, {bits}")
            if len(all_words) > 1:
                here = self.assign(f"icmp eq i64 {relative}, {position}")
                new = self.assign(f"select i1 {here}, i64 {new}, i64 {old}")
            words.changed[word] = new

    def _shift_down(self, variable: Variable, words: Words) -> None:
        """Move every element of a channel's field one place towards the head; the last one becomes 0."""
        field = self.layout.fields[variable]
        if field.width == 0:
            return
        if field.low == 0 and variable.size <= field.per_word:
            block = (1 << field.width * variable.size) - 1
            old = words[field.word]
            cells = self.assign(f"and i64 {self._shift_right(old, str(field.shift))}, {block}")
            moved = self.assign(f"lshr i64 {cells}, {field.width}")
            placed = moved if field.shift == 0 else self.assign(f"shl i64 {moved}, {field.shift}")
            cleared = self.assign(f"and i64 {old}, {_bits(~(block << field.shift))}")
            words.changed[field.word] = self.assign(f"or i64 {cleared}, {placed}")
            return
        for index in range(variable.size):
            value = self._cell(field, index + 1, words) if index + 1 < variable.size else "0"
            self._store(variable, index, value, words)


def _is_number(operand: str) -> bool:
    return not operand.startswith("%")


def _bits(number: int) -> int:
    """As an unsigned 64-bit constant."""
    return number & (1 << 64) - 1
