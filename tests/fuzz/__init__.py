"""Random cases. How many a test makes: few in the usual run, as many as `MULE_FUZZ` says when somebody looks harder.

`python -m tests.fuzz` attacks the command line with malformed inputs of every kind: `cases` says which kinds there are,
`mutations` how good inputs go bad, `running` how one is tried, and `rule` what must come of it."""

from __future__ import annotations

import os


def examples(usual: int) -> int:
    return int(os.environ.get("MULE_FUZZ", usual))
