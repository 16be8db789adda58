"""Inline definitions and their calls.

SPIN puts the text of a definition where it is called, with the text of the arguments in place of the parameters, and
reads on. So a parameter can be a label or a part of an operator's operand (`x * 2` with `a + 1` for `x` is
`a + 1 * 2`), and an error in an inline appears only when it is called. We do the same with tokens.
"""

from __future__ import annotations

from abc import abstractmethod

from mule.frontends.promela.declarations import DeclarationParser
from mule.frontends.promela.lexer import END, INLINE_NAME, NAME, Source, Tokens
from mule.frontends.promela.separators import with_separators
from mule.frontends.promela.syntax import (
    Assignment,
    Block,
    InlineCall,
    InlineDefinition,
    Reference,
    Sequence,
)

MAX_EXPANSION = 500_000
"""Tokens that inlines may expand to: a few inlines that call each other twice can ask for more than memory holds."""


class InliningParser(DeclarationParser):
    def __init__(self, source: Source) -> None:
        super().__init__(source, source.tokens)
        self.names: dict[str, str] = {}
        """What the names declared so far are: one of the kinds in `lexer.DECLARED`."""
        self.inlines: dict[str, InlineDefinition] = {}
        self.calls: list[tuple[str, Reference | None]] = []
        """The calls that are being expanded, outermost first, with the variables for what they return."""
        self.expansion = 0
        self.expanded_at = -1
        """The position after the last call: there the brace that ends the inline stands, to SPIN."""
        self.labels: dict[str, set[int]] = {}
        """The labels of this process, each with the expansions of inlines where it stands."""
        self.expansion_number = 0
        self.expansions = 0
        self.gotos: list[tuple[int, str]] = []

    @abstractmethod
    def unlabelled_braces(self) -> Sequence:
        """`{ ... }`"""

    def prepare_block(self) -> None:
        """Tell names apart in the block that begins here, and add the semicolons that SPIN adds."""
        block, end = with_separators(self.tokens, self.position, self.names)
        self.tokens.replace(self.position, end, block)

    def inline_definition(self) -> InlineDefinition:
        at = self.at
        self.take("inline")
        name_at = self.at
        if self.kind == INLINE_NAME:
            self.fail(f"the inline `{self.texts[self.position]}` is defined twice", name_at)
        name = self.take(NAME, "the name of the inline")
        self.take("(")
        parameters: tuple[str, ...] = ()
        if self.kind != ")":
            parameters = self.commas(lambda: self.take(NAME, "the name of a parameter"))
        self.take(")", "`,` or `)`")
        if self.kind != "{":
            self.expected("`{`")
        begin = self.position
        depth = 0
        while True:
            kind = self.kind
            if kind == END:
                line = self.source.place(name_at).line
                self.expected(f"`}}`, the end of the inline `{name}` of line {line}")
            self.position += 1
            depth += (kind == "{") - (kind == "}")
            if depth == 0:
                break
        self.inlines[name] = definition = InlineDefinition(
            at, name, parameters, self.tokens.slice(begin, self.position)
        )
        self.names[name] = INLINE_NAME
        return definition

    def inline_call(self, at: int, result: Reference | None) -> InlineCall:
        """Read a call and put the definition behind it; read that, and take it out again."""
        call_at = self.at
        definition = self.inlines[self.take(INLINE_NAME)]
        arguments = self.inline_arguments()
        self.check_call(definition, len(arguments), call_at)
        body, _ = with_separators(self.substitute(definition, arguments, call_at), 0, self.names)
        self.expansion += len(body.kinds)
        if self.expansion > MAX_EXPANSION:
            self.fail(f"inlines expand to more than {MAX_EXPANSION} tokens", call_at)
        begin = self.position
        rest = len(self.kinds) - begin
        self.tokens.replace(begin, begin, body)
        self.calls.append((definition.name, result))
        around, self.expansions = self.expansion_number, self.expansions + 1
        self.expansion_number = self.expansions
        block = Block(self.at, self.unlabelled_braces())
        self.expansion_number = around
        self.calls.pop()
        self.tokens.replace(begin, len(self.kinds) - rest, Tokens())
        self.position = self.expanded_at = begin
        texts = tuple("".join(argument.texts) for argument in arguments)
        return InlineCall(at, definition.name, texts, result, block)

    def inline_arguments(self) -> list[Tokens]:
        self.take("(")
        arguments: list[Tokens] = []

        def argument() -> None:
            begin = self.position
            self.expression()
            arguments.append(self.tokens.slice(begin, self.position))

        if self.kind != ")":
            self.commas(argument)
        self.take(")", "`,` or `)`")
        return arguments

    def check_call(self, definition: InlineDefinition, arguments: int, at: int) -> None:
        name = definition.name
        if arguments != len(definition.parameters):
            count = len(definition.parameters)
            self.fail(f"the inline `{name}` has {count} parameters, but is called with {arguments} arguments", at)
        active = [call for call, _ in self.calls]
        if name in active:
            path = " -> ".join([*active[active.index(name) :], name])
            self.fail(f"the inline `{name}` calls itself ({path}): inlines cannot be recursive", at)

    def substitute(self, definition: InlineDefinition, arguments: list[Tokens], at: int) -> Tokens:
        """The body with the arguments in it, and the end of the file after it."""
        actual = dict(zip(definition.parameters, arguments, strict=True))
        body, result = definition.body, Tokens()
        for position, text in enumerate(body.texts):
            argument = actual.get(text)
            if argument is None or body.kinds[position] != NAME:
                result.append(body.kinds[position], text, body.starts[position], body.breaks[position])
                continue
            self.check_argument(definition, text, argument.texts, at)
            begin = len(result.kinds)
            result.extend(argument, 0, len(argument.kinds))
            result.breaks[begin] = body.breaks[position]
            for index in range(begin + 1, len(result.breaks)):
                result.breaks[index] = False
            if len(result.kinds) > MAX_EXPANSION:
                self.fail(f"inlines expand to more than {MAX_EXPANSION} tokens", at)
        result.append(END, "", body.starts[-1] + 1, False)
        return result

    def check_argument(self, definition: InlineDefinition, parameter: str, argument: list[str], at: int) -> None:
        """SPIN refuses arguments that it would take for parameters when it reads them."""
        if len(argument) == 1 and argument[0] != parameter and argument[0] in definition.parameters:
            self.fail(
                f"`{argument[0]}` is also the name of a parameter of `{definition.name}`, and cannot be passed for "
                f"its parameter `{parameter}`",
                at,
            )

    def return_statement(self) -> Assignment:
        """In an inline, `return e` assigns to the variable on the left of the call."""
        at = self.at
        self.take("return")
        value = self.expression(probes=True)
        target = self.calls[-1][1] if self.calls else None
        if target is None:
            self.fail("`return` stands outside an inline that is called for its value", at)
        return Assignment(at, target, value)
