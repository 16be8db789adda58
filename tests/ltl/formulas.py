"""Random formulas and all small words, for the tests."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from mule.ltl import formula as ltl
from mule.ltl.formula import Formula

ATOMS = ("a", "b", "c")

_UNARY = (ltl.not_, ltl.next_, ltl.eventually, ltl.always)
_BINARY = (ltl.and_, ltl.or_, ltl.until, ltl.release, ltl.weak_until, ltl.strong_release, ltl.equivalent)


def formulas(atoms: tuple[str, ...] = ATOMS[:2], leaves: int = 6) -> st.SearchStrategy[Formula]:
    return st.recursive(
        st.sampled_from([ltl.atom(text) for text in atoms]),
        lambda inner: st.one_of(
            st.builds(lambda make, arg: make(arg), st.sampled_from(_UNARY), inner),
            st.builds(lambda make, left, right: make(left, right), st.sampled_from(_BINARY), inner, inner),
        ),
        max_leaves=leaves,
    )


def lassos(count: int, stem: int, loop: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All words u·v^ω over `count` atoms with |u| <= stem and 1 <= |v| <= loop."""
    letters = range(1 << count)
    stems = [word for size in range(stem + 1) for word in product(letters, repeat=size)]
    loops = [word for size in range(1, loop + 1) for word in product(letters, repeat=size)]
    return [(first, second) for first in stems for second in loops]


def projected(word: tuple[int, ...], atoms: tuple[str, ...], onto: tuple[str, ...]) -> list[int]:
    """The word with its letters renumbered for other atoms."""
    places = [atoms.index(text) for text in onto]
    return [sum((letter >> place & 1) << index for index, place in enumerate(places)) for letter in word]
