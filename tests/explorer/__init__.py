"""Walking through a state space by hand."""
