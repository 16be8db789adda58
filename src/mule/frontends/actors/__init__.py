"""Message-passing protocols in Python, compiled from their source. Models import from `mule.actors`."""

from mule.frontends.actors.loading import load

__all__ = ["load"]
