"""What the actor language knows about its transitions beyond their guards and effects: who may send what to whom.

These are the sets that the relations of local partial-order reduction are defined by (LPOR, section IV)."""

from __future__ import annotations

from dataclasses import dataclass

from mule.model import Model


@dataclass(frozen=True, slots=True)
class Flow:
    """Messages of one type from one process to another; the processes are indices into `Model.processes`."""

    type: str
    sender: int
    receiver: int


@dataclass(frozen=True, slots=True)
class TransitionFacts:
    """Of one transition. Each set may be larger than what a single step does, never smaller."""

    process: int | None
    """Who executes it; None: the network itself, which loses a message."""
    inputs: tuple[Flow, ...]
    """What it consumes: exactly one message of each (or a copy of it, if the network duplicates)."""
    outputs: tuple[Flow, ...]
    """What it may send."""
    reads: frozenset[str]
    """The variables of the process that its guards or its effect hang on, by their names in the model."""
    writes: frozenset[str]
    """The variables of the process that it may change."""
    input_deterministic: bool
    """Whether it always consumes a message from every process in `inputs`: false where it consumes none at all."""


@dataclass(frozen=True, slots=True)
class ActorFacts:
    """For each transition of the model as the front end made it (see `Transition.origins` for models made from it)."""

    transitions: tuple[TransitionFacts, ...]


def facts(model: Model) -> ActorFacts | None:
    """What the front end knew; None where the model is written in another language.

    Error transitions that are added later (`with_error_transitions`) come after those that have facts."""
    return model.facts if isinstance(model.facts, ActorFacts) else None
