"""What only a GPU can show; the tests skip where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.engine import Found, SearchOptions
from mule.errors import MuleError
from mule.frontends import load, load_text
from mule.gpu.driver import Gpu, gpu
from mule.gpu.search import search
from mule.model import Model
from tests.gpu.agreement import prepared_for, require_same_counts
from tests.gpu.test_kernels import counters, failing

pytestmark = pytest.mark.gpu
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def device() -> Gpu:
    try:
        return gpu()
    except MuleError as error:
        pytest.skip(error.message)


@pytest.mark.parametrize("narrow", [0, 2048])
@pytest.mark.parametrize("capacity", [1, None])
@pytest.mark.parametrize(
    "model",
    [counters(), counters(length=16), counters(length=20), failing(), load(str(EXAMPLES / "pipeline.dve"))],
    ids=["one word", "two words", "three words", "failing", "pipeline"],
)
def test_counts_are_those_of_this_computer(device: Gpu, model: Model, capacity: int | None, narrow: int) -> None:
    prepared = prepared_for(model)
    device.load(prepared.listing)
    found = search(device, prepared.listing, SearchOptions(), first_capacity=capacity, narrow=narrow)
    require_same_counts(found, prepared.engine.search(SearchOptions()))


@pytest.mark.parametrize("wide", [0, None])
def test_levels_that_keep_all_threads_busy_are_searched_alone_or_together(device: Gpu, wide: int | None) -> None:
    """Three million states, about 50,000 of them at the same distance from the first one."""
    counter = "active [4] proctype P() { byte n; do :: n < 20 -> n++ :: n == 20 -> break od }"
    prepared = prepared_for(load_text(counter, "counters", "promela"))
    device.load(prepared.listing)
    found = search(device, prepared.listing, SearchOptions(), wide=wide)
    require_same_counts(found, prepared.engine.search(SearchOptions()))


def test_a_violation_has_a_shortest_path(device: Gpu) -> None:
    prepared = prepared_for(counters("assert(a + b + c < 8)"))
    device.load(prepared.listing)
    options = SearchOptions(stop_at_assertion=True, stop_at_error=True)
    found = search(device, prepared.listing, options)
    assert (found.found, len(found.path)) == (Found.FAILURE, len(prepared.engine.search(options).path))
    assert prepared.trail(found.path).taken[-1].failure is not None


def test_little_memory_ends_the_search(device: Gpu) -> None:
    prepared = prepared_for(load(str(EXAMPLES / "pipeline.dve")))
    device.load(prepared.listing)
    assert search(device, prepared.listing, SearchOptions(max_bytes=200_000)).stopped == "memory"
