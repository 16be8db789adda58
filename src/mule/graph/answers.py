"""Formulas judged on a graph: CTL by labelling, LTL by the product with an automaton."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from mule import _engine, ctl
from mule.checking import check
from mule.ctl import Evidence, Labels
from mule.engine import ProgressCallback, native_limits, to_progress
from mule.errors import MuleError
from mule.graph.construction import StateGraph, construct
from mule.graph.propositions import Proposition, atoms_of, distinct, numbers, parse_ctl
from mule.graph.trails import linear_trail
from mule.ltl import Automaton
from mule.ltl.parser import Parsed
from mule.model import Model
from mule.model.printer import format_expression, locations_of
from mule.options import Options
from mule.preparation import limits_from, wide_enough
from mule.preservation import require_preserved
from mule.properties import Properties
from mule.records import replace
from mule.results import Judgement, Result, Verdict, Violation, ViolationKind
from mule.temporal import Question, questions_of, temporal_judgement
from mule.temporal.counterexample import Choice, lasso
from mule.temporal.evaluable import Statement, doubtful, with_values

NO_RUN = "there is no run: each way on from the initial state goes wrong (see `mule check`)"


def check_branching(
    model: Model, wanted: Properties, options: Options, progress: ProgressCallback | None = None
) -> Result:
    """CTL on one graph for all formulas, after everything else that is asked for holds."""
    if options.fairness != "none":
        raise MuleError("CTL is judged over all runs: leave out --fairness, or write the property in LTL")
    require_preserved(options, "ctl")
    formulas = [parse_ctl(model, text) for text in wanted.ctl]
    if any(_doubtful(model, parsed) for parsed in formulas):
        model = wide_enough(model, options, progress)
        statements = [each for parsed in formulas for each in _doubtful(model, parsed)]
        judge = partial(_check_branching, model, wanted, options, progress)
        return with_values(model, statements, wanted, wanted.ctl, options, progress, judge)
    return _check_branching(model, wanted, options, progress)


def _doubtful(model: Model, parsed: Parsed[ctl.Formula]) -> list[Statement]:
    atoms = {each.text: each.expression for each in atoms_of(model, parsed)}
    return doubtful(model, parsed.formula, atoms)


def _check_branching(
    model: Model, wanted: Properties, options: Options, progress: ProgressCallback | None = None
) -> Result:
    formulas = [parse_ctl(model, text) for text in wanted.ctl]
    observed = distinct(each for parsed in formulas for each in atoms_of(model, parsed))
    others = replace(wanted, ctl=())
    before: Result | None = None
    if others.safety or others.temporal:
        before = check(model, others, options, progress)
        if before.verdict is not Verdict.HOLDS:
            rest = [temporal_judgement(text, None, "violation") for text in wanted.ctl]
            return replace(before, judgements=(*before.judgements, *rest))
    notes = []
    if not all(parsed.formula.next_free for parsed in formulas):
        if options.por != "none":
            notes.append("EX and AX count steps, so nothing was reduced")
        options = options.but(por="none", proviso="auto")
    built = construct(model, observed, "ctl", options, progress)
    earlier = () if before is None else before.judgements
    if built.graph is None:
        notes += built.result.notes
        rest = [temporal_judgement(text, None, built.result.stopped) for text in wanted.ctl]
        return replace(built.result, judgements=(*earlier, *rest), notes=tuple(notes))
    graph = replace(built.graph, notes=(*notes, *built.graph.notes))
    judged = _check_graph(graph, Properties(ctl=wanted.ctl), options, progress)
    built_in = graph.statistics
    statistics = replace(built_in, search_seconds=built_in.search_seconds + judged.statistics.search_seconds)
    return replace(judged, judgements=(*earlier, *judged.judgements), statistics=statistics)


def check_graph(
    graph: StateGraph, wanted: Properties, options: Options | None = None, progress: ProgressCallback | None = None
) -> Result:
    """All that is asked, whatever comes out for the others; of the options only the limits matter."""
    if wanted.safety:
        raise MuleError("a saved graph answers --ltl, --ctl and --claim: check the rest on the model itself")
    if not wanted.temporal:
        raise MuleError("say what to check on this graph: --ltl, --ctl or --claim")
    model = graph.model
    questions = questions_of(model, replace(wanted, ctl=()))
    statements = [each for text in wanted.ctl for each in _doubtful(model, parse_ctl(model, text))]
    for question in questions:
        if question.formula is not None:
            statements += doubtful(model, question.formula, dict(question.expressions))
    texts = [*(question.text for question in questions), *wanted.ctl]
    judge = partial(_check_graph, graph, wanted, options, progress)
    return with_values(model, statements, wanted, texts, options or Options(), progress, judge)


def _check_graph(
    graph: StateGraph, wanted: Properties, options: Options | None, progress: ProgressCallback | None
) -> Result:
    started = time.perf_counter()
    notes = list(graph.notes)
    judgements: list[Judgement] = []
    stopped: str | None = None
    for question in questions_of(graph.model, replace(wanted, ctl=())):
        violation, ended = _judge_linear(graph, question, options or Options(), progress)
        judgements.append(temporal_judgement(question.text, violation, ended))
        stopped = stopped or ended
    if wanted.ctl:
        branching = _Branching(graph, wanted.ctl)
        judgements += [temporal_judgement(text, branching.judge(text), None) for text in wanted.ctl]
        if branching.labels.no_run:
            notes.append(NO_RUN)
    judging = time.perf_counter() - started
    return Result(
        model=graph.model,
        options=graph.options,
        statistics=replace(graph.statistics, compile_seconds=0.0, search_seconds=judging),
        judgements=tuple(judgements),
        stopped=stopped,
        notes=tuple(notes),
    )


class _Branching:
    """CTL formulas on one graph, which share what is known about their parts."""

    def __init__(self, graph: StateGraph, texts: Sequence[str]) -> None:
        self.graph = graph
        parsed = {text: parse_ctl(graph.model, text) for text in texts}
        self.formulas = {text: each.formula for text, each in parsed.items()}
        for text, formula in self.formulas.items():
            _require_preserved(graph, text, formula)
        atoms: list[Proposition] = [atom for each in parsed.values() for atom in atoms_of(graph.model, each)]
        places = zip(atoms, numbers(graph.observed, atoms), strict=True)
        self.labels = Labels(graph.native, {atom.text: place for atom, place in places})
        self.meaning = {atom.text: atom.expression for atom in atoms}

    def judge(self, text: str) -> Violation | None:
        if self.labels.holds(self.formulas[text]):
            return None
        found = ctl.evidence(self.labels, ctl.negation_normal_form(self.formulas[text], negated=True))
        trail = linear_trail(self.graph.model, found, self.meaning)
        return Violation(ViolationKind.TEMPORAL, text, _why(found), trail)


def _require_preserved(graph: StateGraph, text: str, formula: ctl.Formula) -> None:
    if graph.preserves == "ltl":
        raise MuleError(
            f"this graph was reduced so that it preserves LTL only, and {text} is in CTL: "
            "explore again with --preserve ctl"
        )
    if graph.preserves != "all" and not formula.next_free:
        raise MuleError(f"{text} counts steps (EX, AX), and this graph was reduced: explore again with --por none")


def _why(found: Evidence) -> str:
    if found.cycle is not None:
        return f"from here on {found.rest} holds for ever"
    if found.rest.boolean:
        return f"{found.rest} holds here"
    return f"{found.rest} holds here, which no single run can show"


def _judge_linear(
    graph: StateGraph, question: Question, options: Options, progress: ProgressCallback | None
) -> tuple[Violation | None, str | None]:
    """A run that violates the property, or why the search ended early."""
    if graph.preserves != "all" and not question.stutters:
        raise MuleError(f"{question.text} counts steps, and this graph was reduced: explore again with --por none")
    automaton = question.automaton
    locations = locations_of(graph.model.processes)
    asked = [Proposition(format_expression(atom, locations), atom) for atom in question.atoms]
    native, prefix, cycle = _engine.check_graph_emptiness(
        graph.native,
        _edges(automaton, numbers(graph.observed, asked)),
        automaton.initial,
        len(graph.observed),
        automaton.marks,
        question.finite_runs,
        native_limits(limits_from(options)),
        None if progress is None else lambda native: progress(to_progress(native)),
    )
    if native.empty:
        return None, native.stopped or None
    trail = lasso(graph.model, question, _choices(prefix), _choices(cycle))
    return Violation(ViolationKind.TEMPORAL, question.text, "this run violates the property", trail), None


Cube = tuple[int, int]


def _edges(automaton: Automaton, places: Sequence[tuple[int, bool]]) -> list[list[tuple[list[Cube], int, int]]]:
    """The edges over the letters of the graph; for each atom its proposition there, and whether it is negated."""

    def moved(cube: Cube) -> Cube:
        masks = [0, 0]
        for atom, (number, negated) in enumerate(places):
            for side in (0, 1):
                masks[side ^ negated] |= (cube[side] >> atom & 1) << number
        return masks[0], masks[1]

    return [
        [([moved(cube) for cube in automaton.cubes(edge)], edge.target, edge.marks) for edge in out]
        for out in automaton.edges
    ]


def _choices(steps: Sequence[tuple[int, int]]) -> list[Choice]:
    return [None if step[0] == _engine.STUTTER else step for step in steps]
