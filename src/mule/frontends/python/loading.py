"""A file with processes: the module is run, and its function `system` makes the system."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from mule.frontends.actors.loading import made_by
from mule.frontends.own_modules import own_modules
from mule.frontends.python.system import System
from mule.frontends.python.translation import translate
from mule.model import Model


def load(text: str, file: str, defines: Sequence[str] = ()) -> Model:
    """Read a model; `defines` (NAME=VALUE) are arguments for its function `system`."""
    # A system that cannot be made leaves coroutines behind, and what is wrong with it has been said.
    warnings.filterwarnings("ignore", "coroutine '.*' was never awaited", RuntimeWarning)
    with own_modules(file):
        return translate(made_by(text, file, defines, System))
