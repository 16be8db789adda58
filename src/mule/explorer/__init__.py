"""A state space to walk through by hand, in a browser: what can be done, what a reduction would do, and why."""
