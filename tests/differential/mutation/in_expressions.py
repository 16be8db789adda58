"""Changes of expressions, and of what is sent and received."""

from __future__ import annotations

from random import Random

from tests.differential.mutation.draft import Draft, Mutation
from tests.differential.mutation.source import Token, closing

OPERATORS = (("+", "-", "*", "/", "%"), ("==", "!=", "<", ">", "<=", ">="), ("&&", "||"), ("&", "|", "^"), ("<<", ">>"))
QUEUE_WORDS = ("len", "empty", "nempty", "full", "nfull")


def change_constant(draft: Draft, random: Random) -> list[Token] | None:
    places = [at for at, text in enumerate(draft.texts) if text.isdigit()]
    if not places:
        return None
    at = random.choice(places)
    old = int(draft.texts[at])
    return draft.replaced(at, at + 1, str(random.choice([0, 1, 2, old + 1, max(old - 1, 0), 255, 256])))


def change_operator(draft: Draft, random: Random) -> list[Token] | None:
    places = [at for at, text in enumerate(draft.texts) if any(text in group for group in OPERATORS)]
    if not places:
        return None
    at = random.choice(places)
    group = next(group for group in OPERATORS if draft.texts[at] in group)
    return draft.replaced(at, at + 1, random.choice(group))


def negate_condition(draft: Draft, random: Random) -> list[Token] | None:
    conditions = draft.conditions()
    if not conditions:
        return None
    chosen = random.choice(conditions)
    return draft.wrapped(chosen.begin, chosen.end, "! (", ")")


def replace_condition(draft: Draft, random: Random) -> list[Token] | None:
    conditions = draft.conditions()
    if not conditions:
        return None
    chosen, other = random.choice(conditions), random.choice(conditions)
    text = draft.text_between(other.begin, other.end)
    return draft.replaced(chosen.begin, chosen.end, random.choice(["timeout", "true", "false", "skip", text, text]))


def join_conditions(draft: Draft, random: Random) -> list[Token] | None:
    conditions = draft.conditions()
    if not conditions:
        return None
    chosen, other = random.choice(conditions), random.choice(conditions)
    operator = random.choice(["&&", "||", "=="])
    return draft.wrapped(chosen.begin, chosen.end, "((", f") {operator} {draft.text_between(other.begin, other.end)} )")


def use_predefined(draft: Draft, random: Random) -> list[Token] | None:
    """`_pid`, `_nr_pr`, `_last` or a variable instead of a constant."""
    places = [at for at, text in enumerate(draft.texts) if text.isdigit() and draft.outline.inside_body(at)]
    if not places:
        return None
    at = random.choice(places)
    names = ["_pid", "_pid", "_nr_pr", "_last", *draft.variables.scalars, *draft.variables.scalars]
    return draft.replaced(at, at + 1, random.choice(names))


def use_conditional(draft: Draft, random: Random) -> list[Token] | None:
    places = [at for at, text in enumerate(draft.texts) if text.isdigit() and draft.outline.inside_body(at)]
    names = draft.variables.scalars
    if not places or not names:
        return None
    at = random.choice(places)
    return draft.replaced(at, at + 1, f"({random.choice(names)} > 0 -> {draft.texts[at]} : {random.randrange(3)})")


def swap_names(draft: Draft, random: Random) -> list[Token] | None:
    """One use of a variable becomes another variable of the same sort."""
    known = draft.variables
    groups = [group for group in (known.scalars, known.arrays, known.channels) if len(group) > 1]
    if not groups:
        return None
    group = random.choice(groups)
    places = [at for at, text in enumerate(draft.texts) if text in group and draft.outline.inside_body(at)]
    if not places:
        return None
    at = random.choice(places)
    return draft.replaced(at, at + 1, random.choice(group))


def change_index(draft: Draft, random: Random) -> list[Token] | None:
    """Of an array, a channel of an array, or of a remote reference; also out of range."""
    places = [at for at in draft.positions("[") if at > 0 and draft.texts[at - 1].isidentifier()]
    places = [at for at in places if draft.outline.inside_body(at)]
    if not places:
        return None
    at = random.choice(places)
    end = closing(draft.texts, at)
    old = draft.text_between(at + 1, end)
    values = ["0", "1", "2", "_pid", f"{old} + 1", f"{old} - 1", f"({old}) % 2", *draft.variables.scalars]
    return draft.replaced(at + 1, end, random.choice(values))


def change_message_operator(draft: Draft, random: Random) -> list[Token] | None:
    """`!` and `!!`, `?` and `??`, a poll, or a receive that leaves the message where it is."""
    sends = [at for at in draft.positions("!", "!!") if _sends(draft.texts, at)]
    receives = [at for at in draft.positions("?", "??") if draft.outline.inside_body(at)]
    if not sends and not receives:
        return None
    at = random.choice(sends + receives)
    text = draft.texts[at]
    if at in sends:
        return draft.replaced(at, at + 1, "!!" if text == "!" else "!")
    statement = next((s for s in draft.plain_statements() if s.begin < at < s.end and s.end - at < 12), None)
    way = random.randrange(3)
    if way == 0 or statement is None or draft.texts[at + 1] in ("[", "<"):
        return draft.replaced(at, at + 1, "??" if text == "?" else "?")
    if draft.texts[at + 1] == "(":
        return None
    opening, ending = ("[", "]") if way == 1 else ("<", ">")
    return draft.wrapped(at + 1, statement.end, opening, ending)


def change_received(draft: Draft, random: Random) -> list[Token] | None:
    """A field that is received becomes `_`, `eval(...)`, a constant or another variable."""
    receives = [at for at in draft.positions("?", "??") if draft.outline.inside_body(at)]
    if not receives:
        return None
    at = random.choice(receives) + 1
    if not draft.texts[at].isidentifier() or draft.texts[at] == "eval":
        return None
    old = draft.texts[at]
    values = ["_", f"eval({old})", "eval(_pid)", "0", "1", *draft.variables.scalars]
    return draft.replaced(at, at + 1, random.choice(values))


def change_queue_word(draft: Draft, random: Random) -> list[Token] | None:
    places = draft.positions(*QUEUE_WORDS)
    if not places:
        return None
    at = random.choice(places)
    return draft.replaced(at, at + 1, random.choice(QUEUE_WORDS))


def _sends(texts: list[str], at: int) -> bool:
    return at > 0 and (texts[at - 1].isidentifier() or texts[at - 1] == "]")


EXPRESSIONS: tuple[Mutation, ...] = (
    change_constant,
    change_constant,
    change_operator,
    change_operator,
    negate_condition,
    replace_condition,
    join_conditions,
    use_predefined,
    use_conditional,
    swap_names,
    change_index,
    change_message_operator,
    change_message_operator,
    change_received,
    change_queue_word,
)
