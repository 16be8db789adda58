"""What travels to a worker: the recipe of the model and what is asked of it. The worker makes all the rest itself, and
must come to the same: other transitions, or another packing of states, would make nonsense of what it is sent."""

from __future__ import annotations

import io
import pickle
from hashlib import blake2b
from typing import Any

from mule import __version__
from mule.engine import Engine, SearchOptions
from mule.errors import MuleError, Place
from mule.frontends import build
from mule.model import Model
from mule.model.expressions import Expression
from mule.model.recipe import Recipe, fingerprint, recipe_of
from mule.model.variables import Variable
from mule.options import Options, Preserve
from mule.planning import Analysis, Plan, Preparation
from mule.records import Record
from mule.temporal.product import Product, Runs


class Assignment(Record, frozen=True):
    recipe: Recipe
    """Of the model that was analysed."""
    ahead: bool
    invariants: bool
    begun_for: bytes
    """What the analysis was told is observed; expressions over the variables of the model, as are the next two."""
    observed: bytes
    watched: bytes
    preserve: Preserve
    options: Options
    """Resolved, and without the cluster."""
    search: SearchOptions
    searched: str
    """A fingerprint of what the engine searches."""
    runs: Runs | None = None
    """What is asked of the product with an automaton, over the propositions that are observed."""


def assignment_of(
    prepared: Preparation, search: SearchOptions, asked: tuple[Product, Runs] | None = None
) -> Assignment:
    """The search that a preparation would do itself, of states or, where a product is given, of runs."""
    given = prepared.analysis.given
    return Assignment(
        recipe=recipe_of(given.model),
        ahead=given.ahead,
        invariants=given.invariants,
        begun_for=_packed(given.observed, given.model),
        observed=_packed(prepared.observed, given.model),
        watched=_packed(prepared.watched, given.model),
        preserve=prepared.preserve,
        options=prepared.options.but(cluster=None),
        search=search,
        searched=searched_fingerprint(prepared) if asked is None else _fingerprint(asked[0].engine),
        runs=None if asked is None else asked[1],
    )


def preparation_for(assignment: Assignment) -> Preparation:
    """The same preparation on another machine; a MuleError where it is not the same."""
    model = _rebuilt(assignment.recipe)
    analysis = Analysis(model, _unpacked(assignment.begun_for, model), assignment.ahead, assignment.invariants)
    observed, watched = _unpacked(assignment.observed, model), _unpacked(assignment.watched, model)
    prepared = Preparation(Plan(analysis, assignment.options, assignment.preserve, observed, watched=watched))
    if assignment.runs is None:
        _require_same(prepared.engine, assignment)
    return prepared


def product_for(assignment: Assignment, prepared: Preparation) -> Product:
    """The product on another machine; a MuleError where it is not the same."""
    runs = assignment.runs
    assert runs is not None
    product = product_of(prepared, prepared.observed, runs)
    _require_same(product.engine, assignment)
    return product


def product_of(prepared: Preparation, atoms: tuple[Expression, ...], runs: Runs) -> Product:
    reducible = runs.reduction is not None
    return Product(prepared.searched, prepared.domains, atoms, runs.automaton.states, reducible)


def _require_same(engine: Engine, assignment: Assignment) -> None:
    if _fingerprint(engine) != assignment.searched:
        raise MuleError(
            "a worker has made another search of this model: is everything that Mule needs the same on all machines?",
            Place(assignment.recipe.source.file),
        )


def searched_fingerprint(prepared: Preparation) -> str:
    """Of the transitions that are searched and of how their states are packed."""
    return _fingerprint(prepared.engine)


def _fingerprint(engine: Engine) -> str:
    layout = engine.compiled.layout
    model = engine.compiled.model
    places = [layout.fields[variable] for variable in model.variables]
    text = f"{fingerprint(model)} {layout.words} {places!r}"
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _rebuilt(recipe: Recipe) -> Model:
    """As the source makes it, or without its assertions where nobody asks for them."""
    from mule.safety import without_assertions

    place = Place(recipe.source.file)
    if recipe.version != __version__:
        raise MuleError(f"this model was read by Mule {recipe.version}, and the worker has {__version__}", place)
    model = build(recipe.source)
    for made in (model, without_assertions(model)):
        if fingerprint(made) == recipe.fingerprint:
            return made
    raise MuleError(
        "a worker has made another model of this source: it depends on more than its files and definitions", place
    )


class _Packer(pickle.Pickler):
    """Variables are known by their places in the model: two of them are the same only if they are one object."""

    def __init__(self, file: io.BytesIO, model: Model) -> None:
        super().__init__(file)
        self._places = {variable: place for place, variable in enumerate(model.variables)}

    def persistent_id(self, item: Any) -> int | None:
        return self._places[item] if isinstance(item, Variable) else None


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, model: Model) -> None:
        super().__init__(file)
        self._variables = model.variables

    def persistent_load(self, place: Any) -> Variable:
        variable: Variable = self._variables[place]
        return variable


def _packed(expressions: tuple[Expression, ...], model: Model) -> bytes:
    file = io.BytesIO()
    _Packer(file, model).dump(expressions)
    return file.getvalue()


def _unpacked(data: bytes, model: Model) -> tuple[Expression, ...]:
    found: tuple[Expression, ...] = _Unpacker(io.BytesIO(data), model).load()
    return found
