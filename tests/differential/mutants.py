"""Mutants of Promela programs through Mule and through SPIN.

    python -m tests.differential.mutants --count 3000 --seed 0 --models PROMELA

changes programs of the folder (and our own) a little, and compares what both tools say: whether they accept the mutant,
its states, its verdicts and its claims, without and with fairness. Every difference is listed, with its explanation in
`tests.differential.explanations` or without any.
"""

from __future__ import annotations

import argparse
import hashlib
import pickle
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.differential.children import NoAnswerError, answer_of_child
from tests.differential.explanations import explanation
from tests.differential.mutant_questions import Comparison, SpinOpinion, acceptance, compare_with_mule, spin_opinion
from tests.differential.mutation import Mutant, mutant, read_program
from tests.differential.shrinking import shrunk
from tests.differential.spin_runner import Difference, NotComparableError

SECONDS = 40
"""For all that Mule is asked about one mutant."""
ROOT = Path(__file__).resolve().parents[2]
OWN = (*sorted((ROOT / "examples").glob("*.pml")), *sorted((ROOT / "src/mule/benchmarks/protocols").glob("*.pml")))
LARGEST = 6_000
"""Characters of a model from which mutants are made: of larger ones most are too large to compare."""
TOO_LARGE = frozenset(
    {"leader2", "peterson4", "peterson5", "priorities", "sort", "sort-copies", "pftp", "pftp-copies", "garp", "garp_ls"}
    | {
        "garp_nl",
        "i2",
        "i3",
        "i4",
        "brp.prm",
        "philo.pml",
        "App.F.pftp.pml",
        "chain11.spin",
        "chain13.spin",
        "p108.pml",
    }
    | {"chain15.spin", "chain17.spin", "p329.pml", "p330.pml", "p337.pftp.ses.pml", "p342.pftp.ses1.pml", "count.pml"}
    | {"p347.pftp.ses5.pml", "leader", "leader-copies", "leader_trace"}
)
"""Models with more states than are compared: hardly one of their mutants has fewer."""


AskSpin = Callable[[str], SpinOpinion]


def remembered(folder: Path, program: str) -> SpinOpinion:
    """SPIN's opinion, from a folder that keeps all that it ever had."""
    file = folder / hashlib.sha256(program.encode()).hexdigest()[:24]
    if file.is_file():
        kept: SpinOpinion | str = pickle.loads(file.read_bytes())
    else:
        try:
            kept = spin_opinion(program)
        except NotComparableError as reason:
            kept = str(reason)
        folder.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pickle.dumps(kept))
    if isinstance(kept, str):
        raise NotComparableError(kept)
    return kept


@dataclass(frozen=True, slots=True)
class Outcome:
    number: int
    model: str
    mutant: Mutant
    fate: str
    """`compared`, `rejected by both`, `rejected by SPIN only`, or why the mutant was not compared."""
    comparison: Comparison = field(default_factory=Comparison)
    explained: tuple[str | None, ...] = ()
    """For each difference."""


def model_files(folder: Path | None) -> list[Path]:
    corpus: list[Path] = []
    if folder is not None:
        suffixes = ("", ".pml", ".spin", ".prm", ".promela", ".pr", ".trojka")
        found = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix in suffixes]
        corpus = [path for path in found if path.name not in TOO_LARGE and _is_program(path)]
    return [*corpus, *OWN]


def _is_program(path: Path) -> bool:
    text = path.read_text(encoding="latin-1")
    return len(text) <= LARGEST and re.search(r"^\s*(init|active)\b", text, re.MULTILINE) is not None


def judge(number: int, seed: int, files: Sequence[Path], ask: AskSpin = spin_opinion) -> Outcome:
    """The mutant with this number: every one has its own random numbers, so that one can be looked at alone."""
    drawn = random.Random(f"{seed}/{number}")
    file = drawn.choice(files)
    made = mutant(read_program(file), drawn)
    return judge_mutant(number, file.name, made, ask)


def judge_mutant(number: int, model: str, made: Mutant, ask: AskSpin = spin_opinion) -> Outcome:
    try:
        opinion = ask(made.text)
    except NotComparableError as reason:
        fate = str(reason)
        if fate.startswith(("spin", "gcc")):
            refused = acceptance(made.text)
            fate = "rejected by SPIN only" if refused is None else "rejected by both"
            if refused is None:
                found = Comparison(differences=[Difference("accepted", str(reason), "accepted")], notes=[""])
                return Outcome(number, model, made, fate, found, (explanation(made.text, found, 0, None),))
        return Outcome(number, model, made, re.sub(r"\d+", "N", fate))
    found = comparison(made.text, opinion)
    explained = tuple(explanation(made.text, found, i, opinion) for i in range(len(found.differences)))
    return Outcome(number, model, made, "compared" if found.asked or explained else "Mule: too slow", found, explained)


def comparison(program: str, opinion: SpinOpinion, only: str | None = None) -> Comparison:
    try:
        return answer_of_child(lambda: compare_with_mule(program, opinion, only), SECONDS)
    except NoAnswerError as trouble:
        if trouble.about == "time":
            return Comparison(undecided=["time"])
        return Comparison(differences=[Difference(trouble.about, "an answer", trouble.more)], notes=[""])


def differs_about(program: str, about: str, spins: str) -> bool:
    """For shrinking: the same question, answered by SPIN as before, and not explained otherwise."""
    try:
        opinion = spin_opinion(program)
    except NotComparableError:
        return False
    found = comparison(program, opinion, about if about not in ("rejected", "time", "death") else None)
    return any(
        each.about == about
        and (each.spin == spins or spins.isdigit())
        and explanation(program, found, i, opinion) is None
        for i, each in enumerate(found.differences)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare Mule with SPIN on mutants of Promela programs.")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--models", type=Path, help="folder of Promela programs; without it, only our own are mutated")
    parser.add_argument("--remember", type=Path, help="folder for SPIN's answers, which need not be asked for again")
    parser.add_argument("--keep", type=Path, help="folder for the mutants with unexplained differences")
    parser.add_argument("--shrink", action="store_true", help="make those smaller first")
    arguments = parser.parse_args()
    files = model_files(arguments.models)
    print(f"{len(files)} programs", flush=True)
    outcomes: list[Outcome] = []
    with ProcessPoolExecutor(arguments.jobs) as pool:
        numbers = range(arguments.first, arguments.first + arguments.count)
        ask = partial(remembered, arguments.remember) if arguments.remember else spin_opinion
        for outcome in pool.map(partial(judge, seed=arguments.seed, files=files, ask=ask), numbers):
            outcomes.append(outcome)
            _show(outcome, arguments.keep, arguments.shrink)
            if len(outcomes) % 50 == 0:
                print(f"{len(outcomes)} mutants", file=sys.stderr, flush=True)
    print(table(outcomes))
    sys.exit(any(None in outcome.explained for outcome in outcomes))


def _show(outcome: Outcome, keep: Path | None, shrink: bool) -> None:
    unexplained = [d for d, why in zip(outcome.comparison.differences, outcome.explained, strict=True) if why is None]
    if not unexplained:
        return
    text = outcome.mutant.text
    if shrink and unexplained[0].about != "accepted":
        first = unexplained[0]
        text = shrunk(text, lambda program: differs_about(program, first.about, first.spin))
    lines = [f"// mutant {outcome.number} of {outcome.model}: {', '.join(outcome.mutant.changes)}"]
    lines += [f"// {difference}" for difference in unexplained]
    print("\n".join(lines), flush=True)
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{outcome.number}.pml").write_text("\n".join(lines) + "\n" + text)


def table(outcomes: Sequence[Outcome]) -> str:
    """What became of all mutants, what was compared, and what the differences are."""
    fates = Counter(outcome.fate for outcome in outcomes)
    asked: Counter[str] = Counter()
    differing: Counter[str] = Counter()
    for outcome in outcomes:
        asked.update({_sort(about) for about in outcome.comparison.asked})
        pairs = zip(outcome.comparison.differences, outcome.explained, strict=True)
        differing.update({why or f"UNEXPLAINED: {_sort(difference.about)}" for difference, why in pairs})
    lines = [f"{len(outcomes)} mutants"]
    lines += [f"  {count:5} {fate}" for fate, count in fates.most_common()]
    lines += ["mutants compared by question"]
    lines += [f"  {count:5} {about}" for about, count in sorted(asked.items())]
    lines += ["mutants that differ, by explanation"]
    lines += [f"  {count:5} {why}" for why, count in differing.most_common()]
    return "\n".join(lines)


def _sort(about: str) -> str:
    """`claim p -f, --por auto` is one of the questions about claims."""
    kind = re.sub(r"^claim( (?!-f)[^ ,]+)?", "claim", about)
    return re.sub(r"^(rejected|crash).*", r"\1", kind)


if __name__ == "__main__":
    main()
