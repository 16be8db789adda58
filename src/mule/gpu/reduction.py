"""Stubborn sets, computed by each thread for its state: which algorithms there are."""

from __future__ import annotations

from mule.codegen import Listing
from mule.gpu.ample import AmpleSets, ample_tables
from mule.gpu.closure import Closures, closure_tables
from mule.gpu.sets import Chooser, Sets
from mule.gpu.targets import Target
from mule.gpu.text import Body
from mule.options import Por
from mule.relations import Relations


def sets_of(listing: Listing, relations: Relations, por: Por, nds: bool, preserves_safety: bool) -> Sets:
    model = listing.model
    tables = ample_tables(relations) if por == "ample" else closure_tables(relations, nds)
    return Sets(
        por=por,
        transitions=len(model.transitions),
        guards=len(model.guards),
        ignores_nothing=preserves_safety,
        table=tables.content,
        places=tables.places,
    )


def chooser_for(body: Body, sets: Sets, target: Target) -> Chooser:
    return (AmpleSets if sets.por == "ample" else Closures)(body, sets, target)
