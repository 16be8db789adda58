"""Random Promela programs through Mule and through SPIN.

    python -m tests.differential.promela_programs --count 2000

compares as many programs and shrinks each that the two tools see differently.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.differential.children import NoAnswerError, answer_of_child
from tests.differential.generator import random_program
from tests.differential.generator.features import FEATURES
from tests.differential.shrinking import shrunk
from tests.differential.spin_runner import QUESTIONS, Difference, NotComparableError, SpinAnswer, ask_spin, compare

SECONDS = 300
"""For all that Mule is asked about one program."""


def compare_seed(seed: int, required: frozenset[str] = frozenset()) -> tuple[int, str, SpinAnswer | str, str | None]:
    """The seed, its program, SPIN's answer or why there is none, and what differs."""
    program = random_program(random.Random(seed), required)
    try:
        answer = ask_spin(program)
    except NotComparableError as reason:
        return seed, program, str(reason), None
    found = first_difference(program, answer)
    return seed, program, answer, found.about if found else None


def differs_about(program: str, about: str) -> bool:
    only = about if about.startswith(QUESTIONS) else None
    try:
        found = first_difference(program, ask_spin(program), only)
    except NotComparableError:
        return False
    return found is not None and found.about == about


def first_difference(program: str, answer: SpinAnswer, only: str | None = None) -> Difference | None:
    """In a process of its own: if Mule dies, or does not end, that is a difference too."""
    try:
        return answer_of_child(lambda: next(compare(program, answer, only), None), SECONDS)
    except NoAnswerError as trouble:
        return Difference(trouble.about, str(answer.states), trouble.more)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare Mule with SPIN on random Promela programs.")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--with", dest="required", action="append", default=[], choices=FEATURES, metavar="FEATURE")
    parser.add_argument("--keep", type=Path, help="folder for the shrunk programs")
    arguments = parser.parse_args()
    states: list[int] = []
    reasons: Counter[str] = Counter()
    differing: list[tuple[int, str, str]] = []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        seeds = range(arguments.seed, arguments.seed + arguments.count)
        compared = partial(compare_seed, required=frozenset(arguments.required))
        for seed, program, answer, about in pool.map(compared, seeds):
            if isinstance(answer, str):
                reasons[re.sub(r"\d+", "N", answer)] += 1
            else:
                states.append(answer.states)
            done = seed - arguments.seed + 1
            if done % 100 == 0:
                print(f"{done} programs, {len(differing)} differ", file=sys.stderr, flush=True)
            if about:
                print(f"seed {seed} differs: {about}", flush=True)
                differing.append((seed, program, about))
        states.sort()
        print(f"{len(states)} of {arguments.count} programs compared, {len(differing)} differ", flush=True)
        if states:
            print(
                "states, from the least to the most by tenths:",
                *(states[i * (len(states) - 1) // 10] for i in range(11)),
            )
        for reason, count in reasons.most_common():
            print(f"{count} not compared: {reason}")
        wrong = [each for each in differing if each[2] != "time"]
        for (seed, _, _), small in zip(wrong, pool.map(_shrunk_about, wrong), strict=True):
            found = f"// seed {seed}: {first_difference(small, ask_spin(small))}"
            print(f"\n{found}\n{small}", flush=True)
            if arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                (arguments.keep / f"{seed}.pml").write_text(f"{found}\n{small}")


def _shrunk_about(differing: tuple[int, str, str]) -> str:
    _, program, about = differing
    return shrunk(program, lambda text: differs_about(text, about))


if __name__ == "__main__":
    main()
