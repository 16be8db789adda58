"""What a review of the reductions found: models for which they once lost a deadlock, an error or a violation, or did
not come to an end."""

from __future__ import annotations

from itertools import product

import pytest

from mule.checking import Properties, check, explore
from mule.comparison import REDUCTIONS as ALL
from mule.engine import Found
from mule.frontends.dve import load
from mule.model import Model
from mule.model.failures import with_error_transitions
from mule.model.value_analysis import compute_domains
from mule.options import Options
from mule.relations.derivation import derive
from mule.relations.instances import split_on_indices
from mule.results import Verdict, ViolationKind
from tests.relations.brute import Brute, bits, edges, examine_relations
from tests.small_models import reachable
from tests.soundness.reference import Searches, Space

pytestmark = pytest.mark.slow

REDUCTIONS = [
    Options(por=por, weak=weak, nds=nds, search=search, remember=remember)  # type: ignore[arg-type]
    for (por, weak), nds, search, remember in product(ALL, (False, True), ("dfs", "bfs"), ("exact", "valid", "none"))
]


def deadlocks_are_kept(model: Model) -> int:
    """How many deadlocks there are, by every reduction as by the interpreter and the full search."""
    expected = len(Space(model).deadlocks)
    assert explore(model, Options(por="none", as_written=True)).statistics.deadlocks == expected
    assert explore(model, Options(as_written=True)).statistics.deadlocks == expected
    assert bool(explore(model).statistics.deadlocks) == bool(expected)
    searches = Searches(model, "deadlocks")
    for options in REDUCTIONS:
        assert searches.reduced(options).deadlocks == expected, options
    return expected


KINDS = {
    Found.NOTHING: None,
    Found.DEADLOCK: ViolationKind.DEADLOCK,
    Found.PROPOSITION: ViolationKind.INVARIANT,
    Found.FAILURE: ViolationKind.MODEL_ERROR,
}


def verdict_is_kept(model: Model, invariant: str | None = None, deadlock: bool = False) -> ViolationKind | None:
    """What goes wrong, by every reduction and proviso as by the full search; None where all is well."""
    kinds = set()
    properties = Properties(deadlock, invariants=() if invariant is None else (invariant,))
    for options in (Options(por="none"), Options(), *(Options(por=por, weak=weak) for por, weak in ALL)):
        result = check(model, properties, options)
        assert (result.verdict is Verdict.VIOLATED) == bool(result.violations)
        kinds.add(result.violations[0].kind if result.violations else None)
        assert len(kinds) == 1, options
    assert model.parse_expression is not None
    searches = Searches(model, "safety", [model.parse_expression(text) for text in properties.invariants])
    for options in REDUCTIONS:
        for proviso in ("auto", "duplicate-"):
            proved = options.but(proviso=proviso)
            kinds.add(
                KINDS[
                    searches.reduced(
                        proved, stop_at_assertion=True, stop_at_error=True, stop_at_deadlock=deadlock
                    ).found
                ]
            )
            assert len(kinds) == 1, proved
    [kind] = kinds
    return kind


def splitting_is_sound(model: Model) -> Model:
    """The model after the split, which has the same steps, and relations that no state refutes."""
    domains = compute_domains(model)
    complete = with_error_transitions(model, domains)
    states = reachable(complete)
    assert states is not None
    split = split_on_indices(complete, domains)
    assert edges(split, states) == edges(complete, states)
    examine_relations(Brute(split, states), derive(split, domains))
    return split


# a write that may or may not happen -----------------------------------------------------------------------------------

SLICED = """
byte x[2]; byte i = 0;
process P { state a, b; init a; trans a -> b { effect x[1] = 2, x[i] = 0; }; }
process Q { state a, b; init a; trans a -> b { effect i = 1; }; }
system async;
"""


def test_a_write_before_one_that_may_overwrite_it_is_not_sliced_away() -> None:
    """Which element `x[i] = 0` spares hangs on i, so that `x[1] = 2` matters to the order of P and Q as well."""
    model = load(SLICED, "sliced.dve")
    p, q = range(2)
    assert bits(derive(model, compute_domains(model)).do_not_accord[p], q)
    assert deadlocks_are_kept(model) == 2
    splitting_is_sound(model)


def test_both_orders_around_a_write_that_may_happen_are_seen() -> None:
    """The same model: only Q before P leaves x[1] at 0 behind, only P before Q leaves it at 2."""
    model = load(SLICED, "sliced.dve")
    for value in (0, 2):
        invariant = f"not (P.b and Q.b and x[1] == {value})"
        assert verdict_is_kept(model, invariant) is ViolationKind.INVARIANT


# an index within an index ---------------------------------------------------------------------------------------------

PINNED = """
process P {
  byte a[3] = {0, 1, 0}; byte v;
  state s, q, r; init s;
  trans s -> q { effect a[0] = 1; },
        s -> q { effect a[0] = 2; },
        q -> r { guard a[a[0]] == 1; effect a[a[v]] = 2; },
        %s r -> r { };
}
system async;
"""


def test_an_element_is_pinned_once() -> None:
    """Folding `a[v]` brings a[0] to light again, which was pinned for the guard: it is not split a second time, else
    q -> r is enabled where a[0] is 2 and the deadlock there is lost."""
    model = load(PINNED % "", "pinned.dve")
    split = splitting_is_sound(model)
    assert any(transition.origins == (2,) for transition in split.transitions)
    assert deadlocks_are_kept(model) == 1
    assert verdict_is_kept(model, deadlock=True) is ViolationKind.DEADLOCK


def test_an_element_pinned_twice_would_lead_to_states_that_do_not_exist() -> None:
    """As above, but a[0] == 2 is no deadlock: there is none at all, and only one way to r."""
    model = load(PINNED % "q -> q { guard a[0] == 2; },", "pinned.dve")
    splitting_is_sound(model)
    assert deadlocks_are_kept(model) == 0
    assert verdict_is_kept(model, "not (P.r and P->a[0] == 2)", deadlock=True) is None


RECURSIVE = {
    "an index of an index out of range": """
byte a[3]; byte b[3];
process P { byte i; state q, r; init q;
  trans q -> r { guard i < 4; effect i = i + 1; }, r -> q { effect a[b[i]] = 0; }; }
process Q { state q; init q; trans q -> q { effect a[1] = 1 - a[1]; }; }
system async;
""",
    "a constant index of an index out of range": """
byte a[3]; byte b[3];
process P { state q, r; init q; trans q -> r { effect a[b[7]] = 0; }; }
system async;
""",
    "a negative constant index of an index": """
byte a[3]; byte b[3];
process P { state q, r; init q; trans q -> r { effect a[b[-1]] = 0; }; }
process Q { state q; init q; trans q -> q { effect b[2] = 1 - b[2]; }; }
system async;
""",
}


@pytest.mark.parametrize("text", RECURSIVE.values(), ids=RECURSIVE)
def test_splitting_comes_to_an_end_where_an_inner_index_is_out_of_range(text: str) -> None:
    """`b[7]` is no slot: pinning the one behind the end of b brought the index no nearer to a constant, for ever."""
    model = load(text, "recursive.dve")
    splitting_is_sound(model)
    deadlocks_are_kept(model)
    assert verdict_is_kept(model) is ViolationKind.MODEL_ERROR


# weak sets and the proviso --------------------------------------------------------------------------------------------

WEAK = """
byte lock = 0; byte y = 0; byte bad = 0;
process K { state q; init q; trans q -> q { effect y = 0; }; }
process T { state a, b; init a; trans a -> b { guard lock == 0; effect lock = 1, y = 1; }; }
process V { state a, b; init a; trans a -> b { guard lock == 0; effect lock = 2, bad = 1; }; }
system async;
"""


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_only_a_key_transition_satisfies_the_proviso(order: tuple[int, ...]) -> None:
    """{K, T} is weakly stubborn with K as its key. T leads to a new state, but disables V: the proviso must not be
    content with that, or V is ignored for ever."""
    first, *processes, last = WEAK.strip().splitlines()
    text = "\n".join([first, *(processes[number] for number in order), last])
    model = load(text, "weak.dve")
    assert verdict_is_kept(model, "bad == 0") is ViolationKind.INVARIANT
    assert verdict_is_kept(model, "lock != 1") is ViolationKind.INVARIANT
    assert verdict_is_kept(model, "lock != 3") is None
    assert deadlocks_are_kept(model) == 0


# constant indices out of range ----------------------------------------------------------------------------------------

OUT_OF_RANGE = {
    "guard": "guard a[%d] == 0;",
    "guard that is not equal": "guard a[%d] != 0;",
    "disjunctive guard": "guard b == 3 or a[%d] == 0;",
    "second guard": "guard b == 0 and a[%d] == 0;",
    "nested guard": "guard b[0] == 0 or a[b[%d]] == 1;",
    "effect": "effect a[%d] = 1;",
    "effect after another one": "effect a[1] = 2, a[%d] = 1, a[0] = 2;",
    "value": "effect c = a[%d];",
    "nested effect": "effect a[a[%d]] = 1;",
}


@pytest.mark.parametrize("index", [-1, 3, 7])
@pytest.mark.parametrize("shape", OUT_OF_RANGE)
def test_a_constant_index_out_of_range_is_an_error_of_the_model(shape: str, index: int) -> None:
    """`a[-1]` is no element of another variable, neither in the relations nor in what the engine tests by itself."""
    declared = "byte b[3] = {1, 0, 0}; " if shape == "nested guard" else "byte b; "
    text = f"""
byte before[3]; byte a[3]; byte after[3]; {declared} byte c;
process P {{ state q, r; init q; trans q -> r {{ {OUT_OF_RANGE[shape] % index} }}; }}
process Q {{ state q; init q; trans q -> q {{ effect a[1] = 1 - a[1], before[2] = 1 - a[1], after[0] = a[1]; }}; }}
system async;
"""
    model = load(text, "range.dve")
    splitting_is_sound(model)
    assert verdict_is_kept(model, deadlock=True) is ViolationKind.MODEL_ERROR
    deadlocks_are_kept(model)


@pytest.mark.parametrize("index", [-1, 3, 7])
def test_an_index_out_of_range_behind_a_false_guard_is_no_error(index: int) -> None:
    text = f"""
byte a[3]; byte b;
process P {{ state q, r; init q; trans q -> r {{ guard b == 1 and a[{index}] == 0; effect a[{index}] = 1; }}; }}
process Q {{ state q, r; init q; trans q -> r {{ effect a[1] = 1 - a[1]; }}; }}
system async;
"""
    model = load(text, "range.dve")
    splitting_is_sound(model)
    assert deadlocks_are_kept(model) == 1
    assert verdict_is_kept(model) is None
