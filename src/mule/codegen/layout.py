"""Where each slot lives in the packed state: a few bits in one of its 64-bit words.

The two top bits of the first word belong to the engine's state table: the first is set in every state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mule.model import Model, Role, Variable
from mule.records import Record

WORD_BITS = 64
OCCUPIED = 1 << 63
_FIRST_WORD_BITS = 62


class Field(Record, frozen=True):
    """The place of a variable: element `i` has `width` bits at `shift + (i % per_word) * width` of word
    `word + i // per_word`, and holds the value minus `low`."""

    word: int
    shift: int
    width: int
    low: int
    per_word: int

    @property
    def mask(self) -> int:
        return (1 << self.width) - 1

    def place(self, index: int) -> tuple[int, int]:
        return self.word + index // self.per_word, self.shift + index % self.per_word * self.width


class Layout:
    """The packing of one model, given bounds for the values of each slot."""

    def __init__(self, model: Model, bounds: Sequence[tuple[int, int]]) -> None:
        self.model = model
        self.fields: dict[Variable, Field] = {}
        self._used = [0]
        ordered = sorted(model.variables, key=lambda v: v.role is not Role.LOCATION)
        for variable in ordered:
            base = model.slot_of[variable]
            own = bounds[base : base + variable.size]
            low = min((b[0] for b in own), default=0)
            high = max((b[1] for b in own), default=0)
            if variable.role is Role.CHANNEL:
                low = min(low, 0)
            self.fields[variable] = self._place(variable, low, (high - low).bit_length())

    @property
    def words(self) -> int:
        return len(self._used)

    def _capacity(self, word: int) -> int:
        return _FIRST_WORD_BITS if word == 0 else WORD_BITS

    def _place(self, variable: Variable, low: int, width: int) -> Field:
        if width * variable.size <= WORD_BITS:
            word, shift = self._reserve(width * variable.size)
            return Field(word, shift, width, low, max(variable.size, 1))
        width = 1 << (width - 1).bit_length()
        per_word = WORD_BITS // width
        word = len(self._used)
        remaining = variable.size * width
        while remaining > 0:
            self._used.append(min(remaining, WORD_BITS))
            remaining -= WORD_BITS
        return Field(word, 0, width, low, per_word)

    def _reserve(self, bits: int) -> tuple[int, int]:
        for word, used in enumerate(self._used):
            if used + bits <= self._capacity(word):
                self._used[word] += bits
                return word, used
        self._used.append(bits)
        return len(self._used) - 1, 0

    def words_of(self, variable: Variable) -> range:
        """The words that a variable's elements touch."""
        field = self.fields[variable]
        last, _ = field.place(variable.size - 1)
        return range(field.word, last + 1)

    def pack(self, state: Sequence[int]) -> list[int]:
        words = [0] * self.words
        words[0] = OCCUPIED
        for variable, field in self.fields.items():
            base = self.model.slot_of[variable]
            for index in range(variable.size):
                word, shift = field.place(index)
                words[word] |= (state[base + index] - field.low & field.mask) << shift
        return words

    def unpack(self, words: Sequence[int]) -> tuple[int, ...]:
        state = [0] * self.model.slots
        for variable, field in self.fields.items():
            base = self.model.slot_of[variable]
            for index in range(variable.size):
                word, shift = field.place(index)
                state[base + index] = (words[word] >> shift & field.mask) + field.low
        return tuple(state)

    def mask(self, variables: Iterable[Variable]) -> list[int]:
        """The bits of each word that hold these variables."""
        words = [0] * self.words
        for variable in variables:
            field = self.fields[variable]
            for index in range(variable.size):
                word, shift = field.place(index)
                words[word] |= field.mask << shift
        return words
