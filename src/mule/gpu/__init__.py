"""The same search on a GPU: the model's LLVM text for another machine, and kernels beside it.

    targets     what differs between machines: how threads work together
    text        LLVM text with structured control flow
    table       the table of states that all threads share
    sets        what the threads know of a reduction: `closure` and `ample` are algorithms, `reduction` names them
    writer      what all kernels are made of
    kernels     what the threads do, as text beside the model's
    machine     what a search needs of a machine; `driver` is a GPU, `host` this computer, for tests
    ptx         the kernels for NVIDIA's GPUs; `architectures`: for which of them
    store       states in the memory of a machine, with more room when it is needed
    search      level by level, and back again for a trail
    product     a model and an automaton as one model for the kernels
    cycles      what the threads do to find accepting cycles of it, and `emptiness` when

Only `driver` knows the GPU's driver, and nothing here is imported unless a GPU is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mule.codegen import Listing
    from mule.driving import ProgressCallback
    from mule.engine import SearchOptions, SearchResult
    from mule.gpu.emptiness import RunsFound
    from mule.gpu.product import ProductListing
    from mule.gpu.sets import Sets

__all__ = ["begin_opening", "compile_for_gpu", "device_name", "require_gpu", "search_on_gpu", "search_runs_on_gpu"]


def begin_opening() -> None:
    """Of the GPU, in the background; MuleError where there is no driver."""
    from mule.gpu.driver import opening

    opening()


def require_gpu() -> None:
    """MuleError where there is none."""
    from mule.gpu.driver import gpu

    gpu()


def compile_for_gpu(listing: Listing, sets: Sets | None) -> None:
    from mule.gpu.driver import gpu

    gpu().load(listing, sets)


def search_on_gpu(
    listing: Listing, sets: Sets | None, options: SearchOptions, progress: ProgressCallback | None
) -> SearchResult:
    """Of the model that was compiled last."""
    from mule.gpu.driver import gpu
    from mule.gpu.search import search

    return search(gpu(), listing, options, progress, sets)


def search_runs_on_gpu(product: ProductListing, options: SearchOptions, progress: ProgressCallback | None) -> RunsFound:
    """Of the product that was compiled last."""
    from mule.gpu.driver import gpu
    from mule.gpu.emptiness import search_runs

    return search_runs(gpu(), product, options, progress)


def device_name() -> str:
    from mule.gpu.driver import gpu

    return gpu().name
