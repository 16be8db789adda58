"""Changes of declarations: types, sizes, capacities, processes and how they start."""

from __future__ import annotations

from random import Random

from tests.differential.mutation.draft import Draft, Mutation
from tests.differential.mutation.source import TYPES, Token, closing


def change_type(draft: Draft, random: Random) -> list[Token] | None:
    places = draft.positions(*TYPES)
    if not places:
        return None
    at = random.choice(places)
    return draft.replaced(at, at + 1, random.choice(TYPES))


def change_capacity(draft: Draft, random: Random) -> list[Token] | None:
    places = [at for at in draft.positions("of") if at > 3 and draft.texts[at - 1] == "]"]
    if not places:
        return None
    at = random.choice(places)
    opening = next(i for i in range(at, 0, -1) if draft.texts[i] == "[")
    return draft.replaced(opening + 1, at - 1, random.choice(["0", "0", "1", "2"]))


def change_initial_value(draft: Draft, random: Random) -> list[Token] | None:
    names = draft.variables.scalars
    places = [at for at, text in enumerate(draft.texts) if text in names and not draft.outline.inside_body(at)]
    places = [at for at in places if draft.texts[at + 1 : at + 2] in ([";"], [","], ["="])]
    if not places:
        return None
    at = random.choice(places)
    value = random.choice(["0", "1", "2", "-1", "255"])
    has_value = draft.texts[at + 1] == "="
    return draft.replaced(at + 1, at + 3, f"= {value}") if has_value else draft.replaced(at + 1, at + 1, f"= {value}")


def hide_variable(draft: Draft, random: Random) -> list[Token] | None:
    places = [at for at in draft.positions(*TYPES) if not draft.outline.inside_body(at)]
    places = [at for at in places if at == 0 or draft.texts[at - 1] in (";", "}", "")]
    if not places:
        return None
    at = random.choice(places)
    return draft.replaced(at, at, random.choice(["hidden", "show", "local"]))


def change_instances(draft: Draft, random: Random) -> list[Token] | None:
    places = draft.positions("active")
    if not places:
        return None
    at = random.choice(places)
    end = closing(draft.texts, at + 1) + 1 if draft.texts[at + 1] == "[" else at + 1
    return draft.replaced(at + 1, end, f"[{random.randrange(1, 4)}]")


def make_active(draft: Draft, random: Random) -> list[Token] | None:
    places = [at for at in draft.positions("proctype") if draft.texts[at - 1] not in ("active", "]", "D_proctype")]
    if not places:
        return None
    at = random.choice(places)
    return draft.replaced(at, at, random.choice(["active", "active [2]"]))


def add_priority(draft: Draft, random: Random) -> list[Token] | None:
    """To a proctype, or to a `run`."""
    value = random.randrange(1, 4)
    runs = draft.positions("run")
    if runs and random.random() < 0.4:
        end = closing(draft.texts, random.choice(runs) + 2) + 1
        return draft.replaced(end, end, f"priority {value}")
    return _in_head(draft, random, f"priority {value}")


def add_provided(draft: Draft, random: Random) -> list[Token] | None:
    names = draft.variables.scalars
    if not names:
        return None
    condition = f"{random.choice(names)} {random.choice(['==', '!=', '<'])} {random.randrange(3)}"
    return _in_head(draft, random, f"provided ({condition})")


def _in_head(draft: Draft, random: Random, text: str) -> list[Token] | None:
    if not draft.outline.bodies:
        return None
    at, _ = random.choice(draft.outline.bodies)
    return draft.replaced(at, at, text)


DECLARATIONS: tuple[Mutation, ...] = (
    change_type,
    change_capacity,
    change_capacity,
    change_initial_value,
    hide_variable,
    change_instances,
    make_active,
    add_priority,
    add_provided,
)
