"""Processes as `async def` functions over shared objects; every await is a scheduling point. See docs/processes.md."""

from mule.frontends.python.loading import load

__all__ = ["load"]
