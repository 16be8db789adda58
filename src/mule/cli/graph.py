"""`mule graph`: pictures of small models."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mule.cli import status
from mule.cli.arguments import add_model, positive
from mule.cli.running import heard, load_model
from mule.errors import MuleError, Place, printable
from mule.options import STUBBORN

DESCRIPTION = """Draw a small model, as text in the DOT language or, where Graphviz is installed, as SVG.

  states         the state space; green is what a search with reduction explores,
                 red are deadlocks and states in which an assertion is false
  processes      the control locations of each process, and the steps between them
  interference   which steps do not accord: their order may make a difference

examples:
  mule graph examples/broken_mutex.dve -o mutex.svg
  mule graph examples/philosophers.dve --of interference | dot -Tpdf > forks.pdf
  mule automaton --negate --dot '[]<> critical' | dot -Tsvg > property.svg"""

KINDS = ("states", "processes", "interference")


def add_arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "--of", choices=KINDS, default="states", metavar="WHAT", help=f"{', '.join(KINDS)} (default: states)"
    )
    parser.add_argument(
        "--por",
        choices=STUBBORN,
        default="deletion",
        metavar="HOW",
        help=f"whose part of the states is green: {', '.join(STUBBORN)} (default: deletion)",
    )
    parser.add_argument("--max-states", type=positive, metavar="N", help="of a picture of states (default: 500)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write it to FILE: SVG if the name ends so, else DOT")


def run(arguments: Namespace) -> int:
    from mule.drawing.kinds import draw

    picture = heard(lambda: draw(load_model(arguments), arguments.of, arguments.por, arguments.max_states))
    if arguments.output is None:
        print(printable(picture.dot), end="")
        return status.HOLDS
    try:
        picture.save(arguments.output)
    except OSError as error:
        raise MuleError(f"cannot write it: {error.strerror}", Place(arguments.output)) from None
    return status.HOLDS
