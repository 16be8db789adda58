from __future__ import annotations

import json
from typing import Any

from mule.report.json import result_object
from mule.results import Verdict

KEYS = [
    "model",
    "language",
    "verdict",
    "property",
    "states",
    "transitions",
    "deadlocks",
    "depth",
    "seconds",
    "memory_bytes",
    "nodes",
    "disk_bytes",
    "device",
    "options",
    "stopped",
    "omissions",
    "notes",
    "violations",
    "unreached",
    "holding",
    "judgements",
    "searches",
]


def through_json(result: Any) -> Any:
    return json.loads(json.dumps(result_object(result)))


def test_the_keys_are_stable(sample: Any) -> None:
    found = through_json(sample.result(Verdict.HOLDS))
    assert list(found) == KEYS
    assert found["verdict"] == "holds"
    assert found["seconds"] == {"compile": 0.0123, "search": 2.0}
    assert found["options"]["por"] == "beam"


def test_exploring_has_no_verdict_unless_it_is_incomplete(sample: Any) -> None:
    assert through_json(sample.result(Verdict.HOLDS, judges=False))["verdict"] is None
    assert through_json(sample.result(Verdict.INCOMPLETE, judges=False, stopped="time"))["verdict"] == "incomplete"


def test_a_violation_has_its_trail(sample: Any) -> None:
    [violation] = through_json(sample.violated(sample.trail(0, 3)))["violations"]
    assert violation["kind"] == "assertion"
    assert violation["length"] == 2
    assert violation["trail"][0] == {
        "transition": 0,
        "name": "left.take",
        "process": "left",
        "text": "effect taken[0] = 1",
        "line": 7,
        "moves": [{"process": "left", "from": "idle", "to": "critical"}],
        "changes": {"taken[0]": [0, 1]},
        "failure": None,
        "actions": [],
    }
    assert violation["trail"][1]["changes"] == {"mail": [[], [[3, 4]]]}
    assert violation["final_state"] == {
        "processes": {"left": "critical", "right": "idle"},
        "variables": {"taken": [1, 0]},
        "channels": {"mail": [[3, 4]]},
    }
