"""A simulated run in words and in JSON."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins
from rich.text import Text

from mule import numbers
from mule.model import Model
from mule.model.interpreter import Interpreter, State, Step
from mule.records import replace
from mule.report.json import Json, step_object
from mule.report.layout import Page
from mule.report.state import changes_between, summarise
from mule.report.trail import ExplainedAction, ExplainedStep, Movement, explain_step
from mule.report.trail_text import show_state, together
from mule.results import Trail, ViolationKind
from mule.simulation import Ending, Run, SimulatedStep, statements_of

_KINDS = {
    ViolationKind.ASSERTION: "assertion violated",
    ViolationKind.INVARIANT: "invariant violated",
    ViolationKind.MODEL_ERROR: "error of the model",
    ViolationKind.DEADLOCK: "no step is possible",
}


def explain(model: Model, step: SimulatedStep) -> ExplainedStep:
    """A step in words: its parts taken together."""
    parts = [explain_step(model, step.trail, index) for index in range(len(step.trail))]
    if step.failure is not None:
        parts[-1] = replace(parts[-1], actions=_up_to_the_failure(model, step, parts[-1].actions))
    if len(parts) == 1:
        return replace(parts[0], number=step.number)
    movers = {move.process for part in step.trail.taken for move in model.transitions[part.transition].moves}
    return replace(
        parts[0],
        number=step.number,
        text="; ".join(part.text for part in parts if part.text),
        movements=_joined([move for part in parts for move in part.movements]),
        changes=changes_between(model, step.first, step.after, frozenset(movers)),
        failure=step.failure,
        actions=tuple(action for part in parts for action in part.actions),
    )


def _up_to_the_failure(
    model: Model, step: SimulatedStep, actions: tuple[ExplainedAction, ...]
) -> tuple[ExplainedAction, ...]:
    """What is done before a step fails."""
    interpreter, state = Interpreter(model), step.after
    failing = model.transitions[step.trail.taken[-1].transition]
    if not interpreter.enabled(failing, state):
        # It is a guard that has no value: nothing is done at all.
        return tuple(replace(action, changes=(), output="", passed=None) for action in actions)
    if failing.asserts:
        # A violated assertion has no effects, but the step that goes on behind it has those before it.
        told = statements_of(failing)
        for number, other in enumerate(model.transitions):
            if not other.asserts and statements_of(other)[: len(told)] == told and interpreter.enabled(other, state):
                passing = Trail(model, (state,), (Step(number, 0, state, step.failure),))
                return explain_step(model, passing, 0).actions[: len(actions)]
    return actions


def _joined(movements: list[Movement]) -> tuple[Movement, ...]:
    """For each process its first source and its last target."""
    whole: dict[str, Movement] = {}
    for move in movements:
        first = whole.setdefault(move.process, move)
        whole[move.process] = replace(first, target=move.target)
    return tuple(whole.values())


def output_of(step: ExplainedStep) -> str:
    """What the program itself printed in a step."""
    return "".join(action.output for action in step.actions)


# text -----------------------------------------------------------------------------------------------------------------


def headline(model: Model, seed: int, page: Page) -> None:
    page.item("", f"{model.name} ({model.language}), seed {seed}")


def show_ending(model: Model, state: State, steps: int, ending: Ending | None, why: str, page: Page) -> None:
    """Why the run is over; `why`: where it could have gone on. Below it, the last state."""
    signs = page.signs
    after = f"after {numbers.count(steps, 'step')}"
    page.blank()
    if ending is None:
        page.item("", Text.assemble((f"{signs.open} stopped", "bold yellow"), f" {after}: {why}"))
    elif ending.violation is None:
        page.item("", Text.assemble((f"{signs.good} ended", "bold green"), f" {after}: {ending.message}"))
    else:
        page.item(
            "",
            Text.assemble(
                (f"{signs.bad} violated", "bold red"), (f" {after}: {together(model, in_words(ending))}", "red")
            ),
        )
        if ending.before:
            page.item("  ", Text("the state before that step:", style="dim"))
    show_state(model, state, page)


def show_run_ending(run: Run, page: Page) -> None:
    """Why a simulated run is over, or that it is not."""
    why = "it can go on" if run.ending is None else ""
    show_ending(run.model, run.simulator.state, len(run.steps), run.ending, why, page)


def in_words(ending: Ending) -> str:
    if ending.violation is None:
        return ending.message
    kind = _KINDS[ending.violation]
    # Most messages begin with what they are.
    told = ending.message.startswith((ending.violation.value, "invalid end state", "deadlock"))
    return ending.message if told else f"{kind}: {ending.message}"


# JSON -----------------------------------------------------------------------------------------------------------------


def beginning_object(model: Model, seed: int) -> Json:
    """The first line: what is simulated."""
    initial = to_builtins(summarise(model, model.initial_state))
    return {"model": model.name, "language": model.language, "seed": seed, "initial_state": initial}


def simulated_object(step: ExplainedStep) -> Json:
    """A line for each step: what `mule check --json` tells of it, with its number, its place and its output."""
    place: Any = to_builtins(step.place) if step.place else None
    return {"step": step.number, **step_object(step), "place": place, "output": output_of(step)}


def ending_object(model: Model, state: State, steps: int, ending: Ending | None, why: str) -> Json:
    """The last line."""
    kind = "stopped" if ending is None else "end" if ending.violation is None else ending.violation.value
    return {
        "end": kind,
        "message": why if ending is None else ending.message,
        "steps": steps,
        "final_state": to_builtins(summarise(model, state)),
    }
