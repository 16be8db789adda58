"""Computation tree logic: formulas, where they hold in a graph, and runs that show it."""
