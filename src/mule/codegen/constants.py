"""Effects that do no more than store constants: as masks and bits of the words of a state.

A rendezvous is one step for each place of the sender and each of the receiver. Most of these steps differ in nothing
but constants, and are then looked up in a table instead of being compiled one by one.
"""

from __future__ import annotations

from mule.codegen.layout import Layout
from mule.model import Assign, Outcome, Statement
from mule.model.expressions import Constant

Masks = dict[int, int]
"""The bits that are replaced, by word."""


class ConstantEffects:
    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._known: dict[int, tuple[Statement, tuple[int, int, int] | None]] = {}
        """By identity, and kept alive: steps share statements."""

    def of(self, outcome: Outcome) -> tuple[Masks, dict[int, int]] | None:
        """What is replaced in each word, and by what; None where it hangs on the state, or may fail."""
        if outcome.condition is not None:
            return None
        masks: Masks = {}
        bits: dict[int, int] = {}
        for statement in outcome.statements:
            known = self._known.get(id(statement))
            if known is None:
                known = self._known[id(statement)] = statement, self._stored(statement)
            if known[1] is None:
                return None
            word, mask, value = known[1]
            if mask:
                masks[word] = masks.get(word, 0) | mask
                bits[word] = bits.get(word, 0) & ~mask | value
        return masks, bits

    def _stored(self, statement: Statement) -> tuple[int, int, int] | None:
        """The word, the bits in it that an assignment replaces, and by what."""
        if not isinstance(statement, Assign) or not isinstance(statement.value, Constant):
            return None
        variable, index = statement.target.variable, statement.target.index
        if index is not None and not (isinstance(index, Constant) and 0 <= index.value < variable.size):
            return None
        value, kind = statement.value.value, variable.type
        if kind.checked and not kind.low <= value <= kind.high:
            return None
        field = self._layout.fields[variable]
        word, shift = field.place(0 if index is None else index.value)
        return word, field.mask << shift, (kind.wrap(value) - field.low & field.mask) << shift
