"""Random Promela programs with small state spaces, for comparison with SPIN.

Each program uses its own random subset of the language (swarm testing: Groce et al., ISSTA 2012), so that features meet
in ever new company. State spaces are finite by construction: processes that loop assign values out of small ranges
only, processes that do not loop may let values run and be cut off. What SPIN rejects, or what makes its verifier stop
(indices out of range, a `d_step` that blocks inside, polling a rendezvous channel), is not generated.
"""

from tests.differential.generator.programs import random_program

__all__ = ["random_program"]
