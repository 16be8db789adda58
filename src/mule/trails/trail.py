"""Runs of a model, and their steps as people ask for them: who did what, where it is written, and what it changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from mule.errors import Place
from mule.model import Model
from mule.model.interpreter import State as Slots
from mule.model.interpreter import Step as Taken

if TYPE_CHECKING:
    from mule.report.state import Value
    from mule.report.trail import ExplainedAction, ExplainedStep, Movement


@dataclass(frozen=True, slots=True)
class Trail:
    """A run from the initial state: a sequence of steps.

    >>> import mule
    >>> trail = mule.load("examples/broken_mutex.dve").check().violations[0].trail
    >>> for step in trail:
    ...     print(step.number, step.process, step.action, step.changes)
    1 left guard locked == 0 {}
    2 right guard locked == 0 {}
    3 left effect locked = 1 {'locked': (0, 1)}
    4 right effect locked = 1 {}
    >>> trail[-1].state["left"], trail[-1].state["locked"], trail[-1].source.line
    ('critical', 1, 25)
    """

    model: Model = field(repr=False, compare=False)
    states: Sequence[Slots]
    """The slots of each state: `taken[i]` leads from `states[i]` to `states[i + 1]`.

    Where the run ends in an error of the model, the last step has a `failure` and leads nowhere: then there are
    as many states as steps."""
    taken: Sequence[Taken]
    """The steps as the interpreter took them."""
    loop: int | None = None
    """Of an infinite run: how many steps lead to the state to which it comes back after the last one, for ever:
    `trail[:trail.loop]` come once, `trail[trail.loop:]` again and again. None for a run that ends."""

    def __len__(self) -> int:
        return len(self.taken)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        return self.steps[index]

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(Step(self, index) for index in range(len(self.taken)))

    @property
    def initial(self) -> State:
        """The state in which the run begins."""
        return State(self.model, self.states[0])

    @property
    def final(self) -> State:
        """The last state; where the last step fails, the one in which it does."""
        return State(self.model, self.states[-1])

    def __str__(self) -> str:
        from mule.report.plain import trail_text

        return trail_text(self)

    def __repr__(self) -> str:
        again = 0 if self.loop is None else len(self) - self.loop
        back = "" if self.loop is None else f", the last {again} for ever" if again else ", then nothing moves"
        return f"<Trail of {self.model.name}: {len(self)} steps{back}>"

    def _repr_html_(self) -> str:
        """A notebook shows the steps as a table."""
        from mule.report.notebook import trail_html

        return trail_html(self)


class ToldStep:
    """What can be asked of a step, in a trail or in a simulated run."""

    number: int
    """Counts from 1."""

    @property
    def explained(self) -> ExplainedStep:
        """All that there is to tell, as the reports use it."""
        raise NotImplementedError

    @property
    def process(self) -> str | None:
        """Who moves; of a rendezvous the sender. None for a rule without a process, and for the network."""
        told = next((action.process for action in self.actions if action.process is not None), None)
        return told or self.explained.process

    @property
    def action(self) -> str:
        """The statements as their author wrote them, on one line."""
        explained = self.explained
        return "; ".join(action.text for action in self.actions) or explained.text or explained.name

    @property
    def actions(self) -> tuple[ExplainedAction, ...]:
        """The statements one by one, each with `process`, `text`, `place`, `changes`, `output` and `message`; empty
        where the language does not tell them apart."""
        return self.explained.actions

    @property
    def source(self) -> Place | None:
        """Where the first statement is written: `file`, `line` and `column`."""
        first = next((action.place for action in self.actions if action.place is not None), None)
        return first or self.explained.place

    @property
    def moves(self) -> tuple[Movement, ...]:
        """Every process that takes part, the initiator first, with its `process`, `source` and `target`."""
        return self.explained.movements

    @property
    def changes(self) -> dict[str, tuple[Value, Value]]:
        """What changed besides the places of the processes in `moves`: the old and the new value, by name."""
        return {change.name: (change.old, change.new) for change in self.explained.changes}

    @property
    def output(self) -> str:
        """What the model printed."""
        return "".join(action.output for action in self.actions)

    def __str__(self) -> str:
        from mule.report.plain import step_text

        return step_text(self.explained)

    def __repr__(self) -> str:
        who = "" if self.process is None else f"{self.process}: "
        return f"<Step {self.number}: {who}{self.action}>"


class Step(ToldStep):
    """One step of a trail."""

    def __init__(self, trail: Trail, index: int) -> None:
        self.trail = trail
        self.index = index
        self.number = index + 1

    @cached_property
    def explained(self) -> ExplainedStep:
        from mule.report.trail import explain_step

        return explain_step(self.trail.model, self.trail, self.index)

    @property
    def before(self) -> State:
        return State(self.trail.model, self.trail.states[self.index])

    @property
    def state(self) -> State:
        """The state after the step; where the step fails, the one in which it does."""
        last = len(self.trail.states) - 1
        return State(self.trail.model, self.trail.states[min(self.index + 1, last)])

    @property
    def transition(self) -> int:
        """The number of the transition, as in `mule show`."""
        return self.trail.taken[self.index].transition

    @property
    def outcome(self) -> int:
        return self.trail.taken[self.index].outcome

    @property
    def failure(self) -> str | None:
        """What goes wrong in this step, where the model goes wrong or an assertion is violated."""
        return self.trail.taken[self.index].failure


class State(Mapping[str, Any]):
    """A state by the names of the model: where each process is, what each variable and each channel holds.

    An array can be asked for as a whole (`state["fork"]`) and for each element (`state["fork[2]"]`)."""

    def __init__(self, model: Model, slots: Slots) -> None:
        from mule.report.state import summarise

        self.slots = slots
        summary = summarise(model, slots)
        self.processes: dict[str, str] = summary.processes
        self.variables: dict[str, Any] = summary.variables
        self.channels: dict[str, Any] = summary.channels
        self._all = {**self.channels, **self.variables, **self.processes}

    def __getitem__(self, name: str) -> Any:
        if name in self._all:
            return self._all[name]
        array, bracket, index = str(name).removesuffix("]").rpartition("[")
        if (
            bracket
            and index.isdigit()
            and isinstance(values := self._all.get(array), tuple)
            and int(index) < len(values)
        ):
            return values[int(index)]
        near = get_close_matches(str(name), self._all, n=3, cutoff=0.5) or list(self._all)[:8]
        raise KeyError(f"the model has no {name!r}; there is {', '.join(near)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __str__(self) -> str:
        from mule.report.state import written

        return ", ".join(f"{name} = {written(value)}" for name, value in self._all.items())

    def __repr__(self) -> str:
        return f"<State {self}>"
