"""Differences from SPIN that docs/promela.md or docs/ltl.md explains.

Where one can tell by an experiment, the program is changed so that the reason is gone, and both tools are asked again:
only if they agree then is it the reason. What is not recognised here is a defect, of this file or of Mule.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mule.frontends.promela.preprocessor import preprocess
from tests.differential.mutant_questions import (
    HOLDS,
    TEMPORAL,
    Comparison,
    SpinOpinion,
    compare_with_mule,
    spin_opinion,
)
from tests.differential.mutation.source import outline, tokens_of
from tests.differential.spin_runner import Difference, NotComparableError

ACCEPTS_MORE = {
    "X in formulas": r"expected predicate, saw 'X'",
    "a label with the name of an mtype constant, in a formula": r"syntax error\s+saw 'a constant'",
    "a variable with the name of an operator, in a formula": (
        r"syntax error\s+saw '\d+' near '(always|eventually|until|(weak|strong)until|implies|equivalent|release|next)'"
    ),
    "else beside sends and receives, with xr or xs": r"invalid use of 'else' combined with i/o and xr/xs assertions",
    "a break that leads to a d_step": r"Error: jump into d_step sequence",
    "xr or xs of one channel in two processes": r"x\[rs\] claims from",
    "a d_step that begins with a look at a channel": r"gcc: pan.m:\S+ error: expected ‘\)’ before ‘return’",
    "?? in a program without channels": r"gcc: pan.m:\S+ error: too many arguments to function ‘Q_has’",
    "a jump to a d_step that is left out": r"gcc: pan.m:\S+ error: label ‘S_\d+_0’ used but not defined",
}
"""What SPIN cannot read and Mule can, by SPIN's message."""

REFUSED = (
    r"the label `\w+` must stand before the (`do`|`if`|block)",
    "`_pid` cannot be assigned to",
    "is a rendezvous channel: it never holds a message",
)
"""What SPIN accepts and Mule does not, by Mule's message."""


@dataclass(frozen=True, slots=True)
class Case:
    program: str
    difference: Difference
    note: str
    opinion: SpinOpinion | None


def explanation(program: str, found: Comparison, which: int, opinion: SpinOpinion | None) -> str | None:
    case = Case(program, found.differences[which], found.notes[which], opinion)
    return next((name for name, explains in EXPLANATIONS.items() if explains(case)), None)


def _accepts_more(case: Case) -> bool:
    return case.difference.about == "accepted" and any(
        re.search(pattern, case.difference.spin) for pattern in ACCEPTS_MORE.values()
    )


def _end_of_fair_runs(case: Case) -> bool:
    """`pan -f` reports no run that ends and stutters."""
    fair = " -f," in case.difference.about
    return fair and (case.difference.spin, case.difference.mule) == (HOLDS, TEMPORAL) and "[the run ends]" in case.note


def _accepting_processes(case: Case) -> bool:
    """`pan -a` takes the accept labels of processes for part of the claim."""
    if not case.difference.about.startswith("claim") or case.difference.spin != TEMPORAL:
        return False
    return _agree_about(_without_accepting_processes(case.program), case.difference.about)


def _without_accepting_processes(program: str) -> str:
    tokens = tokens_of(program)
    bodies = outline(tokens).bodies
    pieces = []
    for at, token in enumerate(tokens):
        inside = any(begin < at < end for begin, end in bodies)
        named = token.text.startswith("accept") and tokens[at + 1 : at + 2]
        renamed = named and (
            tokens[at - 1].text == "@" or (inside and (tokens[at + 1].text == ":" or tokens[at - 1].text == "goto"))
        )
        pieces.append(token.before + ("no_" if renamed else "") + token.text)
    return "".join(pieces) + "\n"


def _counts_the_claim(case: Case) -> bool:
    """To SPIN the claim is a process too: with it, `_nr_pr` is one more, in the claim and in the program."""
    return case.difference.about.startswith("claim") and "_nr_pr" in case.program


def _progress_at_the_end(case: Case) -> bool:
    """Where a run has ended, SPIN's `np_` is false."""
    return case.difference.about.startswith("claim") and "np_" in _claims(case.program)


def _timeout_in_claim(case: Case) -> bool:
    return case.difference.about.startswith("claim") and "timeout" in _claims(case.program)


def _claims(program: str) -> str:
    return " ".join(re.findall(r"\b(?:never|ltl)\b.*", program, re.DOTALL))


def _refused(case: Case) -> bool:
    """What docs/promela.md lists as refused."""
    return case.difference.about == "rejected" and any(re.search(each, case.note) for each in REFUSED)


def _division_by_zero(case: Case) -> bool:
    return "division by zero" in case.note


def _wrong_number_of_fields(case: Case) -> bool:
    return re.search(r"a message of .* has \d+ fields, not \d+", case.note) is not None


def _narrow_receive(case: Case) -> bool:
    """pan puts what a narrow variable made of a message back into the channel."""
    if "?" not in case.program or not re.search(r"\b(bit|bool|byte|short|pid|mtype)\b", case.program):
        return False
    wide = re.sub(r"\b(bit|bool|byte|short|pid)\b", "int", case.program)
    return _agree_about(wide, case.difference.about)


def _step_begins_with_braces(case: Case) -> bool:
    """Whether a `d_step` that begins with an `if` or `do` waits, pan does not see from options in braces."""
    if not case.difference.about.startswith("errors of the model") or "d_step" not in case.program:
        return False
    unbraced = _without_braces_in_steps(case.program)
    return unbraced != case.program and _is_same(unbraced)


def _without_braces_in_steps(program: str) -> str:
    """`:: atomic { x }` as `:: x`, inside every `d_step`."""
    tokens = tokens_of(program)
    dropped: set[int] = set()
    ends: list[tuple[bool, int | None]] = []
    """For each open brace whether it is in a `d_step`, and its own number if it is to be dropped."""
    for at, token in enumerate(tokens):
        if token.text == "{":
            inside = bool(ends) and ends[-1][0]
            first = at - 1 if tokens[at - 1].text == "atomic" else at
            drops = inside and tokens[first - 1].text == "::"
            if drops:
                dropped |= {first, at}
            ends.append((inside or tokens[at - 1].text == "d_step", at if drops else None))
        elif token.text == "}" and ends and ends.pop()[1] is not None:
            dropped.add(at)
    return "".join(token.before + ("" if at in dropped else token.text) for at, token in enumerate(tokens)) + "\n"


def _option_begins_with_options(case: Case) -> bool:
    """What stands behind an `if` at the beginning of an option of a `d_step` is a condition of that option to pan.

    Where it cannot be executed, pan goes on with the next option, and keeps what the `if` has done.
    """
    if "d_step" not in case.program:
        return False
    expanded = preprocess(case.program, "mutant.pml").text
    guarded = _with_guards_in_steps(expanded)
    return guarded != expanded and _is_same(guarded)


def _with_guards_in_steps(program: str) -> str:
    """`:: if` as `:: true; if`, and so for `do`, inside every `d_step`."""
    tokens = tokens_of(program)
    pieces = []
    inside: list[bool] = []
    for at, token in enumerate(tokens):
        if token.text == "{":
            inside.append(tokens[at - 1].text == "d_step" or (bool(inside) and inside[-1]))
        elif token.text == "}" and inside:
            inside.pop()
        guarded = bool(inside) and inside[-1] and token.text in ("if", "do") and tokens[at - 1].text == "::"
        pieces.append(token.before + ("true; " if guarded else "") + token.text)
    return "".join(pieces) + "\n"


def _is_same(program: str) -> bool:
    try:
        found = compare_with_mule(program, spin_opinion(program))
    except NotComparableError:
        return False
    return bool(found.asked) and not found.differences


def _receives_from_nowhere(case: Case) -> bool:
    """Where all channels are rendezvous channels, pan does not notice that a variable holds none."""
    if "holds no channel that could be received from" not in case.note:
        return False
    with_a_buffer = f"chan one_more = [1] of {{ byte }};\n{case.program}"
    return _agree_about(with_a_buffer, case.difference.about, errors=True)


def _agree_about(program: str, about: str, errors: bool = False) -> bool:
    """`errors`: that there is an error of the model."""
    try:
        opinion = spin_opinion(program)
    except NotComparableError:
        return False
    if errors and not opinion.model_errors:
        return False
    found = compare_with_mule(program, opinion, None if errors else about)
    return bool(found.asked) and not found.differences


EXPLANATIONS: dict[str, Callable[[Case], bool]] = {
    "SPIN reads less": _accepts_more,
    "refused": _refused,
    "weak fairness at the end of finite runs (docs/ltl.md)": _end_of_fair_runs,
    "division by zero": _division_by_zero,
    "a message with other fields": _wrong_number_of_fields,
    "_nr_pr beside a claim": _counts_the_claim,
    "np_ in a claim": _progress_at_the_end,
    "timeout in a claim": _timeout_in_claim,
    "accept labels of processes beside a claim": _accepting_processes,
    "receive into a narrow variable": _narrow_receive,
    "receive from a variable without a channel": _receives_from_nowhere,
    "a d_step that begins with options in braces": _step_begins_with_braces,
    "an option of a d_step that begins with options": _option_begins_with_options,
}
