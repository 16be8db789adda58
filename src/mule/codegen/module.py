"""The functions that the engine calls, for one model: `expand`, `guard`, `proposition` and `function`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from mule.codegen.constants import ConstantEffects, Masks
from mule.codegen.emitter import Emitter, FailureCode, Words
from mule.codegen.facts import Facts
from mule.codegen.layout import Layout
from mule.model import Kind, Model, Outcome, Statement, Transition, Variable
from mule.model.expressions import Expression, Read, location_test

Tested = tuple[int, list[int]]
"""The number of a transition and its guards that are not yet known to hold."""

Row = tuple[int, dict[int, int]]
"""The number of a transition, and what it stores in each word."""

HEADER_WORDS = 2
_SMALL_MODEL = 150
"""Up to so many transitions the parts of `expand` may be inlined into one function."""
_REGISTERS = 4
"""So many words of a state are handed to a function in registers."""
WRITTEN_OUT = 32
"""Up to so many words each successor is written word by word; from there on the code would grow with the square of what
the model has of variables and transitions."""
_MOST_HOLES = 4
"""A table has up to so many cells for each location that something is to be looked up for."""
_WORTH_A_SWITCH = 4
"""From so many locations on one jump is better than a test of each."""

_ESCAPED = [f"\\{number:02X}" for number in range(256)]
_UNDEFINED = str(-(2**63))
"""No number of 32 bits (Program::kUndefined)."""

# The same function as engine/store/hash.hpp.
HASH_SALT = 0x9E3779B97F4A7C15
_HASH_FIRST = 0xD6E8FEB86659FD93
_HASH_SECOND = 0xA0761D6478BD642F


class ModuleBuilder:
    """Writes the LLVM module of a model."""

    def __init__(
        self,
        model: Model,
        layout: Layout,
        bounds: Sequence[tuple[int, int]],
        propositions: Sequence[Expression] = (),
        with_guards: bool = False,
        functions: Sequence[Expression] = (),
    ) -> None:
        self.model = model
        self.layout = layout
        used = [model.guards[guard].expression for transition in model.transitions for guard in transition.guards]
        self.facts = Facts(layout, bounds, used)
        self._locations = [location_test(guard.expression) for guard in model.guards]
        self.propositions = propositions
        self.with_guards = with_guards
        self.functions = functions
        self._constants = ConstantEffects(layout)
        self._rows: dict[tuple[int, ...], str] = {}
        """Tables of 64-bit words, by name."""
        self.is_small = len(model.transitions) <= _SMALL_MODEL
        self.appends = not self.is_small and layout.words <= _REGISTERS
        """Whether successors are written by a function: LLVM then has a third of the code to compile."""
        self.copies = layout.words > WRITTEN_OUT

    def text(self) -> str:
        parts = [self._mix_function(), *self._append_function(), *self._copy_function(), *self._expand_functions()]
        guards = [guard.expression for guard in self.model.guards] if self.with_guards else []
        parts.append(self._by_number("guard", "zeroext i1", "false", guards))
        parts.append(self._by_number("proposition", "zeroext i1", "false", self.propositions))
        parts.append(self._by_number("function", "i64", _UNDEFINED, self.functions))
        parts += self._condition_functions()
        parts += self._tables()
        return "\n\n".join(parts) + "\n"

    # -- hashing

    @staticmethod
    def _mix_function() -> str:
        return f"""define internal i64 @mix(i64 %word, i64 %salt) alwaysinline nounwind readnone {{
entry:
  %salted = add i64 %word, %salt
  %first = mul i64 %salted, {_HASH_FIRST}
  %high = lshr i64 %first, 32
  %folded = xor i64 %first, %high
  %second = mul i64 %folded, {_HASH_SECOND}
  %tail = lshr i64 %second, 29
  %mixed = xor i64 %second, %tail
  ret i64 %mixed
}}"""

    @staticmethod
    def _mix(emitter: Emitter, word: str, position: int) -> str:
        salt = HASH_SALT * (position + 1) & (1 << 64) - 1
        return emitter.assign(f"call i64 @mix(i64 {word}, i64 {salt})")

    def _hash(self, emitter: Emitter, source: Words, words: Words) -> str:
        """The hash of the new words: from the old one where only a few words change, else afresh."""
        changed = sorted(words.changed)
        if self._is_hashed_afresh(words):
            return self._whole_hash(emitter, [words[word] for word in range(self.layout.words)])
        total = "%hash"
        for word in changed:
            total = emitter.assign(f"sub i64 {total}, {self._mix(emitter, source[word], word)}")
            total = emitter.assign(f"add i64 {total}, {self._mix(emitter, words[word], word)}")
        return total

    def _is_hashed_afresh(self, words: Words) -> bool:
        return 2 * len(words.changed) >= self.layout.words

    def _whole_hash(self, emitter: Emitter, words: Sequence[str]) -> str:
        total = self._mix(emitter, words[0], 0)
        for position, word in enumerate(words[1:], start=1):
            total = emitter.assign(f"add i64 {total}, {self._mix(emitter, word, position)}")
        return total

    # -- expand

    def _append_function(self) -> Iterator[str]:
        """`append`(cursor, what the successor is of, its words), where it is worth a function."""
        if not self.appends:
            return
        emitter = Emitter(self.facts)
        words = [f"%word{position}" for position in range(self.layout.words)]
        self._put(emitter, self._whole_hash(emitter, words), "%meta", words)
        body = "\n".join(emitter.lines)
        parameters = ", ".join(f"i64 {name}" for name in ("%meta", *words))
        yield f"define internal void @append(ptr %cursor, {parameters}) nounwind {{\nentry:\n{body}\n  ret void\n}}"

    def _copy_function(self) -> Iterator[str]:
        """`copy`(cursor, state, hash, what the successor is of): where its words are, which are those of the state."""
        if not self.copies:
            return
        size = self.layout.words
        parameters = "ptr %cursor, ptr noalias readonly %state, i64 %hash, i64 %meta"
        yield f"""define internal ptr @copy({parameters}) noinline nounwind {{
entry:
  %begin = load ptr, ptr %cursor, align 8
  store i64 %hash, ptr %begin, align 8
  %second = getelementptr i64, ptr %begin, i64 1
  store i64 %meta, ptr %second, align 8
  %words = getelementptr i64, ptr %begin, i64 {HEADER_WORDS}
  br label %each
each:
  %position = phi i64 [ 0, %entry ], [ %next, %each ]
  %from = getelementptr i64, ptr %state, i64 %position
  %to = getelementptr i64, ptr %words, i64 %position
  %word = load i64, ptr %from, align 8
  store i64 %word, ptr %to, align 8
  %next = add i64 %position, 1
  %more = icmp ult i64 %next, {size}
  br i1 %more, label %each, label %done
done:
  %end = getelementptr i64, ptr %words, i64 {size}
  store ptr %end, ptr %cursor, align 8
  ret ptr %words
}}"""

    def _expand_functions(self) -> list[str]:
        """One function for the transitions of each process, and `expand`, which calls them in turn."""
        groups = self._by_control()
        attribute = "" if self.is_small else "noinline "
        parts = [
            self._expand_group(f"expand{number}", variable, cases, attribute)
            for number, (variable, cases) in enumerate(groups.items())
        ]
        calls = []
        cursor = "%out"
        for number in range(len(groups)):
            calls.append(f"  %cursor{number} = call ptr @expand{number}(ptr %state, i64 %hash, ptr {cursor})")
            cursor = f"%cursor{number}"
        stride = 8 * (HEADER_WORDS + self.layout.words)
        body = "\n".join(calls)
        parts.append(
            f"""define i32 @expand(ptr noalias readonly %state, i64 %hash, ptr noalias %out) nounwind {{
entry:
{body}
  %end = ptrtoint ptr {cursor} to i64
  %begin = ptrtoint ptr %out to i64
  %bytes = sub i64 %end, %begin
  %count = udiv exact i64 %bytes, {stride}
  %result = trunc i64 %count to i32
  ret i32 %result
}}"""
        )
        return parts

    def _by_control(self) -> dict[Variable | None, dict[int, list[int]]]:
        """Transitions by the first location test among their guards: location variable, then location."""
        groups: dict[Variable | None, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, transition in enumerate(self.model.transitions):
            test = next(filter(None, (self._locations[guard] for guard in transition.guards)), None)
            if test is None:
                groups[None][0].append(number)
            else:
                groups[test[0]][test[1]].append(number)
        return groups

    def _expand_group(self, name: str, variable: Variable | None, cases: dict[int, list[int]], attribute: str) -> str:
        emitter = Emitter(self.facts)
        source = emitter.state_words("%state")
        emitter.emit("%cursor = alloca ptr, align 8")
        emitter.emit("store ptr %out, ptr %cursor, align 8")
        if variable is None:
            self._transitions(emitter, source, cases[0], None)
        else:
            location = emitter.value(Read(variable), source)
            targets = {value: emitter.label("at") for value in sorted(cases)}
            arms = " ".join(f"i32 {value}, label %{target}" for value, target in targets.items())
            emitter.emit(f"switch i32 {location}, label %done [ {arms} ]")
            for value, target in targets.items():
                emitter.start(target)
                self._transitions(emitter, source, cases[value], (variable, value))
                emitter.jump("done")
        if variable is None:
            emitter.jump("done")
        emitter.start("done")
        emitter.emit("%end = load ptr, ptr %cursor, align 8")
        emitter.emit("ret ptr %end")
        body = "\n".join(emitter.lines)
        signature = "ptr noalias readonly %state, i64 %hash, ptr noalias %out"
        return f"define internal ptr @{name}({signature}) {attribute}nounwind {{\nentry:\n{body}\n}}"

    def _transitions(
        self, emitter: Emitter, source: Words, numbers: list[int], known: tuple[Variable, int] | None
    ) -> None:
        tested = []
        for number in numbers:
            guards = self.model.transitions[number].guards
            tested.append((number, [g for g in guards if known is None or self._locations[g] != known]))
        self._tree(emitter, source, tested, 0)

    def _tree(self, emitter: Emitter, source: Words, tested: list[Tested], depth: int) -> None:
        """Guards that neighbours begin with are tested once for all of them."""
        first = 0
        while first < len(tested):
            number, guards = tested[first]
            if depth == len(guards):
                self._outcomes(emitter, source, number, self.model.transitions[number])
                first += 1
                continue
            end, cases = self._alternatives(tested, first, depth)
            if len(cases) >= _WORTH_A_SWITCH:
                self._switch(emitter, source, self._locations[guards[depth]], cases, depth)
                first = end
                continue
            end = first + 1
            while end < len(tested) and tested[end][1][depth : depth + 1] == [guards[depth]]:
                end += 1
            after, go_on = emitter.label("next"), emitter.label("go")
            emitter.fail = lambda _, label=after: label  # type: ignore[misc]
            emitter.branch(emitter.truth(self.model.guards[guards[depth]].expression, source), go_on, after)
            emitter.start(go_on)
            self._tree(emitter, source, tested[first:end], depth + 1)
            emitter.jump(after)
            emitter.start(after)
            first = end

    def _alternatives(self, tested: list[Tested], first: int, depth: int) -> tuple[int, dict[int, list[Tested]]]:
        """The neighbours that ask next where one and the same process is, up to which one, by its location. At most
        one of these locations is its own, so what is enabled comes in the order in which it stands here."""
        cases: dict[int, list[Tested]] = {}
        asked = self._locations[tested[first][1][depth]]
        end = first
        while asked is not None and end < len(tested) and depth < len(tested[end][1]):
            test = self._locations[tested[end][1][depth]]
            if test is None or test[0] is not asked[0]:
                break
            cases.setdefault(test[1], []).append(tested[end])
            end += 1
        return end, cases

    def _switch(
        self,
        emitter: Emitter,
        source: Words,
        asked: tuple[Variable, int] | None,
        cases: dict[int, list[Tested]],
        depth: int,
    ) -> None:
        assert asked is not None
        after = emitter.label("next")
        alike = self._alike(cases, depth)
        if alike is not None:
            self._look_up(emitter, source, asked[0], *alike, after)
            emitter.start(after)
            return
        location = emitter.value(Read(asked[0]), source)
        targets = {value: emitter.label("at") for value in cases}
        arms = " ".join(f"i32 {value}, label %{target}" for value, target in targets.items())
        emitter.emit(f"switch i32 {location}, label %{after} [ {arms} ]")
        for value, target in targets.items():
            emitter.start(target)
            self._tree(emitter, source, cases[value], depth + 1)
            emitter.jump(after)
        emitter.start(after)

    def _alike(self, cases: dict[int, list[Tested]], depth: int) -> tuple[Masks, dict[int, Row]] | None:
        """What the only step at each location replaces, and by what, if all store constants in the same places."""
        masks: Masks | None = None
        rows: dict[int, Row] = {}
        for value, [(number, guards), *others] in cases.items():
            outcomes = self.model.transitions[number].outcomes
            effect = self._constants.of(outcomes[0]) if len(outcomes) == 1 else None
            if others or len(guards) > depth + 1 or effect is None or (masks is not None and effect[0] != masks):
                return None
            masks = effect[0]
            rows[value] = number, effect[1]
        sparse = max(rows) - min(rows) >= _MOST_HOLES * len(rows)
        return None if masks is None or sparse else (masks, rows)

    def _look_up(
        self, emitter: Emitter, source: Words, variable: Variable, masks: Masks, rows: dict[int, Row], after: str
    ) -> None:
        """The step that there is at the location of a process: its number and its effect stand in tables."""
        low, size = min(rows), max(rows) - min(rows) + 1
        index = emitter.assign(f"sub i32 {emitter.value(Read(variable), source)}, {low}")
        inside, there = emitter.label("inside"), emitter.label("there")
        emitter.branch(emitter.assign(f"icmp ult i32 {index}, {size}"), inside, after)
        emitter.start(inside)
        position = emitter.assign(f"zext i32 {index} to i64")
        numbers = [rows[low + each][0] if low + each in rows else -1 for each in range(size)]
        meta = self._cell(emitter, numbers, position)
        emitter.branch(emitter.assign(f"icmp ne i64 {meta}, -1"), there, after)
        emitter.start(there)
        words = emitter.state_words("%state")
        for word, mask in masks.items():
            bits = [rows[low + each][1][word] if low + each in rows else 0 for each in range(size)]
            cleared = emitter.assign(f"and i64 {words[word]}, {~mask & (1 << 64) - 1}")
            words.changed[word] = emitter.assign(f"or i64 {cleared}, {self._cell(emitter, bits, position)}")
        self._write(emitter, source, words, meta)
        emitter.jump(after)

    def _cell(self, emitter: Emitter, numbers: Sequence[int], position: str) -> str:
        table = self._rows.setdefault(tuple(numbers), f"row{len(self._rows)}")
        return emitter.assign(
            f"load i64, ptr {emitter.assign(f'getelementptr i64, ptr @{table}, i64 {position}')}, align 8"
        )

    def _outcomes(self, emitter: Emitter, source: Words, number: int, transition: Transition) -> None:
        if transition.kind is Kind.ERROR:
            code = FailureCode.ASSERTION if transition.asserts else FailureCode.ERROR
            self._write(emitter, source, None, _meta(number, 0, code))
            return
        for position, outcome in enumerate(transition.outcomes):
            self._outcome(emitter, source, number, position, outcome)

    def _outcome(self, emitter: Emitter, source: Words, number: int, position: int, outcome: Outcome) -> None:
        failures: dict[FailureCode, str] = {}

        def fail(code: FailureCode) -> str:
            return failures.setdefault(code, emitter.label("failed"))

        emitter.fail = fail
        done = emitter.label("written")
        if outcome.condition is not None:
            possible = emitter.label("possible")
            emitter.branch(emitter.truth(outcome.condition, source), possible, done)
            emitter.start(possible)
        words = emitter.state_words("%state")
        statements: tuple[Statement, ...] = outcome.statements
        for statement in statements:
            emitter.run(statement, words)
        self._write(emitter, source, words, _meta(number, position))
        if outcome.condition is None and not failures:
            return
        emitter.jump(done)
        for code, label in failures.items():
            emitter.start(label)
            self._write(emitter, source, None, _meta(number, position, code))
            emitter.jump(done)
        emitter.start(done)

    def _write(self, emitter: Emitter, source: Words, words: Words | None, meta: str) -> None:
        """Append one successor (or, without words, a failure) to the output."""
        if self.copies:
            hash_value = "0" if words is None else self._hash(emitter, source, words)
            begin = emitter.assign(f"call ptr @copy(ptr %cursor, ptr %state, i64 {hash_value}, i64 {meta})")
            for word, value in sorted(words.changed.items() if words is not None else ()):
                self._store(emitter, begin, word, value)
            return
        written = [(source if words is None else words)[word] for word in range(self.layout.words)]
        if words is None:
            self._put(emitter, "0", meta, written)
        elif self.appends and self._is_hashed_afresh(words):
            values = ", ".join(f"i64 {value}" for value in (meta, *written))
            emitter.emit(f"call void @append(ptr %cursor, {values})")
        else:
            self._put(emitter, self._hash(emitter, source, words), meta, written)

    def _put(self, emitter: Emitter, hash_value: str, meta: str, words: Sequence[str]) -> None:
        begin = emitter.assign("load ptr, ptr %cursor, align 8")
        for offset, value in enumerate((hash_value, meta, *words)):
            self._store(emitter, begin, offset, value)
        end = emitter.assign(f"getelementptr i64, ptr {begin}, i64 {HEADER_WORDS + self.layout.words}")
        emitter.emit(f"store ptr {end}, ptr %cursor, align 8")

    @staticmethod
    def _store(emitter: Emitter, begin: str, offset: int, value: str) -> None:
        address = begin if offset == 0 else emitter.assign(f"getelementptr i64, ptr {begin}, i64 {offset}")
        emitter.emit(f"store i64 {value}, ptr {address}, align 8")

    # -- guards, propositions and integer functions

    def _by_number(self, name: str, result: str, undefined: str, expressions: Sequence[Expression]) -> str:
        """`name`(state, number): one of the expressions, as a truth value or as a number of 64 bits."""
        emitter = Emitter(self.facts)
        emitter.fail = lambda _: "undefined"
        words = emitter.state_words("%state")
        labels = [emitter.label("case") for _ in expressions]
        arms = " ".join(f"i32 {number}, label %{label}" for number, label in enumerate(labels))
        emitter.emit(f"switch i32 %number, label %undefined [ {arms} ]")
        for expression, label in zip(expressions, labels, strict=True):
            emitter.start(label)
            if result == "i64":
                emitter.emit(f"ret i64 {emitter.assign(f'sext i32 {emitter.value(expression, words)} to i64')}")
            else:
                emitter.emit(f"ret i1 {emitter.truth(expression, words)}")
        emitter.start("undefined")
        emitter.emit(f"ret {result.split()[-1]} {undefined}")
        body = "\n".join(emitter.lines)
        signature = "ptr noalias readonly %state, i32 %number"
        return f"define {result} @{name}({signature}) nounwind {{\nentry:\n{body}\n}}"

    def _condition_functions(self) -> Iterator[str]:
        """The large conditions that the other functions, or these themselves, ask for."""
        while (wanted := self.facts.next_unwritten()) is not None:
            name, condition = wanted
            emitter = Emitter(self.facts)
            result = emitter.connective(condition, emitter.state_words("%state"))
            body = "\n".join(emitter.lines)
            yield (
                f"define internal i1 @{name}(ptr noalias readonly %state) nounwind readonly {{\n"
                f"entry:\n{body}\n  ret i1 {result}\n}}"
            )

    def _tables(self) -> Iterator[str]:
        """What the functions look up."""
        for row, name in self._rows.items():
            words = ", ".join(f"i64 {number}" for number in row)
            yield f"@{name} = internal unnamed_addr constant [{len(row)} x i64] [{words}], align 8"
        for numbers, name in self.facts.tables.items():
            if isinstance(numbers, bytes):
                kind, cells = "i8", 'c"' + "".join(_ESCAPED[number] for number in numbers) + '"'
            else:
                kind, cells = "i32", "[" + ", ".join(f"i32 {number}" for number in numbers) + "]"
            yield f"@{name} = internal unnamed_addr constant [{len(numbers)} x {kind}] {cells}, align 4"


def _meta(number: int, position: int, failure: FailureCode | None = None) -> str:
    """Which transition and outcome a successor is of, and what goes wrong."""
    return str(number | position << 32 | (failure or 0) << 48)


def most_successors(model: Model) -> int:
    """A bound on how many entries one `expand` writes."""
    per_location: dict[tuple[Variable, int], int] = defaultdict(int)
    always = 0
    for transition in model.transitions:
        entries = max(len(transition.outcomes), 1)
        test = next(filter(None, (location_test(model.guards[g].expression) for g in transition.guards)), None)
        if test is None:
            always += entries
        else:
            per_location[test] += entries
    most: dict[Variable, int] = defaultdict(int)
    for (variable, _), entries in per_location.items():
        most[variable] = max(most[variable], entries)
    return always + sum(most.values())
