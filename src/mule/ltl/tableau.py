"""Formulas to generalised Büchi automata, by unfolding what a formula asks of now and of the rest.

Couvreur, "On-the-fly verification of linear temporal logic" (FM 1999): a state is a formula, and an edge that postpones
the right side of an until promises it; a mark lies on each edge that does not make its promise.
"""

from __future__ import annotations

from collections.abc import Iterable

from mule.ltl import letters
from mule.ltl.automaton import Automaton, Edge, merged
from mule.ltl.formula import FALSE, TRUE, Formula, Op, and_, or_
from mule.ltl.implication import carries, entails, excludes
from mule.ltl.junctions import weakest

Term = tuple[Formula, int]
"""What must hold from the next position on, and the promises made, as a mask."""
Terms = dict[Term, int]
"""The label under which a term is one way to satisfy a formula."""


class TooLargeError(Exception):
    """The automaton would have more states than its caller wants."""


class Tableau:
    """The unfolding of formulas (in negation normal form) over fixed atoms."""

    def __init__(self, atoms: tuple[str, ...], joined: bool) -> None:
        """`joined`: terms with the same promises lead to one state, the disjunction of their formulas."""
        self._atoms = {text: index for index, text in enumerate(atoms)}
        self._full = letters.everything(len(atoms))
        self._promises: dict[Formula, int] = {}
        self._terms: dict[Formula, Terms] = {}
        self._joined = joined

    @property
    def promises(self) -> int:
        return len(self._promises)

    def successors(self, formula: Formula) -> Terms:
        terms = self.terms(formula)
        return _joined(terms) if self._joined else terms

    def terms(self, formula: Formula) -> Terms:
        """The ways to satisfy a formula, none of them better than another under the same letter."""
        known = self._terms.get(formula)
        if known is None:
            known = self._terms[formula] = _undominated(self._unfolded(formula))
        return known

    def _unfolded(self, formula: Formula) -> Terms:
        op, args = formula.op, formula.args
        if formula.boolean:
            return {(TRUE, 0): letters.of_formula(formula, self._atoms)}
        if op is Op.AND:
            return self._product([self.terms(arg) for arg in args])
        if op is Op.OR:
            return _sum(self.terms(arg) for arg in args)
        if op is Op.NEXT:
            return {(args[0], 0): self._full}
        return self._unfolded_binary(formula)

    def _unfolded_binary(self, formula: Formula) -> Terms:
        op, args = formula.op, formula.args
        left, right = self.terms(args[0]), self.terms(args[-1])
        again: Terms = {(formula, 0): self._full}
        if op is Op.ALWAYS:
            return self._product([right, again])
        if op is Op.RELEASE:
            return self._product([right, _sum([left, again])])
        if op is Op.WEAK_UNTIL:
            return _sum([right, self._product([left, again])])
        if op is Op.STRONG_RELEASE:
            return self._product([right, _sum([left, {(formula, self._promise(args[0])): self._full}])])
        later: Terms = {(formula, self._promise(args[-1])): self._full}
        return _sum([right, later if op is Op.EVENTUALLY else self._product([left, later])])

    def _promise(self, goal: Formula) -> int:
        return 1 << self._promises.setdefault(goal, len(self._promises))

    def _product(self, factors: list[Terms]) -> Terms:
        result: Terms = {(TRUE, 0): self._full}
        for factor in sorted(factors, key=len):
            product: Terms = {}
            for (rest, promised), label in result.items():
                for (other, promised_too), other_label in factor.items():
                    both = label & other_label
                    if both:
                        formula = conjunction(rest, other)
                        if formula is not FALSE:
                            key = (formula, promised | promised_too)
                            product[key] = product.get(key, 0) | both
            result = _undominated(product)
        return result


def conjunction(left: Formula, right: Formula) -> Formula:
    """Both, without what is implied."""
    both = and_(left, right)
    if both.op is not Op.AND or left is both or right is both:
        return both
    parts = _needed(both.args)
    if any(excludes(part, other) for index, part in enumerate(parts) for other in parts[:index]):
        return FALSE
    return and_(*parts)


def _needed(parts: tuple[Formula, ...]) -> list[Formula]:
    """The conjuncts that no other one carries; of two that carry each other the smaller stays."""
    kept: list[Formula] = []
    for part in parts:
        if not any(carries(other, part) for other in kept):
            kept = [other for other in kept if not carries(part, other)]
            kept.append(part)
    return kept


def _sum(terms: Iterable[Terms]) -> Terms:
    result: Terms = {}
    for part in terms:
        for key, label in part.items():
            result[key] = result.get(key, 0) | label
    return result


def _undominated(terms: Terms) -> Terms:
    """A term is not needed under the letters for which there is one with a weaker rest and no other promises."""
    result: Terms = {}
    items = list(terms.items())
    for index, ((rest, promised), label) in enumerate(items):
        for other_index, ((weaker, fewer), covered) in enumerate(items):
            if index == other_index or not label & covered or fewer & ~promised or not entails(rest, weaker):
                continue
            same = fewer == promised and entails(weaker, rest)
            if not same or (weaker, other_index) < (rest, index):
                label &= ~covered
        if label:
            result[rest, promised] = label
    return result


def _joined(terms: Terms) -> Terms:
    """For each letter and set of promises one term: the disjunction of the rests."""
    result: Terms = {}
    for promised in {promised for _, promised in terms}:
        group = [(rest, label) for (rest, mask), label in terms.items() if mask == promised]
        for part in letters.partition([label for _, label in group], _sum_of_labels(group)):
            rests = weakest(rest for rest, label in group if label & part)
            key = (or_(*rests), promised)
            result[key] = result.get(key, 0) | part
    return result


def _sum_of_labels(group: list[tuple[Formula, int]]) -> int:
    result = 0
    for _, label in group:
        result |= label
    return result


def tableau(formula: Formula, atoms: tuple[str, ...], joined: bool = False, most: int = 100_000) -> Automaton:
    """The generalised automaton of a formula in negation normal form."""
    unfolding = Tableau(atoms, joined)
    number = {formula: 0}
    order = [formula]
    found: list[Terms] = []
    for state in order:
        if len(order) > most:
            raise TooLargeError
        terms = unfolding.successors(state)
        found.append(terms)
        for rest, _ in terms:
            if rest not in number:
                number[rest] = len(order)
                order.append(rest)
    everything = (1 << unfolding.promises) - 1
    edges = [
        merged(Edge(label, number[rest], everything & ~promised) for (rest, promised), label in terms.items())
        for terms in found
    ]
    return Automaton(atoms, edges, 0, unfolding.promises, [state.text for state in order])
