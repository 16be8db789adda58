"""Mule: a model checker for concurrent systems, built on partial-order reduction."""
