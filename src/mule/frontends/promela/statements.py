"""Statements: recursive descent, with a limit on how deep they may be nested."""

from __future__ import annotations

from mule.frontends.promela.declarations import DECLARATION_STARTS
from mule.frontends.promela.inlining import InliningParser
from mule.frontends.promela.lexer import END, INLINE_NAME, MTYPE_NAME, NAME, NUMBER, STRING
from mule.frontends.promela.syntax import (
    MEANINGFUL_LABELS,
    Assertion,
    Assignment,
    Atomic,
    Block,
    Break,
    ChannelInitializer,
    Condition,
    Do,
    DStep,
    Else,
    ExclusiveUse,
    For,
    ForEach,
    Goto,
    If,
    Increment,
    InlineCall,
    Labelled,
    MtypeDeclaration,
    Number,
    Print,
    PrintMtype,
    Receive,
    Reference,
    Run,
    Select,
    Send,
    Sequence,
    SetPriority,
    Statement,
    Step,
    Tree,
    Unless,
    VariableDeclaration,
)

MAX_NESTING = 100

_CONTROL_FLOW = (If, Do, For, ForEach, Select, Goto, Break)
_SEPARATORS = frozenset({";", "->"})
_STEP_ENDS = frozenset({"}", "::", "fi", "od", ";", "->", END})


class StatementParser(InliningParser):
    """`nesting` and `loops` count the statements and loops around the next token."""

    nesting = 0
    loops = 0
    in_trace = False
    keeps_skips = False
    """Whether the tree has also those statements that SPIN reads, numbers and then leaves out."""
    starting = True
    """Whether no statement of this process has been read: what is declared here is set when the process starts."""

    def braces(self) -> Sequence:
        """`{ ... }`"""
        opened = self.at
        self.take("{")
        result = self.sequence("{", frozenset({"}"}), opened)
        self.position += 1
        return result

    def unlabelled_braces(self) -> Sequence:
        """SPIN cannot jump to, or look at, a label on the first statement of a block, since the block is that place."""
        at = self.at
        result = self.braces()
        self.check_has_statement(result, at)
        if isinstance(result[0], Labelled):
            label = result[0].label
            self.fail(f"the label `{label}` must stand before the block, not on its first statement", result[0].at)
        return result

    def check_has_statement(self, sequence: Sequence, at: int) -> None:
        if all(isinstance(step, ExclusiveUse) for step in sequence):
            self.fail("at least one statement must stand here, beside `xr` and `xs`", at)

    def check_labels_of_option(self, first: Step, keyword: str) -> None:
        """SPIN complains of such a label, and what it then marks depends on the order of its tables."""
        while isinstance(first, Labelled):
            if first.label.startswith(MEANINGFUL_LABELS):
                self.fail(f"the label `{first.label}` must stand before the `{keyword}`, not in an option", first.at)
            first = first.statement

    def check_begins_without_escape(self, body: Sequence) -> None:
        """SPIN complains, and leaves out all other statements of the `d_step`."""
        first: Step = body[0]
        while isinstance(first, Block | Atomic | InlineCall):
            block = first.body if isinstance(first, InlineCall) else first
            first = block.body[0]
        if isinstance(first, Unless):
            self.fail("a d_step cannot begin with an `unless`", first.at)

    def add_label(self, at: int, label: str) -> None:
        """Each expansion of an inline has its own labels."""
        expansions = self.labels.setdefault(label, set())
        if self.expansion_number in expansions:
            self.fail(f"the label `{label}` stands twice in this process", at)
        expansions.add(self.expansion_number)

    def sequence(self, opening: str, closing: frozenset[str], opened: int) -> Sequence:
        """Steps up to a token that closes a block, or an option."""
        steps: list[Step] = []
        while True:
            steps.append(self.step())
            separated = self.position == self.expanded_at or self.kind in _SEPARATORS
            while self.kind in _SEPARATORS:
                self.position += 1
            if self.kind in closing:
                return tuple(steps)
            if not separated or self.kind in _STEP_ENDS:
                line = self.source.place(opened).line
                ends = " or ".join(f"`{end}`" for end in sorted(closing))
                self.expected(f"{'a statement' if separated else '`;`'} or {ends} for the `{opening}` of line {line}")

    def step(self) -> Step:
        kind = self.kind
        if kind in DECLARATION_STARTS:
            declaration = self.declaration()
            if isinstance(declaration, MtypeDeclaration):
                self.fail("mtype constants must be declared globally", declaration.at)
            self.check_local(declaration)
            return declaration
        if kind in ("xr", "xs"):
            return self.exclusive_use()
        at = self.at
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            self.fail(f"statements are nested too deeply: more than {MAX_NESTING} levels", at)
        self.starting = False
        result = self.statement()
        # The end of an inline is a brace, after which a line may end before `unless`.
        if self.position == self.expanded_at and self.kind == ";" and self.kinds[self.position + 1] == "unless":
            self.position += 1
        if self.accept("unless"):
            result = Unless(at, result, self.statement())
        self.nesting -= 1
        return result

    def check_local(self, declaration: VariableDeclaration) -> None:
        if declaration.visibility == "hidden":
            self.fail("only global variables can be `hidden`", declaration.at)
        for variable in declaration.variables:
            if isinstance(variable.initial, ChannelInitializer) and not self.starting:
                self.fail(f"the channel `{variable.name}` must be made before the first statement", variable.at)

    def statement(self) -> Statement:
        at, kind = self.at, self.kind
        labels: list[tuple[int, str]] = []
        while kind == NAME and self.kinds[self.position + 1] == ":":
            labels.append((self.at, self.take(NAME)))
            self.add_label(*labels[-1])
            if self.nesting + len(labels) > MAX_NESTING:
                self.fail(f"statements are nested too deeply: more than {MAX_NESTING} levels", at)
            self.position += 1
            kind = self.kind
            if kind in DECLARATION_STARTS or kind in ("xr", "xs"):
                self.expected(f"a statement after the label `{labels[-1][1]}`")
        if labels and kind in _STEP_ENDS:
            at = self.starts[self.position - 1]
            result: Statement = Condition(at, Number(at, 1, "skip"))
        else:
            at = self.at
            result = self.unlabelled()
            if self.in_trace and not _is_event(result):
                self.fail("only sends, receives and control flow can stand in a trace assertion", at)
        for label_at, label in reversed(labels):
            result = Labelled(label_at, label, result)
        return result

    def unlabelled(self) -> Statement:
        at, kind = self.at, self.kind
        match kind:
            case "if":
                return If(at, self.options("fi"))
            case "do":
                return Do(at, self.options("od"))
            case "for":
                return self.for_loop()
            case "select":
                return self.select()
            case "atomic":
                self.position += 1
                return Atomic(at, self.unlabelled_braces())
            case "d_step":
                self.position += 1
                body = self.unlabelled_braces()
                self.check_begins_without_escape(body)
                return DStep(at, body)
            case "{":
                return Block(at, self.unlabelled_braces())
            case "break":
                self.position += 1
                if not self.loops:
                    self.fail("`break` stands outside any loop", at)
                return Break(at)
            case "goto":
                self.position += 1
                self.gotos.append((self.at, self.take(NAME, "the name of a label")))
                return Goto(at, self.gotos[-1][1])
            case "else":
                self.position += 1
                return Else(at)
            case "assert":
                self.position += 1
                return Assertion(at, self.expression(probes=True))
            case "printf" | "printm":
                return self.print_statement()
            case "set_priority":
                return self.set_priority()
            case "return":
                return self.return_statement()
            case _ if kind == INLINE_NAME:
                return self.inline_call(at, None)
            case _:
                return self.simple()

    def options(self, closing: str) -> tuple[Sequence, ...]:
        """The options of `if` or `do`."""
        opened = self.at
        keyword = self.take(self.kind)
        looping = int(keyword == "do")
        if self.kind != "::":
            self.expected(f"`::`, the first option of `{keyword}`")
        result: list[Sequence] = []
        has_else = False
        self.loops += looping
        while self.accept("::"):
            at = self.at
            option = self.sequence(keyword, frozenset({"::", closing}), opened)
            self.check_has_statement(option, at)
            self.check_labels_of_option(option[0], keyword)
            if isinstance(option[0], Else):
                if has_else:
                    self.fail(f"this `{keyword}` has two options with `else`", at)
                has_else = True
            result.append(option if self.in_claim or self.keeps_skips else _without_repeated_skips(option))
        self.loops -= looping
        self.take(closing, f"`::` or `{closing}` for the `{keyword}` of line {self.source.place(opened).line}")
        return tuple(result)

    def for_loop(self) -> Statement:
        at = self.at
        self.take("for")
        self.take("(")
        variable = self.reference("the variable of the loop")
        if self.kind == NAME and self.texts[self.position] == "in":
            self.position += 1
            container = self.reference("an array or a channel")
            self.take(")")
            return ForEach(at, variable, container, self.loop_body())
        self.take(":", "`:` or `in`")
        low, high = self.range()
        return For(at, variable, low, high, self.loop_body())

    def loop_body(self) -> Sequence:
        self.accept(";")
        if self.kind != "{":
            self.expected("`{`, the body of the loop")
        self.loops += 1
        body = self.braces()
        self.loops -= 1
        return body

    def range(self) -> tuple[Tree, Tree]:
        """`low .. high )`"""
        low = self.expression()
        self.take("..", "an operator or `..`")
        high = self.expression()
        self.take(")", "an operator or `)`")
        return low, high

    def select(self) -> Select:
        at = self.at
        self.take("select")
        self.take("(")
        variable = self.reference("a variable")
        self.take(":")
        low, high = self.range()
        bounds = isinstance(low, Number) and isinstance(high, Number)
        name = variable.parts[0].name
        plain = len(variable.parts) == 1 and variable.parts[0].index is None and name.isalnum()
        return Select(at, variable, low, high, bounds and plain and not self.calls)

    def print_statement(self) -> Statement:
        at = self.at
        kind = self.take(self.kind)
        self.take("(")
        if kind == "printm":
            constant = self.kind in (NUMBER, MTYPE_NAME)
            value = self.constant("") if constant else self.reference("a variable or an mtype constant")
            self.take(")")
            return PrintMtype(at, value)
        format = self.take(STRING, "a string")
        arguments = self.commas(self.expression) if self.accept(",") else ()
        self.take(")", "`,` or `)`")
        return Print(at, format, arguments)

    def set_priority(self) -> SetPriority:
        at = self.at
        self.take("set_priority")
        self.take("(")
        process = self.expression()
        self.take(",", "an operator or `,`")
        priority = self.expression()
        self.take(")", "an operator or `)`")
        return SetPriority(at, process, priority)

    def simple(self) -> Statement:
        """What begins with an expression: a condition, an assignment, a send or a receive."""
        at = self.at
        if self.kind in _STEP_ENDS:
            self.expected("a statement")
        begin = self.position
        operand = self.statement_expression()
        tree = operand.tree
        if "run" in self.kinds[begin : self.position] and not isinstance(tree, Run):
            self.fail("`run` must stand alone, or on the right of an assignment", at)
        if not (isinstance(tree, Reference) and operand.bare):
            return Condition(at, tree)
        match self.kind:
            case "=":
                self.position += 1
                if self.kind == INLINE_NAME:
                    return self.inline_call(at, tree)
                return Assignment(at, tree, self.expression(probes=True))
            case "++" | "--":
                return Increment(at, tree, 1 if self.take(self.kind) == "++" else -1)
            case "!" | "!!":
                sorted = self.take(self.kind) == "!!"
                begin = self.position
                arguments = self.messages()
                if "run" in self.kinds[begin : self.position]:
                    self.fail("`run` cannot be used in a message", self.starts[begin])
                return Send(at, tree, arguments, sorted)
            case "?" | "??":
                random = self.take(self.kind) == "??"
                keep = self.accept("<")
                patterns = self.patterns()
                if keep:
                    self.take(">", "`,` or `>`")
                return Receive(at, tree, patterns, random, keep)
            case _:
                return Condition(at, tree)

    def messages(self) -> tuple[Tree, ...]:
        """The arguments of a send: `a, b` or `a(b, c)`."""
        first = self.expression()
        if self.accept("("):
            rest = self.commas(self.expression)
            self.take(")", "`,` or `)`")
            return first, *rest
        if self.accept(","):
            return first, *self.commas(self.expression)
        return (first,)


def _is_event(statement: Statement) -> bool:
    """Whether it may stand in a trace assertion."""
    match statement:
        case Send(sorted=sorted):
            return not sorted
        case Receive(random=random, keep=keep):
            return not random and not keep
        case _:
            return isinstance(statement, _CONTROL_FLOW)


def _without_repeated_skips(option: Sequence) -> Sequence:
    """SPIN drops a `skip` after another one, or after a `printf`, in an option, unless it is the last statement."""
    kept: list[Step] = []
    for number, step in enumerate(option):
        follows = bool(kept) and _does_nothing(kept[-1])
        if not (follows and _is_skip(step) and number + 1 < len(option)):
            kept.append(step)
    return tuple(kept)


def _does_nothing(step: Step) -> bool:
    return isinstance(step, Print | PrintMtype) or _is_skip(step)


def _is_skip(step: Step) -> bool:
    return isinstance(step, Condition) and isinstance(step.expression, Number) and step.expression.value == 1
