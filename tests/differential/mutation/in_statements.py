"""Changes of statements: their order, number, blocks, options, labels."""

from __future__ import annotations

from random import Random

from tests.differential.mutation.draft import Draft, Mutation
from tests.differential.mutation.source import Statement, Token, written


def swap_statements(draft: Draft, random: Random) -> list[Token] | None:
    pairs = [
        (first, second)
        for first in draft.outline.statements
        for second in draft.outline.statements
        if first.sequence == second.sequence and 0 < second.begin - first.end <= 2
    ]
    if not pairs:
        return None
    first, second = random.choice(pairs)
    tokens = draft.tokens
    return [
        *tokens[: first.begin],
        *tokens[second.begin : second.end],
        *tokens[first.end : second.begin],
        *tokens[first.begin : first.end],
        *tokens[second.end :],
    ]


def delete_statement(draft: Draft, random: Random) -> list[Token] | None:
    chosen = _some_statement(draft, random)
    return draft.replaced(chosen.begin, chosen.end, random.choice(["skip", "skip", "true"])) if chosen else None


def duplicate_statement(draft: Draft, random: Random) -> list[Token] | None:
    """Again beside itself, or somewhere else."""
    chosen, where = _some_statement(draft, random), _some_statement(draft, random)
    if chosen is None or where is None:
        return None
    target = where if random.random() < 0.5 else chosen
    copied = draft.text_between(chosen.begin, chosen.end)
    return [*draft.tokens[: target.begin], *written(f"{copied} ;"), *draft.tokens[target.begin :]]


def move_statement(draft: Draft, random: Random) -> list[Token] | None:
    chosen, where = _some_statement(draft, random), _some_statement(draft, random)
    if chosen is None or where is None or chosen.begin <= where.begin < chosen.end:
        return None
    return draft.replaced(where.begin, where.end, draft.text_between(chosen.begin, chosen.end))


def make_block(draft: Draft, random: Random) -> list[Token] | None:
    """`atomic` or `d_step` around a statement or two, or around a whole body."""
    chosen = _some_statement(draft, random)
    if chosen is None:
        return None
    end = chosen.end
    following = [s for s in draft.outline.statements if s.sequence == chosen.sequence and s.begin > chosen.begin]
    if following and random.random() < 0.7:
        end = following[min(random.randrange(3), len(following) - 1)].end
    return draft.wrapped(chosen.begin, end, random.choice(["atomic {", "d_step {"]), "}")


def change_block(draft: Draft, random: Random) -> list[Token] | None:
    """An `atomic` becomes a `d_step` or the other way round, or only braces are left."""
    places = draft.positions("atomic", "d_step")
    if not places:
        return None
    at = random.choice(places)
    other = "d_step" if draft.texts[at] == "atomic" else "atomic"
    return draft.replaced(at, at + 1, random.choice([other, ""]))


def change_option(draft: Draft, random: Random) -> list[Token] | None:
    """Add `else` or `timeout`, take an option away, double one, or make its guard `else`."""
    if not draft.outline.options:
        return None
    begin, end = random.choice(draft.outline.options)
    way = random.randrange(5)
    if way == 0:
        return draft.replaced(end, end, random.choice([":: else", ":: else -> break", ":: else -> skip"]))
    if way == 1:
        return draft.replaced(end, end, random.choice([":: timeout -> skip", ":: timeout -> break", ":: true"]))
    if way == 2:
        return draft.replaced(begin, end, "")
    if way == 3:
        return draft.replaced(end, end, draft.text_between(begin, end))
    guard = next(s for s in draft.outline.statements if s.begin >= begin + 1)
    return draft.replaced(guard.begin, guard.end, random.choice(["else", "timeout", "true", "skip"]))


def insert_escape(draft: Draft, random: Random) -> list[Token] | None:
    chosen, other = _some_statement(draft, random), _some_statement(draft, random)
    if chosen is None or other is None:
        return None
    escape = draft.text_between(other.begin, other.end)
    condition = _some_condition(draft, random)
    return draft.wrapped(
        chosen.begin, chosen.end, "{", f"}} unless {{ {random.choice([condition, escape])}; {escape} }}"
    )


def insert_jump(draft: Draft, random: Random) -> list[Token] | None:
    chosen = _some_statement(draft, random)
    labels = _labels(draft)
    if chosen is None:
        return None
    jumps = ["break", *(f"goto {draft.texts[at]}" for at in labels)]
    return draft.replaced(chosen.begin, chosen.begin, f"{random.choice(jumps)} ;")


def change_jump(draft: Draft, random: Random) -> list[Token] | None:
    jumps, labels = draft.positions("goto"), _labels(draft)
    if not jumps or not labels:
        return None
    at = random.choice(jumps)
    return draft.replaced(at + 1, at + 2, draft.texts[random.choice(labels)])


def insert_label(draft: Draft, random: Random) -> list[Token] | None:
    chosen = _some_statement(draft, random, claims=True)
    if chosen is None or (chosen.opens_option and draft.texts[chosen.begin] == "else"):
        return None
    label = random.choice(["end", "accept", "progress"]) + random.choice(["", "_m"])
    return draft.replaced(chosen.begin, chosen.begin, f"{label} :")


def rename_label(draft: Draft, random: Random) -> list[Token] | None:
    """Everywhere, so that its jumps still find it: `end0` becomes `accept_end0`."""
    labels = _labels(draft)
    if not labels:
        return None
    old = draft.texts[random.choice(labels)]
    new = random.choice(["end_", "accept_", "progress_", "no_"]) + old
    return [Token(token.before, new if token.text == old else token.text) for token in draft.tokens]


def loop_statement(draft: Draft, random: Random) -> list[Token] | None:
    chosen = _some_statement(draft, random)
    if chosen is None:
        return None
    guard = random.choice(["", "(_nr_pr < 4) ->", f"{_some_condition(draft, random)} ->"])
    opening, ending = random.choice(
        [("do ::", ":: break od"), ("do ::", ":: else -> break od"), ("if ::", ":: else fi")]
    )
    return draft.wrapped(chosen.begin, chosen.end, f"{opening} {guard}", ending)


def loop_run(draft: Draft, random: Random) -> list[Token] | None:
    runs = [s for s in draft.plain_statements() if draft.texts[s.begin] == "run"]
    if not runs:
        return None
    chosen = random.choice(runs)
    guard = random.choice(["(_nr_pr < 3) ->", "(_nr_pr < 5) ->"])
    return draft.wrapped(chosen.begin, chosen.end, f"do :: {guard}", ":: else -> break od")


def insert_assertion(draft: Draft, random: Random) -> list[Token] | None:
    chosen = _some_statement(draft, random)
    if chosen is None:
        return None
    return draft.replaced(chosen.begin, chosen.begin, f"assert({_some_condition(draft, random)}) ;")


def insert_print(draft: Draft, random: Random) -> list[Token] | None:
    chosen = _some_statement(draft, random)
    if chosen is None:
        return None
    values = [*draft.variables.scalars, *(f"{name}[{random.randrange(4)}]" for name in draft.variables.arrays), "_pid"]
    return draft.replaced(chosen.begin, chosen.begin, f'printf("%d %d\\n", {random.choice(values)}, 1) ;')


def insert_choice(draft: Draft, random: Random) -> list[Token] | None:
    """`select` or `for` over a variable."""
    chosen, names = _some_statement(draft, random), draft.variables.scalars
    if chosen is None or not names:
        return None
    name, low, high = random.choice(names), random.randrange(2), random.randrange(1, 3)
    if random.random() < 0.5:
        return draft.replaced(chosen.begin, chosen.begin, f"select ({name} : {low} .. {high}) ;")
    return draft.wrapped(chosen.begin, chosen.end, f"for ({name} : {low} .. {high}) {{", "}")


def make_inline(draft: Draft, random: Random) -> list[Token] | None:
    """A statement of a process moves into an inline, or into a macro, that is called in its place."""
    chosen = [s for s in draft.plain_statements() if draft.outline.inside_body(s.begin)]
    if not chosen:
        return None
    statement = random.choice(chosen)
    body = draft.text_between(statement.begin, statement.end)
    if random.random() < 0.5:
        called, definition = "moved()", f"inline moved() {{ {body} }}"
    else:
        called, definition = "MOVED", f"#define MOVED {body}"
    return [
        *written(definition),
        Token("", ""),
        Token("\n", ""),
        *draft.replaced(statement.begin, statement.end, called),
    ]


def _some_statement(draft: Draft, random: Random, claims: bool = False) -> Statement | None:
    statements = draft.outline.statements if claims else draft.plain_statements()
    return random.choice(statements) if statements else None


def _some_condition(draft: Draft, random: Random) -> str:
    """One of the program's own, or a new one."""
    own = [draft.text_between(s.begin, s.end) for s in draft.conditions()]
    new = [
        f"({name} {random.choice(['==', '!=', '<', '>'])} {random.randrange(3)})" for name in draft.variables.scalars
    ]
    new += [f"(len({name}) {random.choice(['==', '<', '>'])} 1)" for name in draft.variables.channels]
    new += [f"{random.choice(['empty', 'nempty', 'full', 'nfull'])}({name})" for name in draft.variables.channels]
    new += ["(_nr_pr > 1)", "(_pid == 0)", "false", "true"]
    return random.choice(own if own and random.random() < 0.4 else new)


def _labels(draft: Draft) -> list[int]:
    texts = draft.texts
    return [
        at
        for at, text in enumerate(texts[:-1])
        if text.isidentifier() and texts[at + 1] == ":" and draft.outline.inside_body(at) and texts[at - 1] != "("
    ]


STATEMENTS: tuple[Mutation, ...] = (
    swap_statements,
    delete_statement,
    duplicate_statement,
    move_statement,
    make_block,
    make_block,
    change_block,
    change_option,
    change_option,
    insert_escape,
    insert_jump,
    change_jump,
    insert_label,
    rename_label,
    loop_statement,
    loop_run,
    insert_assertion,
    insert_print,
    insert_choice,
    make_inline,
)
