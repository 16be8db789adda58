"""PNML, the exchange format of Petri nets (ISO/IEC 15909-2), as the Model Checking Contest uses it: place/transition
nets.

`document` reads XML with the position of every element, `net` finds the net in it, `invariants` bounds the places,
`translation` makes a model of it.
"""

from mule.frontends.pnml.translation import load

__all__ = ["load"]
