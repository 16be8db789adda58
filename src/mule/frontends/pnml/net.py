"""Place/transition nets, and how PNML writes them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mule.errors import Place
from mule.frontends.pnml.document import Element, read_document

SUPPORTED = "Mule reads place/transition nets: places with initial markings, transitions, arcs with weights"
LARGEST = 2**20
"""Of markings and weights: sums of tokens must fit into 32 bits."""

_TYPE = re.compile(r"(^|[/#])(pt-?netb?|p/t[ -]?net|pnmlcore(model)?)$", re.IGNORECASE)
"""Also the type of the standard's draft (`ptNetb`, WoPeD), and the core model, which process mining tools (ProM, pm4py)
write for nets with markings and weights: labels that would make it another kind of net are refused one by one."""
_SILENT = frozenset({"name", "graphics", "toolspecific"})
_COLOURED = frozenset({"hlinitialMarking", "hlinscription", "type", "condition", "structure", "declaration"})

Marking = tuple[int, ...]
Weights = dict[int, int]
"""Numbers of tokens, by the number of the place; places without any are left out."""


@dataclass(slots=True)
class Node:
    """A place or a transition."""

    id: str
    name: str
    """What a person calls it: its name where no other node has it for a name or an id, else its id."""
    place: Place
    """Where in the file it stands."""


@dataclass(slots=True)
class Firing:
    """A transition of a net: what it takes and what it brings."""

    node: Node
    takes: Weights = field(default_factory=dict)
    brings: Weights = field(default_factory=dict)

    def gain(self, place: int) -> int:
        return self.brings.get(place, 0) - self.takes.get(place, 0)

    @property
    def touched(self) -> list[int]:
        """The places whose marking it changes."""
        return [place for place in sorted({*self.takes, *self.brings}) if self.gain(place)]


@dataclass(slots=True)
class Net:
    name: str
    places: list[Node]
    initial: Marking
    firings: list[Firing]
    units: dict[str, list[int]] = field(default_factory=dict)
    """Sets of places that a NUPN says hold one token at most together, by the name of the unit: a claim, no proof."""


def enabled(firing: Firing, marking: Sequence[int]) -> bool:
    return all(marking[place] >= weight for place, weight in firing.takes.items())


def fire(firing: Firing, marking: Sequence[int]) -> Marking:
    after = list(marking)
    for place, weight in firing.takes.items():
        after[place] -= weight
    for place, weight in firing.brings.items():
        after[place] += weight
    return tuple(after)


def read_net(text: str, file: str) -> Net:
    """The net in a PNML document; `file` is what messages call it."""
    root = read_document(text, file)
    if root.tag != "pnml":
        root.fail(f"the document is a <{root.tag}>, expected a <pnml>")
    nets = list(root.all("net"))
    if len(nets) != 1:
        (nets[1] if nets else root).fail(f"{len(nets)} nets, expected one <net>")
    return _Reading(nets[0]).net()


class _Reading:
    def __init__(self, element: Element) -> None:
        self.element = element
        self.elements: dict[str, Element] = {}
        """Whatever an arc or a reference can speak of, by its id."""
        self._known: dict[str, str] = {}
        """What references stand for."""
        self.arcs: list[Element] = []
        self.units: list[Element] = []

    def net(self) -> Net:
        kind = self.element.attributes.get("type", "ptnet")
        if not _TYPE.search(kind):
            self.element.fail(f"this net is of the type {kind}, which is not supported. {SUPPORTED}")
        self._collect()
        for id in self.elements:
            self._meant(id)
        places = [each for each in self.elements.values() if each.tag == "place"]
        transitions = [each for each in self.elements.values() if each.tag == "transition"]
        if not places and not transitions:
            self.element.fail("the net is empty, expected places and transitions")
        names = _names([*places, *transitions])
        nodes = {each.attributes["id"]: Node(each.attributes["id"], name, each.place) for each, name in names}
        net = Net(
            _label(self.element) or self.element.attributes.get("id", "net"),
            [nodes[each.attributes["id"]] for each in places],
            tuple(_number(each, "initialMarking", "initial marking", 0, 0) for each in places),
            [Firing(nodes[each.attributes["id"]]) for each in transitions],
        )
        place_of = {node.id: number for number, node in enumerate(net.places)}
        firing_of = {firing.node.id: firing for firing in net.firings}
        for arc in self.arcs:
            self._add(arc, place_of, firing_of)
        for structure in self.units:
            net.units.update(_units(structure, place_of))
        return net

    def _collect(self) -> None:
        """Everything on all pages."""
        waiting = [self.element]
        while waiting:
            for child in waiting.pop().children:
                match child.tag:
                    case "page":
                        waiting.append(child)
                    case "place" | "transition" | "referencePlace" | "referenceTransition":
                        self._declare(child)
                    case "arc":
                        _refuse_labels(child, "inscription")
                        self.arcs.append(child)
                    case "toolspecific" if child.attributes.get("tool") == "nupn":
                        self.units += [each for each in child.all("structure") if each.attributes.get("safe") == "true"]
                    case "name" | "graphics" | "toolspecific" | "finalmarkings":
                        pass  # the final markings of process mining say what a run is for, not what the net does
                    case _:
                        _refuse(child, "a net")

    def _declare(self, element: Element) -> None:
        id = element.attributes.get("id", "")
        if not id:
            element.fail(f"this {element.tag} has no id")
        if id in self.elements:
            before = self.elements[id].place
            element.fail(f"the id {id} is taken, by a {self.elements[id].tag} in line {before.line}")
        _refuse_labels(element, "initialMarking" if element.tag == "place" else "")
        self.elements[id] = element

    def _add(self, arc: Element, place_of: dict[str, int], firing_of: dict[str, Firing]) -> None:
        source, target = self._end(arc, "source"), self._end(arc, "target")
        weight = _number(arc, "inscription", "weight", 1, 1)
        if source in place_of and target in firing_of:
            weights, place = firing_of[target].takes, place_of[source]
        elif source in firing_of and target in place_of:
            weights, place = firing_of[source].brings, place_of[target]
        else:
            kind = _kind(self.elements[source])
            arc.fail(f"this arc connects two {kind}s, {source} and {target}: expected a place and a transition")
        weights[place] = weights.get(place, 0) + weight

    def _end(self, arc: Element, which: str) -> str:
        """The id of the place or transition that an arc starts from or leads to."""
        id = arc.attributes.get(which, "")
        if not id:
            arc.fail(f"this arc has no {which}")
        if id not in self.elements:
            arc.fail(f"the {which} of this arc is {id}, and no place or transition has that id")
        return self._meant(id)

    def _meant(self, id: str) -> str:
        """References followed, each of them once."""
        seen: set[str] = set()
        while (element := self.elements[id]).tag.startswith("reference"):
            if id in self._known:
                id = self._known[id]
                break
            if id in seen:
                element.fail(f"the reference {id} leads back to itself")
            seen.add(id)
            id = element.attributes.get("ref", "")
            if not id:
                element.fail(f"this {element.tag} has no ref")
            if id not in self.elements:
                element.fail(f"this {element.tag} refers to {id}, and no place or transition has that id")
            if _kind(self.elements[id]) != _kind(element):
                element.fail(f"this {element.tag} refers to {id}, which is a {_kind(self.elements[id])}")
        self._known |= dict.fromkeys(seen, id)
        return id


def _kind(element: Element) -> str:
    """`place` or `transition`, be it a reference to one."""
    return element.tag.removeprefix("reference").lower()


def _refuse_labels(element: Element, known: str) -> None:
    """A label that is not understood may change what the net does."""
    for child in element.children:
        if child.tag in ("type", "arctype") and element.tag == "arc":
            kind = child.attributes.get("value") or _text(child)
            if kind != "normal":
                child.fail(f"{kind or 'special'} arcs are not supported. {SUPPORTED}")
        elif child.tag != known and child.tag not in _SILENT:
            _refuse(child, f"an {element.tag}" if element.tag == "arc" else f"a {element.tag}")


def _refuse(element: Element, where: str) -> None:
    if element.tag in _COLOURED:
        element.fail(f"<{element.tag}> belongs to coloured nets, which are not supported. {SUPPORTED}")
    element.fail(f"<{element.tag}> in {where} is not supported. {SUPPORTED}")


def _text(element: Element) -> str:
    text = element.child("text")
    return "" if text is None else " ".join(text.text.split())


def _label(element: Element) -> str:
    name = element.child("name")
    return "" if name is None else _text(name)


def _names(elements: Sequence[Element]) -> Iterable[tuple[Element, str]]:
    taken = Counter(label for each in elements for label in {_label(each), each.attributes["id"]})
    for each in elements:
        label = _label(each)
        yield each, label if label and taken[label] == 1 else each.attributes["id"]


def _number(element: Element, tag: str, what: str, default: int, least: int) -> int:
    label = element.child(tag)
    if label is None:
        return default
    text = _text(label)
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        label.fail(f"the {what} is {text!r}, expected a number in a <text>")
    value = int(text) if len(text) < 20 else LARGEST + 1
    if text.startswith("-") or value < least:
        label.fail(f"the {what} is {text}, expected at least {least}")
    if value > LARGEST:
        label.fail(f"the {what} {text[:20]} is too large, expected at most {LARGEST}")
    return value


def _units(structure: Element, place_of: dict[str, int]) -> Iterable[tuple[str, list[int]]]:
    for unit in structure.all("unit"):
        listed = unit.child("places")
        ids = [] if listed is None else listed.text.split()
        for id in ids:
            if id not in place_of:
                unit.fail(f"this unit has a place {id}, and no place has that id")
        if ids:
            yield unit.attributes.get("id", f"unit {place_of[ids[0]]}"), [place_of[id] for id in ids]
