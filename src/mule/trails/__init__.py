"""Runs of a model: trails and their steps (`trail`), trails that were saved and are followed again (`saved`, `spin`,
`following`), what they violate (`judging`), and shorter ones that violate the same (`shortening`).

Ask its modules: whoever needs a trail alone needs no more than what is named here.
"""

from mule.trails.trail import State, Step, ToldStep, Trail

__all__ = ["State", "Step", "ToldStep", "Trail"]
