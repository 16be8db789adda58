"""Claims for programs that have none, made of what the program declares."""

from __future__ import annotations

from random import Random

from tests.differential.mutation.draft import Draft, Mutation
from tests.differential.mutation.source import Token, written

FORMULAS = (
    "[] {p}",
    "<> {p}",
    "[] <> {p}",
    "<> [] {p}",
    "{p} U {q}",
    "{p} W {q}",
    "! ({p} U {q})",
    "[] ({p} -> <> {q})",
    "([] <> {p}) -> ([] <> {q})",
    "[] ({p} -> ({q} U {r}))",
    "<> ({p} && X {q})",
    "(<> {p}) || ([] {q})",
    "([] <> {p}) && (<> {q})",
)
NEVER = (
    "never {{ do :: {p} -> break :: true od; accept: do :: {q} od }}",
    "never {{ T0: if :: {p} -> goto accept_S :: true -> goto T0 fi; accept_S: if :: {q} -> goto T0 fi }}",
    "never {{ do :: assert({p}) od }}",
    "never {{ do :: {p} -> break :: else od }}",
    "never {{ accept: do :: {p} :: {q} -> skip od }}",
    "never {{ {p}; {q}; {r} }}",
    "never {{ do :: atomic {{ {p} -> {q} }} :: {r} od; accept: do :: skip od }}",
)


def add_formula(draft: Draft, random: Random) -> list[Token] | None:
    return _added(draft, random, "ltl added {{ " + random.choice(FORMULAS) + " }}")


def add_never_claim(draft: Draft, random: Random) -> list[Token] | None:
    return _added(draft, random, random.choice(NEVER))


def _added(draft: Draft, random: Random, text: str) -> list[Token] | None:
    if {"never", "ltl"} & set(draft.texts):
        return None
    p, q, r = (_proposition(draft, random, in_formula=text.startswith("ltl")) for _ in range(3))
    return [*draft.tokens, *written("\n" + text.format(p=p, q=q, r=r))]


def _proposition(draft: Draft, random: Random, in_formula: bool) -> str:
    """SPIN does not read `full` and the like in formulas."""
    known = draft.variables
    found = [f"({name} {random.choice(['==', '!=', '>', '<'])} {random.randrange(3)})" for name in known.scalars]
    found += [
        f"({name}[{random.randrange(2)}] {random.choice(['==', '>'])} {random.randrange(2)})" for name in known.arrays
    ]
    found += [f"(len({name}) {random.choice(['==', '>'])} {random.randrange(2)})" for name in known.channels]
    asked = [] if in_formula else ["empty", "nempty", "full", "nfull"]
    found += [f"({word}({name}))" for name in known.channels for word in asked]
    found += [f"({place})" for place in _places(draft)]
    others = ["(_nr_pr > 1)", "(_nr_pr == 1)", "(_last == 0)", "(_last == 1)", "np_", "timeout"]
    return random.choice(found) if found and random.random() < 0.9 else random.choice(others)


def _places(draft: Draft) -> list[str]:
    """`P@label` for the labels that stand in a proctype."""
    texts, found = draft.texts, []
    for begin, end in draft.outline.bodies:
        head = max((at for at in draft.outline.heads if at < begin), default=0)
        for at in range(begin, end):
            is_label = (
                texts[at].isidentifier() and texts[at + 1] == ":" and texts[at - 1] in ("{", ";", "::", "->", "}")
            )
            if is_label and texts[head] == "proctype":
                found.append(f"{texts[head + 1]}@{texts[at]}")
    return found


CLAIMS: tuple[Mutation, ...] = (add_formula, add_formula, add_never_claim)
