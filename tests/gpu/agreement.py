"""The kernels, compiled for this computer, against the serial search."""

from __future__ import annotations

import random
from typing import NamedTuple

from mule.codegen import Listing
from mule.engine import Found, SearchOptions, SearchResult
from mule.gpu.host import Host
from mule.gpu.search import search
from mule.gpu.sets import Sets
from mule.gpu.table import Cells
from mule.model import Model
from mule.model.expressions import Expression
from mule.options import Options, Por, Preserve
from mule.planning import Analysis, Plan, Preparation, resolve


class Way(NamedTuple):
    """How the kernels are run."""

    threads: int = 2
    capacity: int = 1
    """States that there is room for at first: with 1 there is more room after every round."""
    marked: bool = False
    """Whether a state of two words is written as a wider one is."""
    narrow: int = 2048
    """States of a level that a few threads search together with the levels that follow,"""
    wide: int = 1 << 20
    """and that all of them do."""
    optimised: bool = False


def any_way(chosen: random.Random) -> Way:
    capacity, narrow = chosen.choice((1, 1, 30, 5000)), chosen.choice((0, 0, 5, 2048))
    return Way(chosen.choice((1, 2, 4)), capacity, chosen.random() < 0.5, narrow, chosen.choice((0, 20, 1 << 20)))


def prepared_for(model: Model, propositions: tuple[Expression, ...] = (), as_written: bool = True) -> Preparation:
    options = resolve(Options(por="none", search="bfs", workers=1, as_written=as_written), "safety")
    analysis = Analysis(model, propositions, ahead=not as_written)
    return Preparation(Plan(analysis, options, "safety", propositions))


def reduced_for(
    model: Model, por: Por, preserve: Preserve, propositions: tuple[Expression, ...] = (), as_written: bool = True
) -> Preparation:
    """Whatever is asked of the GPU is asked of the engine with the same sets: none is remembered."""
    options = resolve(Options(por=por, gpu=True, as_written=as_written), preserve)
    analysis = Analysis(model, propositions, ahead=not as_written)
    return Preparation(Plan(analysis, options, preserve, propositions))


def by_kernels(listing: Listing, options: SearchOptions, way: Way, sets: Sets | None = None) -> SearchResult:
    host = Host(way.threads, cells=cells_of(listing, way), optimised=way.optimised)
    host.load(listing, sets)
    return search(host, listing, options, None, sets, way.capacity, way.narrow, way.wide)


def cells_of(listing: Listing, way: Way) -> Cells | None:
    return Cells.MARKED if way.marked and listing.layout.words > 1 else None


def require_same_counts(kernels: SearchResult, serial: SearchResult) -> None:
    assert counts(kernels) == counts(serial)
    assert kernels.fired == serial.fired, "other transitions were enabled"


def counts(found: SearchResult) -> dict[str, int]:
    known = {name: getattr(found.progress, name) for name in ("states", "transitions", "depth", "queue")}
    return known | {name: getattr(found, name) for name in ("deadlocks", "failures", "assertions", "error_states")}


def require_same_finding(prepared: Preparation, kernels: SearchResult, serial: SearchResult) -> None:
    """What is found is found as soon, and the reference interpreter can follow the path there."""
    assert kernels.stopped is None
    assert (kernels.found is Found.NOTHING) == (serial.found is Found.NOTHING), f"{kernels.found}, not {serial.found}"
    if kernels.found is Found.NOTHING:
        return
    trail = prepared.trail(kernels.path)
    assert (trail.taken[-1].failure is not None if trail.taken else False) == (kernels.found is Found.FAILURE)
    assert len(kernels.path) <= len(serial.path) or serial.found is Found.FAILURE
    assert len(kernels.path) >= len(serial.path) or kernels.found is Found.FAILURE or serial.found is Found.FAILURE
