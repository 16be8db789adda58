"""From a model to machine code: `compile_model` is all that the rest of Mule needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from mule.budget import apart
from mule.codegen.compiler import MachineCode
from mule.codegen.layout import Layout
from mule.codegen.module import ModuleBuilder, most_successors
from mule.model import Model
from mule.model.expressions import FALSE, Expression

__all__ = ["CompiledModel", "Layout", "Listing", "MachineCode", "compile_model", "compiled", "list_model"]


@dataclass(frozen=True)
class Listing:
    """The functions of a model as LLVM text, for any machine, and how its states are packed."""

    model: Model
    layout: Layout
    text: str
    propositions: int
    max_successors: int
    end_states: int | None = None
    """The number of `model.end_states` among the predicates after the propositions; None: there are no end states."""
    transient: int | None = None
    """The same for `model.transient`."""
    functions: int = 0
    """How many integer functions of a state there are."""
    is_product: bool = False
    """With an automaton: then all steps count, also those to transient states."""

    @property
    def error_mask(self) -> list[int] | None:
        """The bits that tell states after an error apart, where the language counts these."""
        kept = self.model.error_state_keeps
        return None if kept is None else self.layout.mask(kept)


@dataclass(frozen=True)
class CompiledModel(Listing):
    """The functions of a model in memory."""

    code: MachineCode = field(kw_only=True)


def list_model(
    model: Model,
    bounds: Sequence[tuple[int, int]],
    propositions: Sequence[Expression] = (),
    with_guards: bool = False,
    functions: Sequence[Expression] = (),
) -> Listing:
    """`bounds`: for each slot the least and the greatest value it can have. Guards one by one are only written on
    request: a search without reduction never asks for them. `functions`: what else a search may want to know of a
    state, as a number; where the evaluation of one fails, it is undefined there, and the state has nevertheless all
    its meaning."""
    layout = Layout(model, bounds)
    predicates = list(propositions)
    end_states = transient = None
    if model.end_states != FALSE:
        end_states = len(predicates)
        predicates.append(model.end_states)
    if model.transient is not None:
        transient = len(predicates)
        predicates.append(model.transient)
    text = ModuleBuilder(model, layout, bounds, predicates, with_guards, functions).text()
    return Listing(
        model, layout, text, len(propositions), most_successors(model), end_states, transient, len(functions)
    )


def compile_model(
    model: Model,
    bounds: Sequence[tuple[int, int]],
    propositions: Sequence[Expression] = (),
    with_guards: bool = False,
    functions: Sequence[Expression] = (),
) -> CompiledModel:
    """What `list_model` writes, as functions of this process."""
    return compiled(list_model(model, bounds, propositions, with_guards, functions))


def compiled(listing: Listing) -> CompiledModel:
    code = apart(lambda: MachineCode(listing.text))
    return CompiledModel(**{each.name: getattr(listing, each.name) for each in fields(listing)}, code=code)
