"""The product searched by a GPU: whether a run is accepted. The run itself is found on this computer, from a state on
the way to it on."""

from __future__ import annotations

from collections.abc import Callable

from mule.driving import Limits, ProgressCallback
from mule.engine import SearchOptions
from mule.gpu import compile_for_gpu, device_name, search_runs_on_gpu
from mule.gpu.emptiness import RunsFound
from mule.gpu.product import ProductListing, product_of
from mule.ltl.automaton import Automaton
from mule.model.expressions import Expression
from mule.model.interpreter import Failure, Interpreter
from mule.records import replace
from mule.temporal.product import Product, ProductResult, ProductStep, with_one_mark


class ProductOnGpu:
    """Compiled for the GPU when it is made."""

    def __init__(self, product: Product, automaton: Automaton, finite_runs: bool) -> None:
        self._product = product
        self._finite_runs = finite_runs
        self._automaton = automaton if automaton.marks else with_one_mark(automaton)
        self.listing = product_listing(product, self._automaton, finite_runs)
        compile_for_gpu(self.listing, None)

    def search(self, limits: Limits, memory: int | None, progress: ProgressCallback | None) -> ProductResult:
        """`memory`: bytes of the GPU, at most; `limits` are also those of what this computer does then."""
        options = SearchOptions(max_states=limits.max_states, max_bytes=memory, max_seconds=limits.max_seconds)
        found = search_runs_on_gpu(self.listing, options, progress)
        result = finished(self._product, self.listing, found, self._finite_runs, limits, progress)
        return replace(result, device=device_name())


def product_listing(product: Product, automaton: Automaton, finite_runs: bool) -> ProductListing:
    """The product as one model. The automaton has an acceptance mark."""
    begun = replace(product.listing.model, start=(*product.model.initial_state, automaton.initial))
    return product_of(replace(product.listing, model=begun), automaton, product.field, finite_runs)


def finished(
    product: Product,
    listing: ProductListing,
    found: RunsFound,
    finite_runs: bool,
    limits: Limits,
    progress: ProgressCallback | None,
) -> ProductResult:
    """With the run, where one is accepted."""
    result = ProductResult(found.progress, found.stopped, True, (), (), found.failures, 0, 0, 1)
    if found.accepted is None:
        return result
    automaton = listing.automaton
    assert automaton is not None
    rest = product.search(
        automaton, "scc", finite_runs=finite_runs, limits=limits, progress=progress, start=found.accepted
    )
    if rest.stopped:
        return replace(result, stopped=rest.stopped)
    assert not rest.empty, "the GPU has found an accepting cycle where there is none"
    prefix = _steps(product, listing, automaton, found)
    return replace(result, empty=False, prefix=(*prefix, *rest.prefix), cycle=rest.cycle)


def _steps(
    product: Product, listing: ProductListing, automaton: Automaton, found: RunsFound
) -> tuple[ProductStep, ...]:
    """The way to the state, with the edges of the automaton: of several between two states any will do."""
    assert found.accepted is not None
    holds = _truth(product)
    unpacked = [listing.layout.unpack(words) for words in (*(state for state, _ in found.way), found.accepted)]
    steps = []
    for (*state, at), (*_, to), (_, (transition, outcome)) in zip(unpacked, unpacked[1:], found.way, strict=False):
        edge = None
        if product.model.transient is None or not holds(product.model.transient, tuple(state)):
            letter = sum(holds(atom, tuple(state)) << index for index, atom in enumerate(product.atoms))
            edges = enumerate(automaton.edges[at])
            edge = next(number for number, each in edges if each.target == to and each.label >> letter & 1)
        steps.append(ProductStep(None if transition == listing.stutter else transition, outcome, edge))
    return tuple(steps)


def _truth(product: Product) -> Callable[[Expression, tuple[int, ...]], bool]:
    interpreter = Interpreter(product.model)

    def holds(expression: Expression, state: tuple[int, ...]) -> bool:
        """False where it is undefined."""
        try:
            return interpreter.evaluate(expression, state) != 0
        except Failure:
            return False

    return holds
