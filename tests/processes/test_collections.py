"""Lists that grow, and dicts: what the compiled model reaches is what Python reaches."""

from __future__ import annotations

import re

import pytest

import mule
from mule.errors import MuleError
from mule.frontends.python.translation import translate
from mule.results import Verdict
from tests.processes.agreement import compare, maker
from tests.processes.collections_header import IMPORTS

pytestmark = pytest.mark.slow

LISTS = {
    "a stack": """
async def put(s, n):
    await until(lambda: len(s.items) < 3)
    s.items.append(n)
async def take(s):
    await until(lambda: s.items)
    s.a = s.a * 10 + s.items.pop()
def system():
    s = S()
    return System([put(s, 1), put(s, 2), take(s), take(s)])
""",
    "a queue in a list": """
async def put(s, n):
    s.items.append(n)
    await pause()
    s.items.append(n + 1)
async def take(s):
    while s.a < 2:
        await until(lambda: len(s.items) > 0)
        s.b = s.items.pop(0)
        s.a += 1
def system():
    s = S()
    return System([put(s, 1), take(s)])
""",
    "looking at a list": """
async def put(s, n):
    s.items.append(n)
async def look(s):
    await pause()
    s.a = sum(x * (i + 1) for i, x in enumerate(s.items))
    s.on = 2 in s.items
    s.b = s.items[-1] if s.items else -1
    for x in s.items:
        if x == 1:
            break
        s.b += x
def system():
    s = S()
    return System([put(s, 1), put(s, 2), look(s)])
""",
    "changing a list": """
async def work(s, n):
    s.items.extend([n, n + 1])
    await pause()
    s.items[0] += 10
    s.items.remove(n + 1)
    await pause()
    s.items = [x for x in s.items if x > 5]
    s.items += (s.a,)
    s.items.insert(0, 7)
    s.items.reverse()
    s.b = s.items.index(7)
    s.items.clear()
async def other(s):
    s.a = len(s.items)
def system():
    s = S()
    return System([work(s, 1), other(s)])
""",
    "positions that only the run knows": """
async def put(s, n):
    await pause()
    s.items.append(n)
async def look(s):
    i = choose(0, 1, -1)
    await pause()
    s.a = s.items[i]
    s.items[i] = 9
    await pause()
    s.b = s.items.pop(i)
def system():
    s = S()
    return System([put(s, 1), put(s, 2), look(s)])
""",
    "pop from an empty list": """
async def take(s):
    try:
        s.a = s.items.pop()
    except IndexError:
        s.a = -5
    await pause()
    s.b = s.items.pop(0)
async def put(s):
    await pause()
    s.items.append(4)
def system():
    s = S()
    return System([take(s), put(s)])
""",
    "lists of enums, equality and copies": """
async def work(s):
    copy = list(s.more)
    copy.append(Color.RED)
    s.on = copy == s.more
    s.more.append(Color.RED)
    s.a = int(copy == s.more) + 2 * int(s.more == [Color.GREEN]) + 4 * s.more.count(Color.RED)
    await pause()
    s.more = s.more[1:]
    s.b = len(s.more) + 10 * (s.more[0] is Color.RED)
async def other(s):
    await pause()
    if Color.RED in s.more:
        s.more.pop()
def system():
    s = S()
    return System([work(s), other(s)])
""",
    "a list by two names": """
async def work(s, n):
    mine = [n]
    s.items = mine
    mine.append(2)
    s.a = len(s.items)
    same = s.items
    same.append(3)
    mine += []
    await pause()
    s.b = sum(s.items)
def system():
    s = S()
    return System([work(s, 1), work(s, 2)])
""",
    "a list that grows while it is gone through": """
async def work(s):
    s.items.append(1)
    for x in s.items:
        if len(s.items) < 3:
            s.items.append(x + 1)
        s.a += x
    await pause()
async def other(s):
    s.b = len(s.items)
def system():
    s = S()
    return System([work(s), other(s)])
""",
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_that_grows_does_what_python_does(name: str) -> None:
    assert compare(IMPORTS + LISTS[name], f"{name}.py", 0).states > 0


DICTS = {
    "putting in and taking out": """
async def put(d, color, n):
    d.of[color] = n
    await pause()
    d.of[color] += 1
async def take(d):
    await until(lambda: Color.RED in d.of)
    d.a = d.of.pop(Color.RED)
    d.b = len(d.of)
def system():
    d = D()
    return System([put(d, Color.RED, 3), put(d, Color.GREEN, 5), take(d)])
""",
    "what is not there": """
async def put(d):
    await pause()
    d.of[Color.RED] = 1
async def look(d):
    d.a = d.of.get(Color.RED, 7)
    x = d.of.get(Color.GREEN)
    d.b = 1 if x is None else 2
    try:
        d.a += d.of[Color.RED]
    except KeyError:
        d.b = 5
    await pause()
    d.a += d.of.pop(Color.GREEN, 10)
    d.of.pop(Color.RED)
def system():
    d = D()
    return System([put(d), look(d)])
""",
    "keys that only the run knows": """
async def work(d, n):
    i = choose(0, 1, n)
    await pause()
    d.by[i] = i > 0
    d.a += i in d.by
    await pause()
    d.b = 1 + d.by[n] if n in d.by else 0
def system():
    d = D()
    return System([work(d, 2), work(d, 1)])
""",
    "a dict as a whole": """
async def work(d):
    d.of.setdefault(Color.RED, 4)
    d.a = sum(d.of.values()) + sum(1 for c, n in d.of.items() if n == 4)
    await pause()
    d.of.update({Color.GREEN: 2})
    d.b = len(d.of) + 10 * any(n > 3 for n in d.of.values()) + 100 * (d.of == {Color.GREEN: 2, Color.RED: 4})
    await pause()
    d.of = {Color.GREEN: d.a}
    d.of |= {Color.RED: 1}
    d.b = max(d.of.values())
    await pause()
    d.of.clear()
    if not d.of:
        d.a = -1
async def other(d):
    for color in Color:
        if color in d.of:
            d.of[color] += 1
    d.by = {0: False}
def system():
    d = D()
    return System([work(d), other(d)])
""",
    "a dict by two names": """
async def work(d, n):
    mine = {Color.RED: n}
    d.of = mine
    mine[Color.GREEN] = 2
    same = d.of
    same[Color.RED] += 1
    d.a = mine[Color.RED] + len(d.of)
    await pause()
    d.b = sum(d.of.values())
def system():
    d = D()
    return System([work(d, 1), work(d, 3)])
""",
}


@pytest.mark.parametrize("name", DICTS)
def test_a_dict_does_what_python_does(name: str) -> None:
    assert compare(IMPORTS + DICTS[name], f"{name}.py", 0).states > 0


def test_a_key_that_was_not_declared_is_an_error_of_the_model() -> None:
    text = """
async def work(d):
    try:
        d.by[d.a + 3] = True
    except KeyError:
        pass
    d.a += 1
def system():
    return System([work(D())])
"""
    result = maker(IMPORTS + text, "undeclared.py")().check()
    assert result.verdict is Verdict.VIOLATED
    assert "the key is none of by, whose keys are 0..2" in str(result)


def test_an_invariant_speaks_of_a_dict() -> None:
    make = maker(IMPORTS + DICTS["a dict by two names"], "dict.py")
    assert make().check(invariants=["sum(d.of.values()) <= 6"]).verdict is Verdict.HOLDS
    assert make().check(invariants=["len(d.of) < 2"]).verdict is Verdict.VIOLATED
    assert make().check(invariants=["Color.RED not in d.of or d.of[Color.RED] >= 2"]).verdict is Verdict.HOLDS
    with pytest.raises(MuleError, match="a predicate cannot change anything"):
        make().check(invariants=["d.of.pop(Color.RED, 1) == 1"])


def test_what_a_predicate_does_in_a_queue_is_wrong_where_it_asks() -> None:
    text = (
        "from mule.processes import *\nq = Queue(1)\nasync def work():\n    await q.put(1)\n"
        "def done():\n    q.task_done()\n    return True\n"
        "def system():\n    return System([work()], invariants=[done])\n"
    )
    with pytest.raises(MuleError, match=r"model:6:5: a predicate cannot change anything"):
        mule.loads(text, language="python").check()


BEYOND = """
async def put(s):
    try:
        s.items.append(s.a)
        s.items.append(s.a)
    except ValueError:
        pass
    await pause()
def system():
    s = S()
    return System([put(s), put(s)])
"""


def test_a_list_beyond_its_bound_is_an_error_that_says_what_to_raise() -> None:
    result = maker(IMPORTS + BEYOND, "beyond.py")().check()
    assert result.verdict is Verdict.VIOLATED
    assert "items grows beyond its bound: raise AtMost(3)" in str(result)
    wider = (IMPORTS + BEYOND).replace("AtMost(3)", "AtMost(4)")
    assert maker(wider, "wider.py")().check().verdict is Verdict.HOLDS


def test_an_invariant_speaks_of_a_list_that_grows() -> None:
    make = maker(IMPORTS + LISTS["a stack"], "stack.py")
    assert make().check(invariants=["len(s.items) <= 2"]).verdict is Verdict.HOLDS
    assert make().check(invariants=["len(s.items) <= 1"]).verdict is Verdict.VIOLATED
    assert make().check(invariants=["sum(s.items) < 3"]).verdict is Verdict.VIOLATED
    assert make().check(ltl="<> ([] (not s.items))").verdict is Verdict.HOLDS


REFUSED = {
    "AtMost(n)": """
class T(Shared):
    items: list[int] = [0]
async def work(t):
    t.items.append(1)
def system():
    return System([work(T())])
""",
    "begins with 3 elements, and can have 2": """
class T(Shared):
    items: Annotated[list[int], AtMost(2)] = [1, 2, 3]
async def work(t):
    t.items.append(1)
def system():
    return System([work(T())])
""",
    "a list of lists": """
class T(Shared):
    items: Annotated[list[list[int]], AtMost(2)] = []
async def work(t):
    t.items.append([1])
def system():
    return System([work(T())])
""",
    "AtMost bounds a list": """
class T(Shared):
    items: Annotated[int, AtMost(2)] = 0
async def work(t):
    t.items = 1
def system():
    return System([work(T())])
""",
    "the order of the keys of a dict in a field is not kept": """
async def work(d):
    d.of[Color.RED] = 1
    for each in d.of:
        d.a += d.of[each]
def system():
    return System([work(D())])
""",
    "a dict whose keys have no bounds": """
class T(Shared):
    by: dict[int, int] = {}
async def work(t):
    t.by[1] = 2
def system():
    return System([work(T())])
""",
    "two fields would share one dict": """
class T(Shared):
    one: dict[Color, int] = {}
    two: dict[Color, int] = {}
async def work(t):
    t.one[Color.RED] = 2
    t.two = t.one
def system():
    return System([work(T())])
""",
    "two fields would share one list": """
class T(Shared):
    items: Annotated[list[int], AtMost(2)] = []
    others: Annotated[list[int], AtMost(2)] = []
async def work(t):
    t.others.append(1)
    t.items = t.others
def system():
    return System([work(T())])
""",
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_refused_says_what_to_do(message: str) -> None:
    with pytest.raises(MuleError, match=re.escape(message)):
        translate(maker(IMPORTS + REFUSED[message], "refused.py")())
