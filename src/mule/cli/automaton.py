"""`mule automaton`: the Büchi automaton of a formula."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from typing import get_args

from mule.cli.arguments import UsageError, add_json
from mule.cli.running import heard
from mule.cli.status import HOLDS
from mule.options import Translator

DESCRIPTION = """Translate a formula of linear temporal logic into a Büchi automaton, in the Hanoi
omega-automata format or as a never claim of SPIN. `mule check --claim FILE` reads
both: there the automaton is one of the runs that must not be, so use --negate.

examples:
  mule automaton '[](request -> <>answer)'
  mule automaton --negate --never '[]<> critical' > claim.never
  mule automaton --negate --dot '[]<> critical' | dot -Tsvg > property.svg"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("formula", metavar="FORMULA", help="in SPIN's or Spot's syntax")
    parser.add_argument("--negate", action="store_true", help="the automaton of the runs that violate the formula")
    parser.add_argument("--never", action="store_true", help="print a never claim instead of HOA")
    parser.add_argument("--dot", action="store_true", help="print a picture in the DOT language instead of HOA")
    parser.add_argument(
        "--translator",
        choices=get_args(Translator),
        default="auto",
        metavar="HOW",
        help=f"what makes the automaton: {', '.join(get_args(Translator))}",
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    from mule.ltl.formula import not_
    from mule.ltl.hoa import to_hoa
    from mule.ltl.never import to_never
    from mule.ltl.parser import parse
    from mule.ltl.stutter import stutter_invariant
    from mule.ltl.translate import translate

    if arguments.dot and (arguments.never or arguments.json):
        raise UsageError("--dot prints a picture and nothing else: leave out --never and --json", "mule automaton")
    formula = parse(arguments.formula).formula
    wanted = not_(formula) if arguments.negate else formula
    automaton = heard(lambda: translate(wanted, "states" if arguments.never else "edges", arguments.translator))
    if arguments.dot:
        from mule.drawing.automata import property_automaton

        print(property_automaton(automaton, wanted.text).dot, end="")
        return HOLDS
    text = to_never(automaton, wanted.text) if arguments.never else to_hoa(automaton, wanted.text)
    if arguments.json:
        facts = {"formula": wanted.text, "states": automaton.states, "stutter_invariant": stutter_invariant(wanted)}
        text = json.dumps({**facts, "automaton": text})
    print(text.rstrip())
    return HOLDS
