"""How many random cases a test makes: few in the usual run, as many as `MULE_FUZZ` says when somebody looks harder."""

from __future__ import annotations

import os


def examples(usual: int) -> int:
    return int(os.environ.get("MULE_FUZZ", usual))
