"""Formulas judged on a graph: CTL by labelling, LTL by the product with an automaton."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from mule import _engine
from mule.budget import spend, unless_ended
from mule.ctl.formula import Formula as BranchingFormula
from mule.ctl.formula import negation_normal_form
from mule.ctl.labelling import Labels
from mule.ctl.witness import Evidence, evidence
from mule.driving import ProgressCallback, drive, native_limits
from mule.effects import for_states, limits_only, require_only_limits
from mule.errors import MuleError, Place
from mule.graph.construction import GOES_WRONG, StateGraph, construct
from mule.graph.propositions import Proposition, atoms_of, distinct, numbers, parse_ctl
from mule.graph.trails import linear_trail
from mule.ltl.automaton import Automaton
from mule.model import Model
from mule.model.printer import format_expression, locations_of
from mule.notes import RUNS_GO_WRONG
from mule.options import Options
from mule.planning import Room, limits_from
from mule.preservation import require_preserved
from mule.properties import Properties
from mule.records import replace
from mule.results import (
    Judgement,
    Result,
    TrailError,
    Verdict,
    Violation,
    ViolationKind,
    combined,
    not_searched,
    temporal_judgement,
)
from mule.safety import check_steps, left_after, without_assertions
from mule.temporal import Question, questions_of, room_for
from mule.temporal.checking import looked_through
from mule.temporal.counterexample import Choice, lasso
from mule.temporal.evaluable import Statement, doubtful, with_values
from mule.vacuity.trees import vacuous_on_trees

NO_RUN = "there is no run: each way on from the initial state goes wrong (see `mule check`)"


class Branching(NamedTuple):
    """A formula of CTL, read."""

    text: str
    formula: BranchingFormula
    atoms: tuple[Proposition, ...]

    def doubtful(self, model: Model) -> list[Statement]:
        return doubtful(model, self.formula, {each.text: each.expression for each in self.atoms})


def read_formulas(model: Model, texts: Sequence[str]) -> list[Branching]:
    """With their propositions read too, so that what is wrong with one is known before anything is searched."""
    parsed = [parse_ctl(model, text) for text in texts]
    found = zip(texts, parsed, strict=True)
    return [Branching(text, each.formula, tuple(atoms_of(model, each))) for text, each in found]


def check_branching(
    model: Model,
    formulas: Sequence[Branching],
    options: Options,
    progress: ProgressCallback | None = None,
    errors_known: bool = False,
) -> Result:
    """CTL on one graph for all formulas. `errors_known`: somebody else looks for steps without a meaning."""
    require_preserved(options, "ctl")
    if not any(each.doubtful(model) for each in formulas):
        return _check_branching(model, formulas, options, progress, errors_known)
    texts = [each.text for each in formulas]
    room = room_for(model, options, progress)
    asked = formulas if room.model is model else read_formulas(room.model, texts)
    statements = [statement for each in asked for statement in each.doubtful(room.model)]

    def judge() -> Result:
        return _check_branching(room.model, asked, options, progress, errors_known)

    return with_values(room, statements, texts, options, progress, judge)


def _check_branching(
    model: Model,
    formulas: Sequence[Branching],
    options: Options,
    progress: ProgressCallback | None,
    errors_known: bool,
) -> Result:
    observed = distinct(atom for each in formulas for atom in each.atoms)
    notes = []
    if not all(each.formula.next_free for each in formulas):
        if options.por != "none":
            notes.append("EX and AX count steps, so nothing was reduced")
        options = options.but(por="none", proviso="auto")
    meant = without_assertions(model) if errors_known else model
    built = construct(meant, observed, "ctl", options, progress)
    if built.graph is None:
        rest = tuple(temporal_judgement(each.text, None, built.result.stopped) for each in formulas)
        return replace(built.result, judgements=rest, notes=(*notes, *built.result.notes))
    graph = replace(built.graph, notes=(*notes, *built.graph.notes))
    asked = list(formulas)
    if graph.model.variables != model.variables:  # it has more room
        asked = read_formulas(graph.model, [each.text for each in formulas])
    judged = _check_graph(graph, (), asked, limits_only(options), progress)
    built_in = graph.statistics
    statistics = replace(built_in, search_seconds=built_in.search_seconds + judged.statistics.search_seconds)
    parts = [replace(judged, statistics=statistics)]
    if GOES_WRONG in graph.notes and not errors_known:
        if without_assertions(model) is not model:
            left = left_after(parts, options)
            parts.append(_check_branching(model, formulas, left, progress, errors_known=True))
        parts.append(check_steps(model, for_states(left_after(parts, options)), progress))
    return combined(parts)


def check_graph(
    graph: StateGraph, wanted: Properties, options: Options | None = None, progress: ProgressCallback | None = None
) -> Result:
    """All that is asked, whatever comes out for the others; of the options only the limits matter."""
    if wanted.safety:
        raise MuleError("a saved graph answers --ltl, --ctl and --claim: check the rest on the model itself")
    if not wanted.temporal:
        raise MuleError("say what to check on this graph: --ltl, --ctl or --claim")
    asked = options or Options()
    require_only_limits(asked)

    def not_judged(reason: str) -> Result:
        texts = (*wanted.ltl, *wanted.claims, *wanted.ctl)
        judgements = tuple(temporal_judgement(text, None, reason) for text in texts)
        return not_searched(graph.model, graph.options, judgements, reason)

    try:
        return spend(asked.time, asked.memory, lambda: _check_whole_graph(graph, wanted, asked, progress), not_judged)
    except TrailError as error:
        if graph.file is None:
            raise
        raise MuleError(f"this graph is not one of its model ({error})", Place(graph.file)) from None


def _check_whole_graph(
    graph: StateGraph, wanted: Properties, options: Options, progress: ProgressCallback | None
) -> Result:
    model = graph.model
    questions = questions_of(model, replace(wanted, ctl=()))
    formulas = read_formulas(model, wanted.ctl)
    statements = [statement for each in formulas for statement in each.doubtful(model)]
    for question in questions:
        if question.formula is not None:
            statements += doubtful(model, question.formula, dict(question.expressions))
    texts = [*(question.text for question in questions), *wanted.ctl]

    def judge() -> Result:
        return _check_graph(graph, questions, formulas, options, progress)

    looks = looked_through(model, questions, progress)
    return with_values(Room(model, None), statements, texts, options, progress, judge, looks)


def _check_graph(
    graph: StateGraph,
    questions: Sequence[Question],
    formulas: Sequence[Branching],
    options: Options,
    progress: ProgressCallback | None,
) -> Result:
    started = time.perf_counter()
    notes = list(graph.notes)
    judgements: list[Judgement] = []
    unknown = RUNS_GO_WRONG if GOES_WRONG in graph.notes else None
    stopped: str | None = None
    for question in questions:
        work = partial(_judge_linear, graph, question, options, progress)
        violation, ended = unless_ended(work, lambda reason: (None, reason))
        judgements.append(temporal_judgement(question.text, violation, ended or unknown))
        stopped = stopped or ended
    if formulas:
        branching = _Branching(graph, formulas)

        def judge(formula: Branching) -> tuple[Violation | None, str | None]:
            return branching.judge(formula, shown_by_a_run=unknown is not None), None

        for formula in formulas:
            violation, ended = unless_ended(partial(judge, formula), lambda reason: (None, reason))
            judgement = temporal_judgement(formula.text, violation, ended or unknown)
            mark = partial(branching.marked, formula, judgement)
            judgements.append(unless_ended(mark, partial(_unmarked, judgement)))
            stopped = stopped or ended
        if stopped is None and branching.labels.no_run:
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


def _unmarked(judgement: Judgement, _: str) -> Judgement:
    return judgement


class _Branching:
    """CTL formulas on one graph, which share what is known about their parts."""

    def __init__(self, graph: StateGraph, formulas: Sequence[Branching]) -> None:
        self.graph = graph
        for each in formulas:
            _require_preserved(graph, each.text, each.formula)
        atoms = [atom for each in formulas for atom in each.atoms]
        places = zip(atoms, numbers(graph.observed, atoms), strict=True)
        self.labels = Labels(graph.native, {atom.text: place for atom, place in places})
        self.meaning = {atom.text: atom.expression for atom in atoms}

    def marked(self, asked: Branching, judgement: Judgement) -> Judgement:
        """With why it holds vacuously, if it does."""
        if judgement.verdict is not Verdict.HOLDS:
            return judgement
        return replace(judgement, vacuous=vacuous_on_trees(asked.formula, self.meaning, self.labels.holds))

    def judge(self, asked: Branching, shown_by_a_run: bool) -> Violation | None:
        """With `shown_by_a_run` only what one run shows counts: some branches of the tree are not known."""
        if self.labels.holds(asked.formula):
            return None
        found = evidence(self.labels, negation_normal_form(asked.formula, negated=True))
        if shown_by_a_run and not found.rest.boolean:
            return None
        trail = linear_trail(self.graph.model, found, self.meaning)
        return Violation(ViolationKind.TEMPORAL, asked.text, _why(found), trail)


def _require_preserved(graph: StateGraph, text: str, formula: BranchingFormula) -> None:
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
    limits = limits_from(options)
    search = _engine.make_graph_emptiness_search(
        graph.native,
        edges_of(automaton, numbers(graph.observed, asked)),
        automaton.initial,
        len(graph.observed),
        automaton.marks,
        question.finite_runs,
        native_limits(limits),
    )
    drive(search, limits, progress)
    native = search.take_result()
    if native.empty:
        return None, native.stopped or None
    trail = lasso(graph.model, question, _choices(native.prefix(graph.native)), _choices(native.cycle(graph.native)))
    return Violation(ViolationKind.TEMPORAL, question.text, "this run violates the property", trail), None


Cube = tuple[int, int]


def edges_of(automaton: Automaton, places: Sequence[tuple[int, bool]]) -> list[list[tuple[list[Cube], int, int]]]:
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
