"""Directed search: how far a state is from what is looked for, as an expression that is compiled with the model.

Every estimate is made of parts (`parts.py`), each of which no step lowers by more than one. What that proves is said in
`Estimate.why`; "shortest" is only ever said of a trail that A* found with a proven lower bound.

Ask its modules: a search that is not directed needs no more than `goals`.
"""
