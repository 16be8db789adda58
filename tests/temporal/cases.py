"""Models with propositions, and automata over them, for the tests of the product."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from mule.comparison import ALGORITHMS
from mule.ltl import formula as ltl
from mule.ltl.automaton import Automaton, Edge, merged
from mule.ltl.formula import Formula
from mule.model import Assign, Model
from mule.model.expressions import Binary, Constant, Expression, Read
from mule.planning import Analysis
from mule.records import replace
from mule.relations.instances import split_on_indices
from mule.temporal.product import Product
from tests.small_models import models, predicates
from tests.temporal.reference import System

ATOMS = ("a", "b")

Draw = Callable[[st.SearchStrategy[Expression]], Expression]


@st.composite
def propositions(draw: st.DrawFn, system: System) -> Expression:
    """Anything; or that a slot has a value that it has in some state and not in another, preferably one that few
    transitions write: the others may be reduced then."""
    model = system.model
    changing = [slot for slot in range(model.slots) if len({state[slot] for state in system.numbers}) > 1]
    if draw(st.booleans()):
        least = min((_writers(model, slot) for slot in changing), default=0)
        changing = [slot for slot in changing if _writers(model, slot) == least]
    if not changing or draw(st.integers(0, 3)) == 0:
        scalars = [variable for variable in model.variables if variable.length is None]
        return draw(predicates(scalars, [variable for variable in model.variables if variable.length is not None]))
    slot = draw(st.sampled_from(changing))
    value = draw(st.sampled_from(sorted({state[slot] for state in system.numbers})))
    variable, index = model.slot_variables[slot]
    return Binary("==", Read(variable, None if index is None else Constant(index)), Constant(value))


def _writers(model: Model, slot: int) -> int:
    variable, _ = model.slot_variables[slot]
    return sum(
        any(isinstance(statement, Assign) and statement.target.variable is variable for statement in outcome.statements)
        for transition in model.transitions
        for outcome in transition.outcomes
    )


@st.composite
def transient_models(draw: st.DrawFn) -> Model:
    """Now and then with states inside steps that count as one: where a process is at a location but its first."""
    model = draw(models())
    inner = [(p, number) for p in model.processes for number in range(1, len(p.locations))]
    if not inner or draw(st.integers(0, 3)):
        return model
    process, location = draw(st.sampled_from(inner))
    return replace(model, transient=Binary("==", Read(process.location), Constant(location)))


class Case:
    """A model, two propositions of it, the state space, and the product to search."""

    def __init__(
        self, model: Model, draw: Callable[[st.SearchStrategy[Expression]], Expression], reducible: bool, states: int
    ) -> None:
        analysis = Analysis(model)
        self.small = System(analysis.model, ()).complete
        if not self.small:
            return
        blind = System(analysis.model, ())
        self.atoms = tuple(draw(propositions(blind)) for _ in ATOMS)
        self.system = System(analysis.model, self.atoms)
        searched = split_on_indices(analysis.model, analysis.domains) if reducible else analysis.model
        self.product = Product(searched, analysis.domains, self.atoms, states, reducible)


_UNARY = (ltl.not_, ltl.eventually, ltl.always)
_BINARY = (ltl.and_, ltl.or_, ltl.until, ltl.release, ltl.weak_until, ltl.strong_release)


def next_free(leaves: int = 6) -> st.SearchStrategy[Formula]:
    return st.recursive(
        st.sampled_from([ltl.atom(text) for text in ATOMS]),
        lambda inner: st.one_of(
            st.builds(lambda make, arg: make(arg), st.sampled_from(_UNARY), inner),
            st.builds(lambda make, left, right: make(left, right), st.sampled_from(_BINARY), inner, inner),
        ),
        max_leaves=leaves,
    )


def over_atoms(automaton: Automaton) -> Automaton:
    """The automaton over all of ATOMS, in that order, whichever of them it reads."""
    places = [automaton.atoms.index(text) if text in automaton.atoms else None for text in ATOMS]

    def widened(label: int) -> int:
        result = 0
        for letter in range(1 << len(ATOMS)):
            own = sum((letter >> index & 1) << place for index, place in enumerate(places) if place is not None)
            result |= (label >> own & 1) << letter
        return result

    edges = [[edge._replace(label=widened(edge.label)) for edge in out] for out in automaton.edges]
    return Automaton(ATOMS, edges, automaton.initial, automaton.marks, automaton.names)


@st.composite
def automata(draw: st.DrawFn, most_states: int = 4, most_marks: int = 2) -> Automaton:
    """Any automaton, dead ends and all."""
    states = draw(st.integers(1, most_states))
    marks = draw(st.integers(0, most_marks))
    edges = []
    for _ in range(states):
        out = draw(
            st.lists(
                st.tuples(
                    st.integers(1, (1 << (1 << len(ATOMS))) - 1),
                    st.integers(0, states - 1),
                    st.integers(0, (1 << marks) - 1),
                ),
                max_size=4,
            )
        )
        edges.append(merged(Edge(*each) for each in out))
    return Automaton(ATOMS, edges, 0, marks)


PORS = ("ample", *ALGORITHMS)


VISIBILITIES = ("c2", "vi")


IGNORING = ("stack", "c3prime", "static")
