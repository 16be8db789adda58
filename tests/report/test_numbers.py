from __future__ import annotations

import pytest

from mule import numbers


def test_counts_have_their_noun() -> None:
    assert numbers.count(1, "state") == "1 state"
    assert numbers.count(0, "state") == "0 states"
    assert numbers.count(1234567, "state") == "1,234,567 states"


@pytest.mark.parametrize(("given", "shown"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 * 2**40, "5.0 TiB")])
def test_sizes_have_binary_units(given: int, shown: str) -> None:
    assert numbers.size(given) == shown


@pytest.mark.parametrize(
    ("given", "shown"), [(0.0123, "0.012 s"), (3.44, "3.4 s"), (125.0, "2 min 05 s"), (3725.0, "1 h 02 min")]
)
def test_times_get_coarser(given: float, shown: str) -> None:
    assert numbers.seconds(given) == shown


def test_rates() -> None:
    assert numbers.rate(100, 0.0) is None
    assert numbers.rate(5000, 2.0) == "2,500/s"
    assert numbers.rate(3_000_000, 2.0) == "1.50 million/s"
