"""What `auto` means where only one choice is sound."""

from __future__ import annotations

import pytest

from mule.options import Options, Por, Remember
from mule.planning import resolve


@pytest.mark.parametrize("por", ["deletion", "closure", "beam"])
@pytest.mark.parametrize("remember", ["auto", "valid", "exact"])
def test_sets_that_are_asked_for_again_with_another_history_are_the_same(por: Por, remember: Remember) -> None:
    """A state that is explored with a new history is expanded again: any set that is valid there would not do."""
    options = Options(por=por, remember=remember, proviso="fragmented-history")
    assert resolve(options, "safety").remember == "exact"
    on_cluster = Options(por=por, remember=remember, search="dfs", cluster="local:2")
    assert resolve(on_cluster, "safety").proviso == "fragmented-history"
    assert resolve(on_cluster, "safety").remember == "exact"


@pytest.mark.parametrize("por", ["ample", "lpor"])
def test_sets_that_are_a_function_of_the_state_need_not_be_remembered(por: Por) -> None:
    assert resolve(Options(por=por, proviso="fragmented-history"), "safety").remember == "none"
