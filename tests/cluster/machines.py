"""Machines of a Ray cluster of different sizes, played by processes of this one: where partitions go, and what becomes
of a search when a machine is lost.

`python -m tests.cluster.machines`: the counts are those of one search, and each machine is one partition."""

from __future__ import annotations

import sys
import threading

from mule.cluster import connection, on_ray
from mule.cluster.assignment import assignment_of
from mule.cluster.leading import lead
from mule.options import Options
from mule.planning import Preparation, plan_for, resolve, search_options
from tests.cluster.faults import prepared_for
from tests.cluster.questions import counted

STORE = 80 * 2**20
CPUS = (2, 1)
BEFORE_LOSS = 0.3
"""Seconds of search."""


def main() -> int:
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    machines = [cluster.add_node(num_cpus=cpus, object_store_memory=STORE) for cpus in CPUS]
    cluster.wait_for_nodes()
    alone, search = prepared_for(120, 480)
    expected = counted(alone.engine.search(search))
    options = resolve(Options(por="none", search="bfs", as_written=True, cluster=cluster.address), "safety")
    prepared = Preparation(plan_for(alone.analysis.given.model, options, "safety", ()))
    search = search_options(options, "safety", stop_at_assertion=True, stop_at_error=True)

    found = on_ray.search_on_ray(prepared, search)
    assert counted(found) == expected, counted(found)
    threads = sorted(node.threads for node in found.progress.nodes)
    assert threads == sorted(CPUS), threads

    team = on_ray.RayTeam(assignment_of(prepared, search), connection.places(options, None))
    loss = threading.Timer(BEFORE_LOSS, cluster.remove_node, (machines[0],))
    loss.start()
    found = lead(team, search, between_cuts=0.1)
    team.dismiss()
    assert found.progress.seconds > 2 * BEFORE_LOSS, "the search was over before the machine was lost"
    loss.join()
    assert counted(found) == expected, counted(found)
    print(f"partitions of {threads} threads; {found.progress.states:,} states, also where a machine is lost")
    connection.disconnect()
    cluster.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
