"""Pictures of small things: state spaces, processes, what interferes with what, automata."""

from mule.drawing.picture import Picture

__all__ = ["Picture"]
