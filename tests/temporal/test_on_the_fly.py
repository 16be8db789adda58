"""SOUNDNESS 3.1: on-the-fly reduction with an automaton that is not in stutter-closed form loses runs. SPIN does."""

from __future__ import annotations

from itertools import product

import pytest

from mule.engine import Algorithm
from mule.errors import MuleError
from mule.ltl.automaton import Automaton
from mule.ltl.never import from_never
from mule.ltl.stutter import is_self_looped, stutter_closed
from mule.model.expressions import Binary, Constant, Read
from mule.planning import Analysis
from mule.temporal import product as product_module
from mule.temporal.product import Product, ProductResult, Reduction
from mule.temporal.replay import replay_lasso
from tests.small_models import Builder, plus, put
from tests.temporal.cases import IGNORING, PORS, VISIBILITIES
from tests.temporal.reference import System

CLAIM = """
never {
T0: if :: p || !q -> goto T0  :: !p && q -> goto accept_all
       :: p && q -> goto accept_S2  :: p && !q -> goto T3 fi;
accept_S2: if :: p -> goto accept_S2 fi;
T3: if :: !p && !q -> goto accept_all  :: p && q -> goto T3 fi;
accept_all: skip }
"""
"""What SPIN loses. There the claim moves first, and the set may depend on where it went to; here it depends on where it
comes from, and this run is found all the same."""

COUNTING = """
never {
Q0: if :: p && !q -> goto A1  :: p && !q -> goto B1 fi;
A1: if :: p && !q -> goto A2 fi;
A2: if :: p && !q -> goto A1  :: !p && !q -> goto accept_all fi;
B1: if :: p && !q -> goto B2  :: !p && !q -> goto accept_all fi;
B2: if :: p && !q -> goto B3 fi;
B3: if :: p && !q -> goto B2  :: !p && !q -> goto accept_all fi;
accept_all: skip }
"""
"""`(p && !q) U (!p && !q)`, with the first at least once: any number of times, but the numbers are shared out between
two parts of the automaton. On each of them the one full expansion comes a step too early or too late."""

CLAIMS = [from_never(CLAIM), from_never(COUNTING)]


class Siegel:
    """Two processes: one clears p and ends, the other flips a bit of its own for ever."""

    def __init__(self) -> None:
        builder = Builder()
        p, q = builder.variable("pp", 1, 1), builder.variable("qq", 1, 0)
        clears, spins = builder.process("P0", 2), builder.process("P1", 1)
        x = builder.variable("x", 1, process=spins)
        builder.transition(clears, 0, 1, (), (put(p, 0),))
        builder.transition(spins, 0, 0, (), (plus(x, 1),))
        bits = {"p": p, "q": q}
        self.atoms = tuple(Binary("==", Read(bits[name]), Constant(1)) for name in CLAIMS[0].atoms)
        analysis = Analysis(builder.model())
        self.system = System(analysis.model, self.atoms)
        self.product = Product(analysis.model, analysis.domains, self.atoms, 16)

    def search(self, automaton: Automaton, por: str, visibility: str, ignoring: str, emptiness: str) -> ProductResult:
        reduction = Reduction(Algorithm(por, remember="exact"), visibility, ignoring)  # type: ignore[arg-type]
        return self.product.search(automaton, emptiness, reduction)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def siegel() -> Siegel:
    return Siegel()


CONFIGURATIONS = list(product(PORS, VISIBILITIES, IGNORING, ("ndfs", "scc")))


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_run_is_there(siegel: Siegel, claim: Automaton) -> None:
    assert siegel.system.accepted(claim)
    assert not siegel.product.search(claim).empty


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize(("por", "visibility", "ignoring", "emptiness"), CONFIGURATIONS)
def test_every_reduction_keeps_the_run(
    siegel: Siegel, claim: Automaton, por: str, visibility: str, ignoring: str, emptiness: str
) -> None:
    automaton = claim if ignoring == "static" else stutter_closed(claim)
    result = siegel.search(automaton, por, visibility, ignoring, emptiness)
    assert not result.empty
    replay_lasso(siegel.product.model, automaton, siegel.atoms, result.prefix, result.cycle)


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_that_is_not_closed_is_refused(siegel: Siegel, claim: Automaton) -> None:
    assert not is_self_looped(claim)
    with pytest.raises(MuleError, match="stutter-closed"):
        siegel.search(claim, "ample", "c2", "stack", "ndfs")


def test_without_the_safeguard_the_run_is_lost(siegel: Siegel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product_module, "is_stutter_closed", lambda automaton: True)
    lost = {
        configuration
        for configuration in CONFIGURATIONS
        if configuration[2] != "static" and siegel.search(CLAIMS[1], *configuration).empty
    }
    assert {configuration[0] for configuration in lost} == set(PORS)
