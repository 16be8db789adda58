"""What Python would compute for ever, or until the memory is full, is refused before it begins."""

from __future__ import annotations

from contextlib import suppress

import pytest

from mule.errors import MuleError
from mule.frontends.actors import load
from mule.frontends.actors.effort import MOST_ITERATIONS, is_long
from mule.frontends.actors.layout import class_place
from mule.frontends.python.objects import Semaphore
from tests.actors.test_meaning import written

pytestmark = pytest.mark.slow

ENDLESS = {
    "self.n = len(10**9 * [0])": "elements",
    "self.n = len('a' * 10**9)": "elements",
    "self.n = 1 << 10**9": "bits",
    "self.n = pow(3, 10**9)": "bits",
    "self.n = math.factorial(10**8)": "elements",
    "self.n = math.comb(10**8, 10**7)": "elements",
    "self.n = math.prod(range(1, 10**9))": "elements",
    "self.n = round(5, -(10**9))": "elements",
    "self.n = len(bytes(10**10))": "elements",
    "self.n = len('a'.ljust(10**10))": "elements",
    "self.n = len('%1000000000d' % 1)": "wider",
    "self.n = len('{:1000000000}'.format(1))": "wider",
    "self.n = len(format(1, '1000000000d'))": "wider",
    "self.n = len(f'{1:1000000000}')": "wider",
    "self.n = len(('a' * 5000).join(['b'] * 5000))": "characters",
    "self.n = len(('a' * 5000).replace('a', 'b' * 5000))": "characters",
    "self.n = sum(1 for _ in itertools.product(range(100), repeat=5))": "product",
    "self.n = sum(1 for _ in itertools.permutations(range(12)))": "permutations",
    "self.n = len(list(itertools.combinations_with_replacement([1], 10**10)))": "at a time",
    "self.n = range(10**9)[self.n]": "this range",
    "self.flag = self.n in range(0, 10**9, 3)": "this range",
    "for x in reversed(range(10**9)):\n    break": "this range",
    "for x in range(900):\n    for y in range(900):\n        for z in range(900):\n            pass": "steps of Python",
    "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nself.n = fib(40)": "steps of Python",
}


@pytest.mark.parametrize("body", ENDLESS)
def test_what_takes_for_ever_is_refused(body: str) -> None:
    with pytest.raises(MuleError) as caught:
        load(written(body), "protocol.py")
    assert ENDLESS[body] in caught.value.message
    assert caught.value.place is not None
    assert caught.value.place.line is not None


@pytest.mark.parametrize("body", ["self.n = len(range(10**30))", "x = f'{10**4400 - 1!r}'"])
def test_what_python_cannot_compute_is_an_error_of_the_model_or_of_its_writer(body: str) -> None:
    with suppress(MuleError):
        assert any("Error" in str(transition) for transition in load(written(body), "protocol.py").transitions)


def test_a_long_range_is_counted_without_its_elements() -> None:
    assert not is_long(range(MOST_ITERATIONS))
    assert is_long(range(MOST_ITERATIONS + 1))
    assert is_long(range(10**30))
    assert not is_long(range(10**30, 0))
    assert is_long(range(0, -(10**30), -1))
    assert not is_long(range(0, 10**30, 10**29))


def test_the_place_of_a_field_is_in_the_model() -> None:
    """Nobody can mend the library."""
    assert class_place(Semaphore, "value") is None
