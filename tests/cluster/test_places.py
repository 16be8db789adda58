"""How many partitions there are, on which machines, and with how many threads."""

from __future__ import annotations

import pytest

from mule.cluster.places import MOST_THREADS, Place, places_here, places_like, places_on
from mule.cluster.workers import for_partition, partition_of
from mule.cores import available_cores
from mule.engine import SearchOptions, Team
from mule.errors import MuleError

FREE = {"a": 16, "b": 4, "c": 0}


def test_a_machine_has_one_partition_with_all_of_its_cpus() -> None:
    assert places_on(FREE, None) == [Place(16, "a"), Place(4, "b")]


def test_a_machine_has_as_many_partitions_of_a_given_size_as_it_has_room_for() -> None:
    assert places_on(FREE, 6) == [Place(6, "a"), Place(6, "a")]
    assert places_on({"a": 2, "b": 1}, 1) == [Place(1, "a"), Place(1, "a"), Place(1, "b")]
    with pytest.raises(MuleError, match="no machine of the cluster has 17 CPUs"):
        places_on(FREE, 17)


def test_partitions_on_this_machine_share_its_cpus() -> None:
    assert places_here(2, 3) == [Place(3), Place(3)]
    assert places_here(1, None) == [Place(available_cores())]
    assert places_here(2 * available_cores(), None)[-1] == Place(1)


def test_a_run_that_goes_on_has_as_many_threads_as_before() -> None:
    assert places_like((4, 16), FREE) == [Place(4, "b"), Place(16, "a")]
    assert places_like((8, 8), FREE) == [Place(8, "a"), Place(8, "a")]
    assert places_like((8, 8, 8), FREE) == [Place(8), Place(8), Place(8)]


def test_there_are_no_more_threads_than_numbers_for_them() -> None:
    with pytest.raises(MuleError, match="no more than 65,535 threads"):
        places_on({str(machine): 64 for machine in range(MOST_THREADS // 64 + 1)}, None)


def test_threads_are_numbered_over_all_partitions() -> None:
    threads = (3, 1, 2)
    assert [partition_of(thread, threads) for thread in range(6)] == [0, 0, 0, 1, 2, 2]
    teams = [for_partition(SearchOptions(), part, threads).team for part in range(3)]
    assert teams == [Team(3, first=0), Team(1, first=3), Team(2, first=4)]
    assert for_partition(SearchOptions(), 1, (1, 1)).team is None
