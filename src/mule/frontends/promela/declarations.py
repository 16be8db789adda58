"""Declarations of variables, channels and types, global or inside a body."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TypeVar

from mule.frontends.promela.lexer import NAME, NUMBER, TYPE, TYPE_NAME, number
from mule.frontends.promela.operators import ExpressionParser
from mule.frontends.promela.syntax import (
    Binary,
    ChannelInitializer,
    ExclusiveUse,
    FieldType,
    ListInitializer,
    MtypeConstant,
    MtypeDeclaration,
    Number,
    Reference,
    Run,
    Tree,
    TypeDeclaration,
    Unary,
    Variable,
    VariableDeclaration,
    Visibility,
)

Item = TypeVar("Item")

DECLARATION_STARTS = frozenset({TYPE, TYPE_NAME, "hidden", "local", "show"})


class DeclarationParser(ExpressionParser):
    @abstractmethod
    def prepare_block(self) -> None:
        """Make the block that begins here ready to be read."""

    def commas(self, item: Callable[[], Item]) -> tuple[Item, ...]:
        items = [item()]
        while self.accept(","):
            items.append(item())
        return tuple(items)

    def declaration(self) -> VariableDeclaration | MtypeDeclaration:
        """`byte x = 1, y[2]`, `T z`, `mtype:colour c`, or the names of an mtype."""
        at = self.at
        visibility = self.visibility()
        if self.kind not in (TYPE, TYPE_NAME):
            self.expected("a type")
        builtin = self.kind == TYPE
        type = self.take(self.kind)
        subtype: str | None = None
        if builtin and self.accept(":"):
            if type != "mtype":
                self.fail(f"only `mtype` can have a subtype, not `{type}`", at)
            subtype = self.take(NAME, "the name of a set of mtype constants")
        if builtin and (self.kind == "=" or (self.kind == "{" and subtype is None)):
            if type != "mtype":
                self.expected("the name of a variable")
            if visibility:
                self.fail(f"mtype constants cannot be `{visibility}`", at)
            self.accept("=")
            return self.mtype_names(at, subtype)
        if visibility == "hidden" and type in ("bit", "bool", "chan"):
            self.fail(f"a `{type}` cannot be `hidden`", at)
        return VariableDeclaration(at, visibility, type, subtype, self.commas(lambda: self.variable(type)))

    def visibility(self) -> Visibility:
        for word in ("hidden", "local", "show"):
            if self.accept(word):
                return word
        return ""

    def mtype_names(self, at: int, subtype: str | None) -> MtypeDeclaration:
        """Commas between the names are optional."""
        self.take("{")
        names: list[str] = []
        while self.kind == NAME or (self.kind == "," and names):
            if not self.accept(","):
                names.append(self.take(NAME))
        if not names or self.kind != "}":
            self.expected("the name of an mtype constant" + (" or `}`" if names else ""))
        self.take("}")
        return MtypeDeclaration(at, subtype, tuple(names))

    def variable(self, type: str) -> Variable:
        at = self.at
        name = self.take(NAME, "the name of a variable")
        length: Tree | None = None
        bits: int | None = None
        if self.accept(":"):
            bits = number(self.take(NUMBER, "the number of bits"))
            if type != "unsigned":
                self.fail(f"only an `unsigned` variable can have a width, and `{name}` is not one", at)
        elif self.accept("["):
            length = self.constant_expression()
            self.take("]", "an operator or `]`")
        if type == "unsigned" and not (bits and 0 < bits < 32):
            self.fail(f"the unsigned variable `{name}` needs a width of 1 to 31 bits, such as `{name} : 5`", at)
        initial = self.initializer(name, length) if self.accept("=") else None
        return Variable(at, name, length, bits, initial)

    def initializer(self, name: str, length: Tree | None) -> Tree | ChannelInitializer | ListInitializer:
        at = self.at
        if self.kind == "[":
            return self.channel_initializer()
        if self.accept("{"):
            if length is None:
                self.fail(f"`{name}` is not an array, so its initial value cannot be a list", at)
            values = self.commas(lambda: self.constant("a constant"))
            self.take("}", "`,` or `}`")
            self.refuse_comma_after_brace()
            return ListInitializer(at, values)
        value = self.expression()
        run = next((part for part in _parts(value) if isinstance(part, Run)), None)
        if run is not None:
            self.fail("`run` cannot be used in an initial value", run.at)
        return value

    def channel_initializer(self) -> ChannelInitializer:
        at = self.at
        self.take("[")
        capacity = self.constant_expression(names=False)
        self.take("]", "an operator or `]`")
        self.take("of")
        self.take("{")
        fields = self.commas(self.field_type)
        self.take("}", "`,` or `}`")
        self.refuse_comma_after_brace()
        return ChannelInitializer(at, capacity, fields)

    def refuse_comma_after_brace(self) -> None:
        """SPIN puts a semicolon after the brace, so that the next variable needs a declaration of its own."""
        following = self.position + (self.kind == ";" and not self.texts[self.position])
        if self.kinds[following] == ",":
            self.fail("expected `;`, found `,`: after a list in braces the declaration ends", self.starts[following])

    def field_type(self) -> FieldType:
        at = self.at
        if self.kind == TYPE_NAME:
            return FieldType(at, self.take(TYPE_NAME), None)
        name = self.take(TYPE, "the type of a field")
        subtype: str | None = None
        if name == "unsigned":
            self.fail("a field of a message cannot be `unsigned`", at)
        if self.accept(":"):
            if name != "mtype":
                self.fail(f"only `mtype` can have a subtype, not `{name}`", at)
            subtype = self.take(NAME, "the name of a set of mtype constants")
        return FieldType(at, name, subtype)

    def constant_expression(self, *, names: bool = True) -> Tree:
        """Constants and arithmetic on them; with `names`, also the name of a variable that has an initial value."""
        tree = self.expression()
        if names and isinstance(tree, Reference) and len(tree.parts) == 1 and tree.parts[0].index is None:
            return tree
        for part in _parts(tree):
            if not isinstance(part, Number | MtypeConstant | Unary | Binary):
                self.fail("expected a constant", part.at)
            if isinstance(part, Unary | Binary) and part.operator not in ("+", "-", "*", "/", "%"):
                self.fail(f"expected a constant with arithmetic only, found the operator `{part.operator}`", part.at)
        return tree

    def type_declaration(self) -> TypeDeclaration:
        """`typedef T { byte a; chan c }`"""
        at = self.at
        self.take("typedef")
        if self.kind == TYPE_NAME:
            self.expected("a new name")
        name = self.take(NAME, "the name of the new type")
        if self.kind != "{":
            self.expected("`{`")
        self.prepare_block()
        self.take("{")
        fields = [self.field_declaration("a declaration")]
        while self.kind == ";":
            while self.accept(";"):
                pass
            if self.kind != "}":
                fields.append(self.field_declaration("a declaration or `}`"))
        self.take("}", "`;` or `}`")
        return TypeDeclaration(at, name, tuple(fields))

    def field_declaration(self, what: str) -> VariableDeclaration:
        if self.kind not in DECLARATION_STARTS:
            self.expected(what)
        declaration = self.declaration()
        if isinstance(declaration, MtypeDeclaration):
            self.fail("mtype constants must be declared globally", declaration.at)
        return declaration

    def parameters(self) -> tuple[VariableDeclaration, ...]:
        """`(byte a, b; chan c)`"""
        self.take("(")
        result: list[VariableDeclaration] = []
        if self.accept(")"):
            return ()
        while True:
            declaration = self.field_declaration("a parameter, such as `byte x`" + ("" if result else ", or `)`"))
            for variable in declaration.variables:
                if variable.initial is not None:
                    self.fail("a parameter cannot have an initial value", variable.at)
                if variable.length is not None:
                    self.fail("a parameter cannot be an array", variable.at)
            result.append(declaration)
            if not self.accept(";"):
                break
        self.take(")", "`,`, `;` or `)`")
        return tuple(result)

    def exclusive_use(self) -> ExclusiveUse:
        at = self.at
        kind = self.take(self.kind)
        channels = self.commas(lambda: self.reference("a channel"))
        return ExclusiveUse(at, "xr" if kind == "xr" else "xs", channels)


def _parts(tree: Tree) -> list[Tree]:
    """All parts of an expression made of operators; other parts are not entered."""
    result: list[Tree] = []
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        result.append(part)
        if isinstance(part, Unary):
            waiting.append(part.operand)
        elif isinstance(part, Binary):
            waiting += [part.right, part.left]
    return result
