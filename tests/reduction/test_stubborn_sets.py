"""Every algorithm's answer against Lemma 1 of seed 003, word for word and slowly."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mule import _engine
from mule.records import replace

pytestmark = pytest.mark.slow

ALGORITHMS = ("closure", "closure-h", "beam", "beam-noh", "deletion")
Pairs = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Situation:
    """Relations, and the values of the guards in one state."""

    guards_of: tuple[frozenset[int], ...]
    values: tuple[bool, ...]
    do_not_accord: Pairs
    do_not_left_accord: Pairs
    enabling: Pairs
    disabling: Pairs
    never_coenabled: Pairs

    @property
    def transitions(self) -> range:
        return range(len(self.guards_of))

    @property
    def guards(self) -> range:
        return range(len(self.values))

    @property
    def enabled(self) -> list[int]:
        return [t for t in self.transitions if all(self.values[g] for g in self.guards_of[t])]

    def algorithm(self, name: str, *, weak: bool, nds: bool) -> _engine.StubbornSets:
        count, guards = len(self.transitions), len(self.guards)
        return _engine.StubbornSets(
            transitions=count,
            guards=guards,
            guards_of=[sorted(g) for g in self.guards_of],
            do_not_accord=packed(self.do_not_accord, count, count),
            do_not_left_accord=packed(self.do_not_left_accord, count, count),
            enabling=packed(self.enabling, guards, count),
            disabling=packed(self.disabling, guards, count),
            never_coenabled=packed(self.never_coenabled, guards, guards),
            algorithm=name,
            weak=weak,
            nds=nds,
        )

    def choose(self, name: str, *, weak: bool = False, nds: bool = True) -> tuple[list[int], list[int], list[int]]:
        return self.algorithm(name, weak=weak, nds=nds).choose(self.enabled, list(self.values))


def packed(pairs: Pairs, rows: int, columns: int) -> bytes:
    return b"".join(
        sum(1 << j for j in range(columns) if (i, j) in pairs).to_bytes((columns + 7) // 8, "little")
        for i in range(rows)
    )


def row(pairs: Pairs, i: int) -> set[int]:
    return {b for a, b in pairs if a == i}


def necessary_enabling_sets(s: Situation, t: int, *, nds: bool) -> list[set[int]]:
    """find_nes, equation (1)."""
    sets = [row(s.enabling, g) for g in s.guards_of[t] if not s.values[g]]
    if nds:
        sets += [
            row(s.disabling, h)
            for h in s.guards
            if s.values[h] and any((g, h) in s.never_coenabled for g in s.guards_of[t])
        ]
    return sets


def keys_of(s: Situation, members: set[int]) -> set[int]:
    return {t for t in members & set(s.enabled) if row(s.do_not_accord, t) <= members}


def satisfies_lemma_1(s: Situation, members: set[int], *, weak: bool, nds: bool) -> bool:
    enabled = set(s.enabled)
    for t in members:
        if t not in enabled:
            if not any(n <= members for n in necessary_enabling_sets(s, t, nds=nds)):
                return False
        elif not row(s.do_not_accord, t) <= members and not (weak and row(s.do_not_left_accord, t) <= members):
            return False
    return bool(keys_of(s, members))


@st.composite
def situations(draw: st.DrawFn, most_transitions: int = 9, most_guards: int = 9) -> Situation:
    count = draw(st.integers(1, most_transitions))
    guards = draw(st.integers(1, most_guards))
    values = draw(st.lists(st.booleans(), min_size=guards, max_size=guards))
    guards_of = [draw(st.frozensets(st.integers(0, guards - 1), min_size=1, max_size=3)) for _ in range(count)]
    values = [v or g in guards_of[0] for g, v in enumerate(values)]  # something is enabled

    def pairs(rows: int, columns: int) -> Pairs:
        pair = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1))
        return draw(st.frozensets(pair, max_size=2 * max(rows, columns)))

    half = pairs(count, count)
    exclusive = frozenset((g, h) for g, h in pairs(guards, guards) if g != h and not (values[g] and values[h]))
    return Situation(
        guards_of=tuple(guards_of),
        values=tuple(values),
        do_not_accord=half | {(b, a) for a, b in half},
        do_not_left_accord=pairs(count, count),
        enabling=pairs(guards, count),
        disabling=pairs(guards, count),
        never_coenabled=exclusive | {(h, g) for g, h in exclusive},
    )


@pytest.mark.parametrize("nds", [False, True], ids=["nes", "nds"])
@pytest.mark.parametrize("weak", [False, True], ids=["strong", "weak"])
@pytest.mark.parametrize("name", ALGORITHMS)
@given(s=situations())
def test_answers_satisfy_lemma_1(name: str, weak: bool, nds: bool, s: Situation) -> None:
    whole, enabled, keys = s.choose(name, weak=weak, nds=nds)
    assert satisfies_lemma_1(s, set(whole), weak=weak, nds=nds)
    assert enabled == sorted(set(whole) & set(s.enabled))
    assert keys == sorted(keys_of(s, set(whole)))


@pytest.mark.parametrize("name", ALGORITHMS)
@given(s=situations(), before=situations(), weak=st.booleans())
def test_an_answer_does_not_depend_on_earlier_ones(name: str, s: Situation, before: Situation, weak: bool) -> None:
    algorithm = s.algorithm(name, weak=weak, nds=True)
    expected = algorithm.choose(s.enabled, list(s.values))
    size = len(s.values)
    other = replace(s, values=(before.values * size)[:size])
    if other.enabled:
        algorithm.choose(other.enabled, list(other.values))
    assert algorithm.choose(s.enabled, list(s.values)) == expected


def stubborn_enabled_parts(s: Situation, *, weak: bool, nds: bool) -> list[set[int]]:
    """The enabled members of every set that satisfies Lemma 1."""
    subsets = (set(c) for size in s.transitions for c in combinations(s.transitions, size + 1))
    return [m & set(s.enabled) for m in subsets if satisfies_lemma_1(s, m, weak=weak, nds=nds)]


@pytest.mark.parametrize("nds", [False, True], ids=["nes", "nds"])
@pytest.mark.parametrize("weak", [False, True], ids=["strong", "weak"])
@given(s=situations(most_transitions=6, most_guards=5))
def test_deletion_is_subset_minimal(weak: bool, nds: bool, s: Situation) -> None:
    _, enabled, _ = s.choose("deletion", weak=weak, nds=nds)
    assert not [part for part in stubborn_enabled_parts(s, weak=weak, nds=nds) if part < set(enabled)]


@given(s=situations(most_transitions=6, most_guards=5))
def test_deletion_finds_every_singleton(s: Situation) -> None:
    _, enabled, _ = s.choose("deletion")
    smallest = min(len(part) for part in stubborn_enabled_parts(s, weak=False, nds=True))
    assert (len(enabled) == 1) == (smallest == 1)


# Figure 3 and examples 4 and 5: transition i is the paper's t(i). Process 1 runs t1 .. t6 from location 0 on, process 2
# runs t7, with which closure starts: it is the highest enabled one. t0 is a third process's, and the necessary enabling
# set of t3 drags it in. Guard i is the location that transition i starts from.
FIGURE_3 = Situation(
    guards_of=tuple(frozenset({i}) for i in range(8)),
    values=(True, True, False, False, False, False, False, True),
    do_not_accord=frozenset({(1, 7), (7, 1), (6, 7), (7, 6)}),
    do_not_left_accord=frozenset((i, j) for i in range(8) for j in range(8)),
    enabling=frozenset({(i + 1, i) for i in range(1, 6)} | {(3, 0)}),
    disabling=frozenset((i, i) for i in range(8)),
    never_coenabled=frozenset((i, j) for i in range(1, 7) for j in range(1, 7) if i != j),
)


def test_example_4_without_disabling_sets_the_path_back_is_stubborn() -> None:
    whole, enabled, keys = FIGURE_3.choose("closure", nds=False)
    assert whole == [0, 1, 2, 3, 4, 5, 6, 7]
    assert enabled == keys == [0, 1, 7]


def test_example_5_with_disabling_sets_t1_enables_t6() -> None:
    whole, enabled, keys = FIGURE_3.choose("closure-h")
    assert whole == [1, 6, 7]
    assert enabled == keys == [1, 7]


def test_closure_starts_with_the_highest_enabled_transition() -> None:
    independent = replace(FIGURE_3, do_not_accord=frozenset())
    for name in ("closure", "closure-h", "beam", "beam-noh"):
        assert independent.choose(name) == ([7], [7], [7])


def test_beam_prefers_the_process_that_depends_on_nobody() -> None:
    assert FIGURE_3.choose("beam") == ([0], [0], [0])
    assert FIGURE_3.choose("deletion")[1] == [0]


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("weak", [False, True])
def test_without_a_necessary_enabling_set_nothing_is_left_out(name: str, weak: bool) -> None:
    # Transition 1 is not enabled although its guards hold (it has no outcome), and it may not be left out.
    s = Situation(
        guards_of=(frozenset(), frozenset(), frozenset()),
        values=(True,),
        do_not_accord=frozenset({(0, 1), (1, 0), (1, 2), (2, 1)}),
        do_not_left_accord=frozenset({(0, 1), (2, 1)}),
        enabling=frozenset(),
        disabling=frozenset(),
        never_coenabled=frozenset(),
    )
    assert s.algorithm(name, weak=weak, nds=True).choose([0, 2], [True]) == ([0, 1, 2], [0, 2], [0, 2])


def test_wrong_sizes_and_names_are_refused() -> None:
    with pytest.raises(ValueError, match="no stubborn set algorithm is called persistent"):
        FIGURE_3.choose("persistent")
    with pytest.raises(ValueError, match="do_not_accord must have 1 rows of 1 bytes, not 2 bytes"):
        _engine.StubbornSets(1, 0, [[]], b"\0\0", b"", b"", b"", b"", "beam")
    with pytest.raises(ValueError, match="weak stubborn sets need do_not_left_accord"):
        _engine.StubbornSets(1, 0, [[]], b"\0", b"", b"", b"", b"", "beam", weak=True)
    with pytest.raises(ValueError, match="ascending"):
        FIGURE_3.algorithm("beam", weak=False, nds=True).choose([7, 0], list(FIGURE_3.values))
