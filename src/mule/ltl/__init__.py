"""Linear temporal logic: formulas, Büchi automata, and what partial-order reduction needs to know about them.

Ask its modules: most checks need few of them, and all together take longer to load than a small model to check.
"""
