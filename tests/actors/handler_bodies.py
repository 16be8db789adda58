"""Bodies of handlers, compiled, and run by Python itself on the same classes: are the fields and messages the same?

python -m tests.actors.handler_bodies --count 2000 --seed 0
python -m tests.actors.handler_bodies --count 300 --seed 0 --boxes

Each body must do what Python does, for each of some inputs, or be refused."""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from unittest import mock

from mule.actors import Message, Process, System
from mule.errors import MuleError
from mule.frontends.actors import paths
from mule.frontends.actors.loading import load_system
from mule.frontends.actors.running import running
from mule.frontends.actors.tallies import Room
from mule.frontends.actors.translation import translate
from mule.frontends.actors.types import Kind, ListKind, hints, kind_of
from mule.model import Kind as Kinds
from mule.model import Model
from mule.model.interpreter import Failure, Interpreter, State
from tests.actors.bodies import Writer
from tests.actors.body_header import HEADER
from tests.actors.box_bodies import HEADER as BOX_HEADER
from tests.actors.box_bodies import BoxWriter

FAILS = "fails"
Outcome = tuple[Any, ...] | str
"""The codes of all fields and of the messages that were sent, or that the handler fails."""
INPUTS = 5
MOST_CHOICES = 200
MOST_MESSAGES = 12
MOST_PATHS = 64
"""Bodies with more of them take longer than they tell."""


class Different(AssertionError):  # noqa: N818 - an answer
    """The model does what Python does not."""


@dataclass(frozen=True)
class Compared:
    refused: str = ""
    inputs: int = 0
    failures: int = 0


def compare(seed: int, writing: type[Writer] = Writer, header: str = HEADER) -> Compared:
    """Raises Different where the model means something else than Python."""
    writer = writing(seed)
    body = writer.body()
    text = header.replace("BODY", body)
    compile(text, "body.py", "exec")
    try:
        system = load_system(text, f"body_{seed}.py")
        told = sys.modules[type(system.processes[0]).__module__].Told
        with mock.patch.object(paths, "MOST_PATHS", MOST_PATHS):
            model = translate(system, {told: Room(MOST_MESSAGES)})
    except MuleError as error:
        if error.place is None or error.place.line is None:
            raise Different(f"refused without a place: {error}\n{body}") from None
        return Compared(refused=error.message)
    if writer.impure:
        raise Different(f"what is not pure is compiled\n{body}")
    failures = 0
    chosen = random.Random(seed)
    for _ in range(INPUTS):
        values = _input(system, chosen)
        wanted, found = set(_python(system, values)), set(_compiled(model, system, values))
        exactly = wanted == found or (writer.any_order and wanted <= found)
        if not exactly:
            raise Different(f"with {values}\n{body}\nPython: {wanted}\nmodel:  {found}")
        failures += FAILS in wanted
    return Compared(inputs=INPUTS, failures=failures)


# inputs ---------------------------------------------------------------------------------------------------------------


def _kinds(system: System, process: Process) -> dict[str, Kind | ListKind]:
    """The fields that are state, with their kinds."""
    known = {"n", "big", "flag", "color", "maybe", "cells", "more", "seen", "met", "few"}
    found = {}
    for name, annotation in hints(type(process)).items():
        if name in known:
            kind = kind_of(annotation, system.processes, getattr(process, name))
            assert isinstance(kind, Kind | ListKind)
            found[name] = kind
    return found


def _input(system: System, chosen: random.Random) -> list[dict[str, Any]]:
    """Random values for the fields of each process."""
    return [
        {name: _value(kind, chosen) for name, kind in _kinds(system, process).items()} for process in system.processes
    ]


def _value(kind: Kind | ListKind, chosen: random.Random) -> Any:
    if isinstance(kind, ListKind):
        return [_value(kind.element, chosen) for _ in range(kind.length)]
    values = kind.values()
    return chosen.choice(values if len(values) < 50 else values[95:104])


# Python itself --------------------------------------------------------------------------------------------------------


class _Context:
    def __init__(self, given: list[int]) -> None:
        self.given = given
        self.widths: list[int] = []
        self.sent: list[Message] = []

    def send(self, to: Process, message: Message) -> None:
        self.sent.append(message)

    def choose(self, options: list[Any]) -> Any:
        position = len(self.widths)
        self.widths.append(len(options))
        return options[self.given[position] if position < len(self.given) else 0]


def _python(system: System, values: list[dict[str, Any]]) -> Iterator[Outcome]:
    """What the handler does when Python runs it, for every way to choose."""
    keen, subject = system.processes
    pending: list[list[int]] = [[]]
    while pending:
        given = pending.pop()
        for process, fields in zip(system.processes, values, strict=True):
            for name, value in fields.items():
                process.__dict__[name] = set(value) if name in ("seen", "met") else _copied(value)
        go = sys.modules[type(keen).__module__].Go(
            *(getattr(keen, each) for each in ("n", "flag", "color", "maybe", "few"))
        )
        context = _Context(given)
        try:
            with running(context):
                subject.act(go.sent_by(keen))  # type: ignore[attr-defined]
            yield _after(system, subject, context.sent)
        except Exception:
            yield FAILS
        for position in range(len(given), len(context.widths)):
            prefix = [*given, *[0] * (position - len(given))]
            pending += [[*prefix, other] for other in range(1, context.widths[position])]
        assert len(pending) < MOST_CHOICES


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


def _after(system: System, subject: Process, sent: list[Message]) -> Outcome:
    """The codes of the fields; a number out of its range in a list, or another type, is an error as in the model."""
    found: list[Any] = []
    for name, kind in _kinds(system, subject).items():
        value = getattr(subject, name)
        element = kind.element if isinstance(kind, ListKind) else kind
        codes = [element.encode(each) for each in (value if isinstance(kind, ListKind) else [value])]
        if any(code is None or not element.low <= code <= element.high for code in codes):
            return FAILS
        found += codes
    messages = sorted((message.n, message.flag, message.color.value) for message in sent)  # type: ignore[attr-defined]
    return (*found, *messages)


# the model ------------------------------------------------------------------------------------------------------------


def _compiled(model: Model, system: System, values: list[dict[str, Any]]) -> Iterator[Outcome]:
    interpreter = Interpreter(model)
    state = list(interpreter.initial)
    for process, fields in zip(system.processes, values, strict=True):
        kinds = _kinds(system, process)
        for name, value in fields.items():
            slot, kind = _slot(model, process, name), kinds[name]
            if isinstance(kind, ListKind):
                state[slot : slot + kind.length] = [kind.element.encode(each) or 0 for each in value]
            else:
                code = kind.encode(value)
                assert code is not None
                state[slot] = code
    kicked = [step.target for step in interpreter.steps(tuple(state)) if _is(model, step.transition, "keen: kick")]
    assert len(kicked) == 1, f"{len(kicked)} ways to kick"
    yield from _acts(model, interpreter, system, kicked[0])


def _acts(model: Model, interpreter: Interpreter, system: System, state: State) -> Iterator[Outcome]:
    try:
        steps = list(interpreter.steps(state))
    except Failure:
        yield FAILS
        return
    for step in steps:
        if not _is(model, step.transition, "subject: act"):
            continue
        if step.failure is not None or model.transitions[step.transition].kind is Kinds.ERROR:
            yield FAILS
            continue
        found: list[Any] = []
        for name, kind in _kinds(system, system.processes[1]).items():
            slot = _slot(model, system.processes[1], name)
            size = kind.length if isinstance(kind, ListKind) else 1
            found += step.target[slot : slot + size]
        yield (*found, *_messages(model, step.target))


def _messages(model: Model, state: State) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    for channel in model.channels:
        if channel.name.startswith("Told"):
            length = state[model.slot_of[channel.length]]
            for cell in range(length):
                found.append(tuple(state[model.slot_of[field] + cell] for field in channel.fields))
    return sorted(found)


def _is(model: Model, transition: int, name: str) -> bool:
    return model.transitions[transition].name.startswith(name)


def _slot(model: Model, process: Process, name: str) -> int:
    return _slots(model)[f"{process.name}.{name}"]


@lru_cache(maxsize=1)
def _slots(model: Model) -> dict[str, int]:
    return {variable.name: slot for variable, slot in model.slot_of.items()}


# many -----------------------------------------------------------------------------------------------------------------


def main(count: int, first: int, with_boxes: bool = False) -> int:
    refusals: Counter[str] = Counter()
    right = wrong = inputs = failures = 0
    for seed in range(first, first + count):
        try:
            compared = compare(seed, BoxWriter, BOX_HEADER) if with_boxes else compare(seed)
        except Exception as error:
            wrong += 1
            print(f"seed {seed}: {type(error).__name__}: {error}\n", flush=True)
            continue
        if compared.refused:
            refusals[compared.refused.split(":")[0]] += 1
        else:
            right, inputs, failures = right + 1, inputs + compared.inputs, failures + compared.failures
    for message, times in refusals.most_common(15):
        print(f"{times:5} refused: {message}")
    print(
        f"{count} bodies: {right} do what Python does, for {inputs} inputs ({failures} of them with an exception), "
        f"{refusals.total()} are refused, {wrong} are otherwise"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--boxes", action="store_true", help="handlers change objects of dataclasses")
    given = parser.parse_args()
    sys.exit(main(given.count, given.seed, given.boxes))
