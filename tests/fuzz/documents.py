"""How a good net goes bad, and stays XML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache
from random import Random
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from tests.fuzz.mutations import NUMBERS

NAMES = ("", "x", "a" * 5_000, "unknown", "🐴", "1", " ", "place", "net", "dot")
WORDS = (*NUMBERS, *NAMES)
DEPTHS = (1, 2, 40, 3_000)


def mutated_document(random: Random, text: str, others: Sequence[str]) -> str:
    """One to four changes of the tree; a text that is no XML stays as it is."""
    root, other = _root(text), _root(random.choice(others))
    if root is None or other is None:
        return text
    root = deepcopy(root)
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        random.choice(CHANGES)(random, root, list(other.iter()))
    try:
        return ElementTree.tostring(root, encoding="unicode")
    except RecursionError:
        return text


@cache
def _root(text: str) -> Element | None:
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return None


def _parent(random: Random, root: Element) -> Element:
    return random.choice([node for node in root.iter() if len(node)] or [root])


def other_attribute(random: Random, root: Element, others: Sequence[Element]) -> None:
    """Another value, often that of another element: what belonged together no longer does."""
    nodes = [node for node in root.iter() if node.attrib]
    if nodes:
        node, taken = random.choice(nodes), random.choice(nodes)
        key = random.choice(sorted(node.attrib))
        value = random.choice(sorted(taken.attrib.values())) if random.random() < 0.7 else random.choice(WORDS)
        node.attrib[key] = value


def drop_attribute(random: Random, root: Element, others: Sequence[Element]) -> None:
    node = random.choice([node for node in root.iter() if node.attrib] or [root])
    if node.attrib:
        del node.attrib[random.choice(sorted(node.attrib))]


def other_text(random: Random, root: Element, others: Sequence[Element]) -> None:
    nodes = [node for node in root.iter() if node.text and node.text.strip()] or [root]
    random.choice(nodes).text = random.choice(WORDS)


def other_tag(random: Random, root: Element, others: Sequence[Element]) -> None:
    random.choice(list(root.iter())).tag = random.choice(others).tag


def drop_element(random: Random, root: Element, others: Sequence[Element]) -> None:
    parent = _parent(random, root)
    if len(parent):
        parent.remove(random.choice(list(parent)))


def repeat_element(random: Random, root: Element, others: Sequence[Element]) -> None:
    parent = _parent(random, root)
    if len(parent):
        again = random.choice(list(parent))
        for _ in range(random.choice((1, 1, 2, 50))):
            parent.append(deepcopy(again))


def foreign_element(random: Random, root: Element, others: Sequence[Element]) -> None:
    parent = random.choice(list(root.iter()))
    parent.insert(random.randrange(len(parent) + 1), deepcopy(random.choice(others)))


def moved_element(random: Random, root: Element, others: Sequence[Element]) -> None:
    parent = _parent(random, root)
    if len(parent):
        random.choice(list(root.iter())).append(deepcopy(random.choice(list(parent))))


def nested_element(random: Random, root: Element, others: Sequence[Element]) -> None:
    """The children of an element go deep down in others of its kind."""
    node = random.choice(list(root.iter()))
    children, inner = list(node), node
    for child in children:
        node.remove(child)
    for _ in range(random.choice(DEPTHS)):
        deeper = Element(node.tag, dict(node.attrib))
        inner.append(deeper)
        inner = deeper
    inner.extend(children)


CHANGES: tuple[Callable[[Random, Element, Sequence[Element]], None], ...] = (
    *(other_attribute, other_attribute, drop_attribute, other_text, other_text, other_tag, drop_element),
    *(repeat_element, foreign_element, moved_element, nested_element),
)
