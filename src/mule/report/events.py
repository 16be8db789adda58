"""What happens in a run, row by row, and which messages are on their way from one row to another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mule.errors import printable
from mule.model import Model, Outcome, Receive, Send
from mule.model.interpreter import Interpreter, Step
from mule.records import Record
from mule.report.state import written
from mule.report.trail import ExplainedAction, ExplainedStep, Passed, explain_step
from mule.simulation import SimulatedStep

_SYNC = re.compile(r"\bsync ([^;|]+)")
"""What is passed in a rendezvous of DVE, among guards and effects."""


class Row(Record, frozen=True):
    """Something that one process does at one time."""

    step: int
    process: str
    text: str
    crash: bool = False
    fails: bool = False


class Arrow(Record, frozen=True):
    """A message from the row where it is sent to the row where it is received; the same row in a rendezvous."""

    text: str
    source: str
    target: str | None
    """None: it is still on its way, and the language does not tell to whom."""
    sent: int
    received: int | None
    """The row; None: it is still on its way at the end."""
    lost: bool = False
    """Whether it ends in that row without being received."""


class Story:
    """A run as a chart tells it."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.arrows: list[Arrow] = []
        self._on_the_way: list[tuple[Passed, str, str | None, int]] = []
        """Messages that were sent: who sent them, who will receive them, if that is known, and the row."""

    @property
    def ends(self) -> list[Arrow]:
        """All arrows, those included whose messages were not received."""
        waiting = [Arrow(_label(passed), source, to, row, None) for passed, source, to, row in self._on_the_way]
        return [*self.arrows, *waiting]

    def add(self, step: int, process: str, text: str, crash: bool = False, fails: bool = False) -> int:
        self.rows.append(Row(step, process, text, crash, fails))
        return len(self.rows) - 1

    def meet(self, step: int, sender: str, receiver: str, text: str) -> None:
        row = self.add(step, sender, text)
        self.arrows.append(Arrow(text, sender, receiver, row, row))

    def send(self, step: int, process: str, passed: Passed) -> None:
        for to in passed.receivers or (None,):
            row = self.add(step, process, _label(passed))
            self._on_the_way.append((passed, process, to, row))

    def receive(self, step: int, process: str, passed: Passed) -> None:
        """The oldest message that can be the one: in a channel, or from the sender to the receiver."""
        row = self.add(step, process, _label(passed))
        self._arrive(row, process, passed)

    def lose(self, step: int, passed: Passed) -> None:
        receiver = passed.receivers[0]
        row = self.add(step, receiver, f"{_label(passed)} is lost")
        self._arrive(row, receiver, passed)

    def _arrive(self, row: int, process: str, passed: Passed) -> None:
        for position, (sent, source, to, begun) in enumerate(self._on_the_way):
            same = sent.channel == passed.channel and (
                sent.values == passed.values or (passed.lost and not passed.values)
            )
            if same and to in (None, process) and passed.sender in (None, source):
                self.arrows.append(Arrow(_label(sent), source, process, begun, row, passed.lost))
                if not passed.stays:
                    del self._on_the_way[position]
                return


def _label(passed: Passed) -> str:
    if passed.sender is None and not passed.receivers:
        return passed.text
    return f"{passed.channel} {passed.values}".rstrip()


def story_of(model: Model, run: Sequence[SimulatedStep]) -> Story:
    story = Story()
    for step in run:
        for index, part in enumerate(step.trail.taken):
            explained = explain_step(model, step.trail, index)
            if explained.actions:
                _tell_actions(story, model, step.number, explained)
            elif explained.movements:
                _tell_transition(story, model, step, index, explained, part)
            if part.failure is not None and explained.movements:
                story.add(step.number, explained.movements[0].process, part.failure, fails=True)
    return story


def _tell_actions(story: Story, model: Model, number: int, explained: ExplainedStep) -> None:
    actions, met = explained.actions, False
    for action, following in zip(actions, (*actions[1:], None), strict=True):
        process, passed = action.process or "", action.passed
        if met:
            met = False
        elif passed is not None and passed.lost:
            story.lose(number, passed)
        elif passed is not None and following is not None and _meet(action, following):
            story.meet(number, process, following.process or "", passed.text)
            met = True
        elif passed is not None and passed.sends:
            story.send(number, process, passed)
        elif passed is not None:
            story.receive(number, process, passed)
        elif process and not action.output and not (explained.failure and action.text == "fails"):
            _tell_statement(story, model, number, process, action)
        for line in printable(action.output).splitlines():
            if line:
                story.add(number, process, f'"{line}"')


def _tell_statement(story: Story, model: Model, number: int, process: str, action: ExplainedAction) -> None:
    queued = list(_queued(model, action))
    for each in queued:
        (story.send if each.sends else story.receive)(number, process, each)
    if not queued:
        story.add(number, process, action.text, crash=action.crash)


def _meet(sends: ExplainedAction, receives: ExplainedAction) -> bool:
    """Within a step control passes from one process to another in a rendezvous alone."""
    return sends.process != receives.process and receives.passed is not None and not receives.passed.sends


def _queued(model: Model, action: ExplainedAction) -> Iterator[Passed]:
    """What comes into the channels and goes out of them, where the language does not tell."""
    names = {channel.name for channel in (*model.channels, *model.buffers)}
    for change in action.changes:
        old, new = change.old, change.new
        if change.name not in names or not isinstance(old, tuple) or not isinstance(new, tuple):
            continue
        gone = next(count for count in range(len(old) + 1) if old[count:] == new[: len(old) - count])
        yield from (Passed(change.name, written(each), False) for each in old[:gone])
        yield from (Passed(change.name, written(each), True) for each in new[len(old) - gone :])


def _tell_transition(
    story: Story, model: Model, step: SimulatedStep, index: int, explained: ExplainedStep, part: Step
) -> None:
    """Of a language that does not tell what its steps are made of: two that move meet, statements send and receive."""
    transition = model.transitions[part.transition]
    names = [move.process for move in explained.movements]
    if part.failure is not None:
        return
    if len(names) > 1:
        sync = _SYNC.search(explained.text)
        story.meet(step.number, names[0], names[1], sync[1].strip() if sync else explained.text or explained.name)
        return
    interpreter, state = Interpreter(model), step.trail.states[index]
    told = False
    for statement in transition.outcomes[part.outcome].statements:
        if isinstance(statement, Send):
            values = [interpreter.evaluate(value, state) for value in statement.values]
            story.send(step.number, names[0], Passed(statement.channel.name, ", ".join(map(str, values)), True))
            told = True
        elif isinstance(statement, Receive):
            values = [state[model.slot_of[field]] for field in statement.channel.fields]
            story.receive(step.number, names[0], Passed(statement.channel.name, ", ".join(map(str, values)), False))
            told = True
        state = interpreter.run(Outcome((statement,)), state)
    if not told:
        move = explained.movements[0]
        story.add(step.number, names[0], explained.text or f"{move.source} -> {move.target}")
