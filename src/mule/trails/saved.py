"""Trails in files: what `mule check --json` printed, or `mule trail -o` saved."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, get_args

from mule.errors import MuleError, Place
from mule.frontends import read_text
from mule.options import Fairness
from mule.records import Record
from mule.results import ViolationKind

HOW_TO_SAVE = "`mule check MODEL --json > FILE` saves the trail of what it finds"


SPIN_LINE = re.compile(r"(-?\d+):(-?\d+):(-?\d+)")
"""How every line of a trail of SPIN begins."""


SPIN_SUFFIX = ".trail"


def is_spin_trail(text: str) -> bool:
    """Also a text without any line, which SPIN writes where the initial state is in error."""
    return not text or SPIN_LINE.match(text.lstrip()) is not None


class SavedStep(Record, frozen=True):
    """A step as the file tells it."""

    transition: int
    name: str
    text: str
    movers: tuple[str, ...]
    """The processes that take part, the initiator first."""
    told: dict[str, Any]
    """The whole step, as `mule.report.json` writes it."""

    @property
    def key(self) -> tuple[str, str, tuple[str, ...]]:
        """By what a transition of another model is recognised as the same."""
        return self.name, self.text, self.movers

    @property
    def failure(self) -> str | None:
        return self.told.get("failure")


class SavedTrail(Record, frozen=True):
    file: str
    model: str
    """The name of the model that the trail is of."""
    kind: ViolationKind
    property: str
    steps: tuple[SavedStep, ...]
    loop: int | None = None
    fairness: Fairness = "none"
    """Which runs the search counted that found it."""


def read_trail_text(file: str) -> str:
    """The text of a file with a trail; `-` is standard input."""
    try:
        return read_text(file)
    except MuleError as error:
        if "expected a model" not in error.message:
            raise
        if file.endswith(SPIN_SUFFIX):  # the error is in the initial state
            return ""
        what = error.message.partition(",")[0]
        raise MuleError(f"{what}, expected a trail: {HOW_TO_SAVE}", error.place) from None


def parse_saved(text: str, file: str, wanted: str | None = None) -> SavedTrail:
    """The trail in a text; `wanted`: of which violation, by (a part of) the property or by the kind."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise MuleError(_not_json(text, error), Place(file, error.lineno, error.colno)) from None
    except (ValueError, RecursionError):
        raise MuleError(f"a number in it is too long, or it is nested too deeply: {HOW_TO_SAVE}", Place(file)) from None
    if not isinstance(found, dict) or not isinstance(found.get("violations"), list):
        raise MuleError(f"there is no trail in it: {HOW_TO_SAVE}", Place(file))
    violations = found["violations"]
    if not violations:
        verdict = found.get("verdict")
        known = f"its verdict is {verdict!r}" if verdict else "nothing was judged"
        raise MuleError(f"there is no violation in it, so there is no trail ({known}): {HOW_TO_SAVE}", Place(file))
    try:
        return _read(found, _chosen(violations, wanted, file), file)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise MuleError(f"the trail in it cannot be read ({error!r}): {HOW_TO_SAVE}", Place(file)) from None


def _not_json(text: str, error: json.JSONDecodeError) -> str:
    first = text.lstrip().partition("\n")[0]
    if first.startswith("{") and error.msg == "Extra data":
        return f"there is more than one JSON object in it, as in a simulated run: {HOW_TO_SAVE}"
    return f"this is neither JSON nor a trail of SPIN ({error.msg}): {HOW_TO_SAVE}"


def _chosen(violations: Sequence[dict[str, Any]], wanted: str | None, file: str) -> dict[str, Any]:
    named = [f"{each['kind']}: {each['property']}" for each in violations]
    if wanted is None:
        if len(violations) > 1:
            raise MuleError(f"there are {len(violations)} violations in it: {_choose(named)}", Place(file))
        return violations[0]
    exact = [each for each in violations if wanted in (each["property"], each["kind"])]
    part = [each for each, name in zip(violations, named, strict=True) if wanted in name]
    fitting = exact or part
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise MuleError(f"{len(fitting)} violations in it fit {wanted!r}: {_choose(named)}", Place(file))
    raise MuleError(f"no violation in it fits {wanted!r}: {_choose(named)}", Place(file))


def _choose(named: Sequence[str]) -> str:
    return "choose one with --property, by a part of its text:" + "".join(f"\n    {each}" for each in named)


def _read(whole: dict[str, Any], violation: dict[str, Any], file: str) -> SavedTrail:
    steps = tuple(
        SavedStep(
            int(step["transition"]),
            step["name"],
            step["text"],
            tuple(move["process"] for move in step["moves"]),
            step,
        )
        for step in violation["trail"]
    )
    loop = violation["loop"]
    if loop is not None and not (type(loop) is int and 0 <= loop <= len(steps)):
        raise ValueError(f"loop {loop!r} of {len(steps)} steps")
    kind, text = ViolationKind(violation["kind"]), str(violation["property"])
    return SavedTrail(file, str(whole["model"]), kind, text, steps, loop, _fairness(whole, kind, text))


def _fairness(whole: dict[str, Any], kind: ViolationKind, text: str) -> Fairness:
    """Which runs counted in the search for this property; files that do not tell had no fairness."""
    searches = [each for each in whole.get("searches", ()) if f"{kind.value} {text}" in each["property"]]
    options = searches[-1]["options"] if searches else whole.get("options") or {}
    given: Any = options.get("fairness")
    return given if given in get_args(Fairness) else "none"
