"""Trails in words: who moved, from where to where, what was done, and what changed."""

from __future__ import annotations

from mule.errors import Place
from mule.model import Message as SentMessage
from mule.model import Model, Outcome, Transition
from mule.model.interpreter import Failure, Interpreter, State
from mule.records import Record
from mule.report.state import Change, changes_between
from mule.trails import Trail


class Movement(Record, frozen=True):
    """One process going from one control location to another (or staying where it is)."""

    process: str
    source: str
    target: str


class Passed(Record, frozen=True):
    """A message that is sent, received or lost; names where the language tells."""

    channel: str
    values: str
    sends: bool
    sender: str | None = None
    receivers: tuple[str, ...] = ()
    stays: bool = False
    lost: bool = False

    @property
    def text(self) -> str:
        return f"{self.channel}{'!' if self.sends else '?'}{self.values}"


class ExplainedAction(Record, frozen=True):
    """One of the statements that a step is made of."""

    process: str | None
    text: str
    place: Place | None
    changes: tuple[Change, ...]
    output: str
    """What it printed."""
    passed: Passed | None = None
    """What it sent or received."""
    crash: bool = False
    """Whether the process stops for ever."""

    @property
    def message(self) -> str:
        """What it sent or received, with the values: `c!5`, `c?5`."""
        return "" if self.passed is None or self.passed.lost else self.passed.text


class ExplainedStep(Record, frozen=True):
    number: int
    """Counts from 1."""
    transition: int
    name: str
    text: str
    place: Place | None
    movements: tuple[Movement, ...]
    """The initiator first."""
    changes: tuple[Change, ...]
    """What changed besides the control locations in `movements`."""
    failure: str | None
    actions: tuple[ExplainedAction, ...] = ()
    """Where the model tells what the step is made of: its statements, up to the one that fails."""

    @property
    def process(self) -> str | None:
        return self.movements[0].process if self.movements else None


def explain_step(model: Model, trail: Trail, index: int) -> ExplainedStep:
    """The step `trail.taken[index]` in words."""
    step = trail.taken[index]
    transition = model.transitions[step.transition]
    movements = tuple(
        Movement(
            model.processes[move.process].name,
            model.processes[move.process].locations[move.source],
            model.processes[move.process].locations[move.target],
        )
        for move in (() if model.told else transition.moves)
    )
    changes: tuple[Change, ...] = ()
    movers = frozenset(move.process for move in transition.moves)
    if step.failure is None:
        changes = changes_between(model, trail.states[index], trail.states[index + 1], movers)
    return ExplainedStep(
        number=index + 1,
        transition=step.transition,
        name=transition.name,
        text=transition.text,
        place=transition.place,
        movements=movements,
        changes=changes,
        failure=step.failure,
        actions=_actions(model, transition, step.outcome, trail.states[index], movers),
    )


def _actions(
    model: Model, transition: Transition, outcome: int, state: State, movers: frozenset[int]
) -> tuple[ExplainedAction, ...]:
    """What each action of a transition does, one after the other; one that fails is the last."""
    interpreter = Interpreter(model)
    statements = transition.outcomes[outcome].statements if transition.outcomes else ()
    found: list[ExplainedAction] = []
    done = 0
    for action in transition.actions:
        process = None if action.process is None else model.processes[action.process].name
        output = "".join(interpreter.printed(part, state) for part in action.output)
        passed = None if action.message is None else _passed(action.message, interpreter, state)
        text = "".join(interpreter.printed(part, state) for part in action.told) or action.text
        try:
            after = interpreter.run(Outcome(statements[done : action.done]), state)
        except Failure:
            found.append(ExplainedAction(process, text, action.place, (), output, passed, action.crash))
            break
        changes = changes_between(model, state, after, movers)
        found.append(ExplainedAction(process, text, action.place, changes, output, passed, action.crash))
        state, done = after, action.done
    return tuple(found)


def _passed(message: SentMessage, interpreter: Interpreter, state: State) -> Passed:
    processes = interpreter.model.processes
    return Passed(
        message.channel,
        ", ".join(interpreter.printed(value, state) for value in message.values),
        message.sends,
        None if message.sender is None else processes[message.sender].name,
        tuple(processes[each].name for each in message.receivers),
        message.stays,
        message.lost,
    )
