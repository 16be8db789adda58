"""Random bodies of handlers as Python source, with a liking for what is easily compiled otherwise than Python means it:
objects with two names, iterators, late binding, names without a value, comparisons that stop early."""

from __future__ import annotations

import random

IMPURE = (
    "self.n = random.choice([0, 1])",
    "self.n = random.randint(0, 3)",
    "self.n = int(time.time()) % 4",
    "os.system('true')",
    "self.n = next(NUMBERS_LEFT)",
    "self.n = next(COUNTER) % 4",
    "self.n = KEEPER.inc() % 4",
    "self.n = self.keeper.inc() % 4",
    "self.keeper.kept = 2",
    "self.keeper.items.append(1)",
    "KEEPER.items[0] = 3",
    "setattr(self, 'n', 3)",
    "self.__dict__['n'] = 2",
    "vars(self)['n'] = 2",
    "NUMBERS.append(1)",
    "NUMBERS[0] = 2",
    "FEW.add(3)",
    "NAMES[3] = 1",
    "NAMES.setdefault(7, 1)",
    "PAIRS[0].append(3)",
    "Subject.K2 = 3",
    "type(self).K2 = 3",
    "self.n = id(self) % 4",
    "self.n = hash('x') % 4",
    "self.n = grown(1)",
    "self.n = cached(1)",
    "self.n = list(counting(2))[0]",
    "exec('self.n = 1')",
    "self.n = eval('1')",
    "globals()['K'] = 1",
    "self.n = 2 in NUMBERS_LEFT",
    "self.n = len(list(itertools.islice(COUNTER, 2)))",
    "self.n = sum(NUMBERS_LEFT) % 4",
    "global K; K = 3",
    "operator.setitem(NUMBERS, 0, 1)",
    "random.shuffle(NUMBERS)",
    "self.n = input()",
    "open('x')",
    "NUMBERS.sort()",
    "xs = NUMBERS; xs += [1]",
    "s = FEW; s |= {3}",
    "d = NAMES; d |= {3: 1}",
)
"""What must be refused, as it hangs on more than the state, or changes more than that."""


class Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"handler body {seed}")
        self.names: dict[str, list[str]] = {}
        """The local names that may have a value of each type."""
        self.fresh = 0
        self.depth = 0
        self.any_order = False
        """Whether something may hang on the order in which a set is gone through."""
        self.impure = False

    def body(self) -> str:
        lines = [f"        {line}" for line in self.block(self.random.randint(1, 4))]
        if self.chance(0.07):
            self.impure = True
            lines.insert(0, f"        {self.random.choice(IMPURE)}")
        return "\n".join(lines) + "\n"

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def new(self, kind: str) -> str:
        """A name, now and then one that is in use, also for something else."""
        known = [name for names in self.names.values() for name in names]
        if known and self.chance(0.25):
            name = self.random.choice(known)
            for names in self.names.values():
                if name in names:
                    names.remove(name)
        else:
            self.fresh += 1
            name = f"{kind[0]}{self.fresh}"
        return name

    def known(self, kind: str, name: str) -> None:
        self.names.setdefault(kind, []).append(name)

    def of(self, kind: str) -> list[str]:
        return self.names.get(kind, [])

    # statements -------------------------------------------------------------------------------------------------------

    def block(self, length: int) -> list[str]:
        lines: list[str] = []
        for _ in range(length):
            lines += self.statement()
        return lines

    def inner(self, length: int = 2) -> list[str]:
        """A block that need not be executed: what it binds may stay without a value."""
        before = {kind: list(names) for kind, names in self.names.items()}
        self.depth += 1
        lines = self.block(self.random.randint(1, length))
        self.depth -= 1
        if not self.chance(0.15):
            self.names = before
        return [f"    {line}" for line in lines]

    def statement(self) -> list[str]:
        simple = [
            self.assign_int,
            self.assign_field,
            self.augment,
            self.lists,
            self.sets,
            self.dicts,
            self.iterators,
            self.functions,
            self.unpack,
            self.send,
            self.share,
            self.odd,
        ]
        compound = [self.branch, self.loop, self.loop, self.while_loop, self.matched]
        if self.depth < 2 and self.chance(0.35):
            return self.random.choice(compound)()
        return self.random.choice(simple)()

    def bind(self, kind: str, value: str) -> list[str]:
        name = self.new(kind)
        self.known(kind, name)
        return [f"{name} = {value}"]

    def assign_int(self) -> list[str]:
        return self.bind("int", self.number(2))

    def assign_field(self) -> list[str]:
        return [
            self.pick(
                f"self.n = ({self.number(2)}) % 4",
                f"self.big = {self.number(2)}",
                f"self.flag = {self.truth(2)}",
                f"self.color = {self.color()}",
                f"self.maybe = {self.pick('None', f'({self.number(1)}) % 4', 'self.maybe', 'm.maybe')}",
                f"self.cells[{self.number(1)}] = ({self.number(1)}) % 4",
                f"self.more[{self.index()}] = {self.number(1)}",
                f"self.n, self.big = ({self.number(1)}) % 4, {self.number(1)}",
                f"self.more[0], self.more[1] = self.more[1], {self.number(1)}",
                f"self.few = {self.pick('m.few | {Color.RED}', 'frozenset({self.color})', 'm.few - self.few')}",
            )
        ]

    def augment(self) -> list[str]:
        operator = self.pick("+", "-", "*", "//", "%")
        targets = ["self.big", f"self.more[{self.index()}]", *self.of("int")]
        if self.of("list"):
            targets.append(f"{self.random.choice(self.of('list'))}[{self.index()}]")
        return [f"{self.random.choice(targets)} {operator}= {self.number(1)}"]

    def lists(self) -> list[str]:
        if not self.of("list") or self.chance(0.35):
            return self.bind("list", self.list_value())
        name = self.random.choice(self.of("list"))
        return [
            self.pick(
                f"{name}.append({self.number(1)})",
                f"{name}[{self.index()}] = {self.number(1)}",
                f"{name} += [{self.number(1)}]",
                f"{name}.extend({self.iterable()})",
                f"{name}.insert({self.index()}, {self.number(1)})",
                f"self.big = {name}.pop()",
                f"self.big = {name}.pop({self.index()})",
                f"{name}.reverse()",
                f"{name}.remove({self.number(1)})",
                f"{name} *= 2",
                f"{name}.clear()",
                f"{name}[{self.index()}] += {self.number(1)}",
                f"self.cells = [x % 4 for x in {name}]",
                f"self.more = {name}",
                f"self.flag = {name} == {self.list_value()}",
            )
        ]

    def list_value(self) -> str:
        return self.pick(
            f"[{self.number(0)}, {self.number(0)}, {self.number(0)}]",
            f"[{self.number(0)}]",
            "[]",
            "self.cells",
            "self.more",
            "list(self.more)",
            "self.cells[:]",
            "self.more[1:]",
            "self.cells[::-1]",
            "NUMBERS",
            "list(NUMBERS)",
            "joined(self.cells)",
            f"[x + {self.number(0)} for x in {self.iterable()}]",
            f"[x for x in {self.iterable()} if {self.truth_of('x')}]",
            f"list({self.iterable()})",
            f"[{self.number(0)}, *{self.iterable()}]",
            *self.of("list"),
            *(f"{name} + [{self.number(0)}]" for name in self.of("list")),
        )

    def sets(self) -> list[str]:
        if not self.of("set") or self.chance(0.35):
            return self.bind("set", self.set_value())
        name = self.random.choice([*self.of("set"), "self.seen", "self.met"])
        number = f"({self.number(1)}) % 4"
        return [
            self.pick(
                f"{name}.add({number})",
                f"{name}.discard({number})",
                f"{name}.remove({number})",
                f"{name} |= {self.set_value()}",
                f"{name} &= {self.set_value()}",
                f"{name} -= {self.set_value()}",
                f"{name} ^= {self.set_value()}",
                f"{name}.update({self.set_value()})",
                f"{name}.update([{number}])",
                f"{name} |= [{number}]",
                f"{name}.clear()",
                f"self.seen = {self.set_value()}",
                f"self.met = {name}",
                f"self.flag = {name} {self.pick('==', '<=', '<', '!=')} {self.set_value()}",
                f"self.big = len({name})",
            )
        ]

    def set_value(self) -> str:
        return self.pick(
            f"{{({self.number(1)}) % 4}}",
            "{1, 2}",
            "set()",
            "self.seen",
            "self.met",
            "set(self.seen)",
            "self.seen.copy()",
            "self.seen | self.met",
            "self.seen - {1}",
            "FEW",
            "set(FEW)",
            "{x % 4 for x in self.more}",
            *self.of("set"),
        )

    def dicts(self) -> list[str]:
        if not self.of("dict") or self.chance(0.4):
            return self.bind(
                "dict",
                self.pick(
                    f"{{0: {self.number(1)}, 1: {self.number(0)}}}",
                    f"{{self.n: {self.number(0)}, 1: {self.number(0)}}}",
                    "{}",
                    "NAMES",
                    "dict(NAMES)",
                    f"{{self.color: {self.number(0)}}}",
                    *self.of("dict"),
                ),
            )
        name = self.random.choice(self.of("dict"))
        return [
            self.pick(
                f"{name}[{self.number(0)}] = {self.number(1)}",
                f"self.big = {name}[{self.number(0)}]",
                f"self.big = {name}.get({self.number(0)}, {self.number(0)})",
                f"self.flag = {self.number(0)} in {name}",
                f"self.big = len({name})",
                f"self.big = sum({name}.values())",
                f"{name}.pop({self.number(0)}, 0)",
                f"{name}[self.n] += 1",
                f"{name} |= {{2: {self.number(0)}}}",
                f"self.big = sum(k * v for k, v in {name}.items())",
            )
        ]

    def iterators(self) -> list[str]:
        if not self.of("iterator") or self.chance(0.4):
            return self.bind(
                "iterator",
                self.pick(
                    f"iter({self.iterable()})",
                    f"(x + {self.number(0)} for x in {self.iterable()})",
                    f"(x for x in {self.iterable()} if {self.truth_of('x')})",
                    f"map(lambda x: x + {self.number(0)}, {self.iterable()})",
                    f"filter(lambda x: {self.truth_of('x')}, {self.iterable()})",
                    f"reversed({self.list_value()})",
                    f"(a + b for a, b in zip({self.iterable()}, {self.iterable()}))",
                    f"(a * b for a, b in enumerate({self.iterable()}))",
                    f"itertools.chain({self.iterable()}, {self.iterable()})",
                    *self.of("iterator"),
                ),
            )
        name = self.random.choice(self.of("iterator"))
        return [
            self.pick(
                f"self.big = sum({name})",
                f"self.big = next({name}, {self.number(0)})",
                f"self.big = next({name})",
                f"self.flag = any({name})",
                f"self.flag = all({name})",
                f"self.flag = {self.number(0)} in {name}",
                f"self.big = max({name}, default=0)",
                f"self.flag = bool({name})",
                *(f"{each} = list({name})" for each in self.of("list")),
                f"self.flag = list({name}) == list({name})",
            )
        ]

    def functions(self) -> list[str]:
        if self.of("function") and self.chance(0.5):
            name = self.random.choice(self.of("function"))
            return [f"self.big = {name}({self.pick('', self.number(0))})"]
        kind = self.random.randint(0, 5)
        if kind == 0:
            return self.bind("function", f"lambda a={self.number(1)}: a + {self.number(1)}")
        if kind == 1:
            number = self.number(1)
            name = self.new("function")
            self.known("function", name)
            inner = self.pick(f"a = a + {number}", f"a -= {number}", "pass", "self.bump()")
            return [f"def {name}(a={self.number(1)}):", f"    {inner}", f"    return a + {self.number(1)}"]
        if kind == 2:
            return [
                f"fs = [lambda: x + {self.number(0)} for x in {self.iterable()}]",
                "self.big = sum(f() for f in fs)",
            ]
        if kind == 3:
            return [
                "fs = []",
                f"for x in {self.iterable()}:",
                f"    fs.append(lambda {self.pick('', 'x=x')}: x)",
                "self.big = sum(f() for f in fs)",
            ]
        if kind == 4:
            return [f"gs = [lambda x=x: x for x in {self.iterable()}]", "self.big = sum(g() for g in gs)"]
        return self.bind("function", "self.bump")

    def unpack(self) -> list[str]:
        a, b = self.new("int"), self.new("int")
        value = self.pick(self.list_value(), f"({self.number(0)}, {self.number(0)})", self.iterable())
        shape = self.pick("{a}, {b}", "{a}, *{b}", "*{a}, {b}", "{a}, {b}, *_", "({a}, {b})")
        kinds = ["list" if f"*{{{each}}}" in shape else "int" for each in "ab"]
        line = f"{shape.format(a=a, b=b)} = {value}"
        if a != b:
            self.known(kinds[0], a)
        self.known(kinds[1], b)
        return [line]

    def send(self) -> list[str]:
        return [f"send(self.peer, Told({self.number(1)}, {self.truth(1)}, {self.color()}))"]

    def share(self) -> list[str]:
        """One object under two names."""
        a, b = self.new("list"), self.new("set")
        self.known("list", a)
        if a != b:
            self.known("set", b)
        return self.random.choice(
            [
                [f"{a} = self.more", f"{a}[0] = {self.number(1)}", f"self.big = self.more[0] + {a}[0]"],
                [f"{a} = [1, 2, {self.number(0)}]", f"self.more = {a}", f"{a}[1] = {self.number(1)}"],
                [f"{b} = self.seen", f"{b}.add(({self.number(1)}) % 4)", "self.big = len(self.seen)"],
                [f"{b} = {{1}}", f"self.met = {b}", f"{b}.add(({self.number(1)}) % 4)"],
                [f"{b} = {{1}}", f"t = {b}", "t |= {2}", f"self.seen = {b}", "self.big = len(t)"],
                ["self.seen, self.met = self.met, self.seen", f"self.seen.add(({self.number(0)}) % 4)"],
                [f"{b} = self.seen", "self.seen = set()", f"{b}.add(({self.number(0)}) % 4)", f"self.big = len({b})"],
                [f"p = (self.more, {self.number(0)})", f"p[0][1] = {self.number(0)}"],
                ["xs = [[0]] * 2", f"xs[0].append({self.number(0)})", "self.big = len(xs[1])"],
                [f"{a} = self.same(self.more)", f"{a}[2] = {self.number(0)}"],
                ["self.seen = self.met", f"self.seen.add(({self.number(0)}) % 4)"],
                ["self.seen = self.met", "self.met = set()", f"self.seen.add(({self.number(0)}) % 4)"],
                [
                    f"{a} = [x for x in self.more if x < 9]",
                    f"self.more = {a}",
                    "self.more[0] = 3",
                    f"self.big = {a}[0]",
                ],
                [
                    f"{b} = set(self.seen)",
                    f"self.met = {b}",
                    f"{b}.discard(1)",
                    "self.met.add(2)",
                    f"self.big = len({b})",
                ],
                [f"{a} = self.more", "self.more = [1, 2, 3]", f"{a}[0] = 2", f"self.big = {a}[0] + self.more[0]"],
            ]
        )

    def odd(self) -> list[str]:
        return self.random.choice(
            [
                [f"self.flag = [{self.number(0)}] == ({self.number(0)},)"],
                [f"self.flag = {self.compared_tuples()}"],
                ["assert self.n < 3"],
                ["assert self.big != 3, f'{self.big}'"],
                ["raise ValueError('no')"],
                ["K = K + 1"],
                ["if self.flag:", "    K = 1", "self.big = K"],
                ["x = self.big", "self.flag = [x for x in (1, 2)] == [1, 2]", "self.big = x"],
                [f"self.big = choose({self.number(0)}, {self.number(0)})"],
                ["self.n = choose([x for x in self.cells if x < 3])"],
                ["try:", "    self.n = 1", "except ValueError:", "    pass"],
                ["del self.n"],
                [f"self.big = (y := {self.number(0)})"],
                ["self.big = self.half"],
                ["self.big = KEEPER.twice(self.n)"],
                ["self.big = FIXED.a + FIXED.b[self.n]"],
                [f"p = Point({self.number(0)}, self.n)", "self.big = p.x + p[1]"],
                ["self.color = self.color.turned()"],
                [f"self.big = functools.reduce(lambda a, b: a * 2 + b, {self.iterable()}, 0)"],
                [f"self.big = sum(a * b for a, b in itertools.combinations({self.iterable()}, 2))"],
                ["self.big = math.gcd(12, 18) + operator.add(1, K) + len('abc'.upper() + f'{K:>4}')"],
                ["if f'{K!r:>3}' == '  2':", "    self.flag = True"],
                ["if (self.n and [] or {}) == {}:", "    self.flag = True"],
                [
                    f"self.flag = isinstance({self.pick('self.n', 'self.maybe', 'm', 'NAMES', 'FEW', 'self.seen')}, "
                    f"{self.pick('int', 'dict', 'set', 'bool', 'Go', 'frozenset', '(int, set)')})"
                ],
                ["self.flag = self.maybe is None or self.maybe < 2"],
                ["self.big = self.maybe + 1"],
                ["self.flag = self.n is True"],
                [f"self.flag = {self.number(0)} < {self.number(0)} < self.bump() < 3"],
                ["self.flag = self.flag and self.bump() > 1 or self.bump() == 1"],
                ["self.big = self.more[self.bump()] if self.bump() < 2 else self.bump(2)"],
                ["self.more[self.bump() % 3] += self.bump()"],
                ["self.flag = m.color == self.color and m.n != self.n"],
                ["self.flag = self.color in m.few"],
                ["self.big = len(m.few) + sum(c.value for c in m.few)"],
                ["self.big = max(self.seen, default=7) - min(self.met, default=1)"],
                ["self.big = sorted(self.seen)[0]"],
                ["self.big = sum(x * 2 for x in self.seen)"],
                ["self.flag = any(6 // x > 2 for x in self.more)"],
                ["self.flag = all(x // self.n < 2 for x in self.cells)"],
                ["self.big = max(self.more, key=lambda x: x % 3)"],
                ["self.big = min(NUMBERS, key=lambda x: (x * self.n) % 3)"],
                ["self.big = divmod(self.big, self.n)[1] - 7 // (self.n - 2)"],
                ["self.more.append(1)"],
                ["self.cells.reverse()"],
                ["self.flag = not self.seen or not [] and not ()"],
                ["self.big = True + self.flag * 2 - (self.n == 1)"],
                ["self.big = -7 // (self.n + 1) + -7 % (self.n + 1)"],
                ["self.big = abs(self.big) % -3"],
                ["self.flag = m.maybe in range(3)"],
                ["self.flag = self.n in (1, None, True)"],
                ["self.flag = (self.n, self.maybe) < (2, 1)"],
            ]
        )

    def compared_tuples(self) -> str:
        parts = [self.pick("self.maybe", "self.n", "None", "self.color", "1", "m.maybe", "self.big") for _ in range(4)]
        operator = self.pick("<", "<=", ">", "==", "!=")
        left, right = self.pick("()", "[]"), self.pick("()", "()", "[]")
        first, second = f"{parts[0]}, {parts[1]}", f"{parts[2]}, {parts[3]}"
        return f"{left[0]}{first}{left[1]} {operator} {right[0]}{second}{right[1]}"

    # blocks -----------------------------------------------------------------------------------------------------------

    def branch(self) -> list[str]:
        lines = [f"if {self.truth(2)}:", *self.inner()]
        if self.chance(0.3):
            lines += [f"elif {self.truth(1)}:", *self.inner()]
        if self.chance(0.5):
            lines += ["else:", *self.inner()]
        return lines

    def loop(self) -> list[str]:
        kind = self.random.randint(0, 5)
        name = self.new("int")
        source = self.iterable()
        if kind == 0:
            source = self.pick("self.seen", "self.met", "FEW", *self.of("set"))
            self.any_order = True
        elif kind == 1 and self.of("list"):
            source = self.random.choice(self.of("list"))
        elif kind == 2:
            source, name = f"enumerate({self.iterable()})", f"i, {name}"
            self.known("int", "i")
        elif kind == 3:
            source, name = f"zip({self.iterable()}, {self.list_value()})", f"i, {name}"
            self.known("int", "i")
        elif kind == 4 and self.of("iterator"):
            source = self.random.choice(self.of("iterator"))
        self.known("int", name.split()[-1])
        lines = [f"for {name} in {source}:", *self.inner()]
        if self.chance(0.4):
            lines += [f"    if {self.truth(1)}:", f"        {self.pick('break', 'continue')}"]
            lines += self.inner(1)
        if kind == 1 and self.chance(0.5):
            lines += [f"    if len({source}) < 5:", f"        {source}.append({self.number(0)})"]
        if self.chance(0.25):
            lines += ["else:", *self.inner(1)]
        return lines

    def while_loop(self) -> list[str]:
        self.fresh += 1
        count = f"w{self.fresh}"
        lines = [f"{count} = 0", f"while {count} < 3 and {self.truth(1)}:", f"    {count} += 1", *self.inner()]
        if self.chance(0.3):
            lines += [f"    if {self.truth(1)}:", f"        {self.pick('break', 'continue')}"]
        if self.chance(0.3):
            lines += ["else:", *self.inner(1)]
        return lines

    def matched(self) -> list[str]:
        subject = self.pick(
            "self.n", "self.maybe", "m", "self.color", f"({self.number(0)}, self.maybe)", "self.more", "(self.n, m.n)"
        )
        name = self.new("int")
        patterns = {
            "self.n": ["1", "0 | 2", "int()", "bool()", name],
            "self.maybe": ["None", "1 | 2", "int()", name],
            "m": ["Go(n=0)", f"Go(n={name}, flag=True)", "Told()", f"Go(color=Color.RED, n={name})"],
            "self.color": ["Color.RED", "Color.GREEN | Color.BLUE", "Color()"],
        }.get(subject, ["(1, None)", f"(0, {name})", f"({name}, 1)", f"(1, {name}) | ({name}, 1)", f"[{name}, *_]"])
        lines = [f"match {subject}:"]
        self.known("int", name)
        for pattern in self.random.sample(patterns, min(len(patterns), 2)):
            guard = f" if {self.truth(1)}" if self.chance(0.3) and pattern != name else ""
            lines += [f"    case {pattern}{guard}:", *(f"    {line}" for line in self.inner(1))]
            if pattern == name:
                return lines
        return [*lines, "    case _:", *(f"    {line}" for line in self.inner(1))]

    # expressions ------------------------------------------------------------------------------------------------------

    def index(self) -> str:
        return self.pick("0", "1", "-1", "2", "self.n", "-2", "self.n - 1", *self.of("int"))

    def iterable(self) -> str:
        """Of numbers, in an order that is defined."""
        return self.pick(
            "self.cells",
            "self.more",
            "range(3)",
            "range(self.n)",
            "NUMBERS",
            "(1, 2)",
            "PAIRS[0]",
            "reversed(NUMBERS)",
            "sorted(FEW)",
            f"[{self.number(0)}, {self.number(0)}]",
            *self.of("list"),
            *self.of("iterator"),
            *(f"{name}.values()" for name in self.of("dict")),
        )

    def color(self) -> str:
        return self.pick(
            "Color.RED", "Color.BLUE", "self.color", "m.color", f"Color.RED if {self.truth(1)} else m.color"
        )

    def number(self, depth: int) -> str:
        leaves = [str(self.random.randint(-2, 4)), "self.n", "self.big", "m.n", "K", *self.of("int") * 2]
        if depth <= 0 or self.chance(0.3):
            return self.random.choice(leaves)
        a, b = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            f"({a} + {b})",
            f"({a} - {b})",
            f"({a} * {b}) % 7",
            f"{a} // {b}" if self.chance(0.5) else f"({a}) % ({b})",
            f"-({a})",
            f"abs({a})",
            f"min({a}, {b})",
            f"max({a}, {b}, 1)",
            f"({a} if {self.truth(depth - 1)} else {b})",
            f"({a} and {b})",
            f"({a} or {b})",
            f"int({self.truth(depth - 1)})",
            f"({self.truth(depth - 1)}) + {a}",
            f"self.cells[{self.index()}]",
            f"self.more[{self.index()}]",
            f"({a}, {b})[{self.pick('0', '1', '-1', 'self.flag')}]",
            f"clamp({a}, high={b})",
            f"clamp({a})",
            f"len({self.list_value()})",
            f"sum({self.iterable()})",
            f"NUMBERS[{self.index()}]",
            f"NAMES[{self.index()}]",
            f"self.more.count({a})",
            f"next((x for x in {self.iterable()} if {self.truth_of('x')}), {a})",
            f"self.bump({a})" if self.chance(0.3) else f"self.same({a})",
            f"(lambda x, y={a}: x - y)({b})",
        )

    def truth_of(self, name: str) -> str:
        return self.pick(f"{name} > 1", f"{name} != {self.number(0)}", f"{name} % 2", f"{name} in self.seen", name)

    def truth(self, depth: int) -> str:
        if depth <= 0 or self.chance(0.2):
            return self.pick(
                "self.flag", "m.flag", "self.n > 1", "True", "self.color is Color.RED", "self.maybe is None"
            )
        a, b = self.number(depth - 1), self.number(depth - 1)
        p, q = self.truth(depth - 1), self.truth(depth - 1)
        return self.pick(
            f"{a} < {b}",
            f"{a} == {b}",
            f"{a} <= {b} != {self.number(0)}",
            f"not {p}",
            f"({p} and {q})",
            f"({p} or {q})",
            f"{a} in {self.pick('self.seen', 'self.cells', '(1, 2)', 'range(3)', 'NUMBERS', 'FEW', *self.of('set'))}",
            f"any({self.truth_of('x')} for x in {self.iterable()})",
            f"all({self.truth_of('x')} for x in {self.iterable()})",
            f"bool({a})",
            f"({p} if {q} else self.flag)",
            f"({a}, self.n) < ({b}, {self.number(0)})",
            f"self.maybe == {a}",
            "self.seen <= self.met",
            f"bool({self.list_value()})",
        )
