"""The command line: `mule COMMAND MODEL`, one module a command."""

from mule.cli.main import main

__all__ = ["main"]
