"""What is asked of the runs of a model: by formulas, claims and the like, each as an automaton of what violates it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mule.errors import MuleError, Place, clipped
from mule.formulas import members_of, remote_of, words_of
from mule.frontends import can_be_read, is_stream, preprocessed, read_again, stream_name
from mule.ltl.automaton import Automaton, Edge
from mule.ltl.formula import Formula, always, atom, eventually, not_, with_constants
from mule.ltl.hoa import from_hoa
from mule.ltl.lexer import Syntax
from mule.ltl.never import from_never
from mule.ltl.parser import parse
from mule.ltl.splitting import components, conjuncts, split
from mule.ltl.stutter import stutter_closed, stutter_invariant, stutter_invariant_automaton
from mule.ltl.translate import translate
from mule.model import Claim, ClaimEdge, Model
from mule.model.expressions import FALSE, TRUE, Binary, Constant, Expression, Read, conjunction, negation
from mule.model.simplify import binary, is_total, joined
from mule.options import Translator
from mule.properties import ACCEPTANCE, ALL_CLAIMS, PROGRESS, Properties
from mule.records import replace
from mule.state_formulas import with_few_atoms
from mule.temporal.conditions import Conditions


@dataclass(frozen=True, slots=True)
class Question:
    """Is there a run that the automaton accepts? Then the property is violated."""

    text: str
    automaton: Automaton
    atoms: tuple[Expression, ...]
    stutters: bool | None
    """Whether repeating a letter makes no difference: then the automaton is in stutter-closed form. None: unknown."""
    finite_runs: bool = True
    """Whether a run that comes to an end counts, as one that stutters there."""
    formula: Formula | None = None
    """The property, where it is a formula."""
    expressions: tuple[tuple[str, Expression], ...] = ()
    """What its atoms stand for."""
    written: Automaton | None = None
    """The automaton as it was given, where the property is none of a formula."""
    looks: tuple[tuple[Expression, ...], ...] = ()
    """For each state of that automaton, the conditions on its edges."""


def asked_by_formula(
    model: Model,
    text: str,
    syntax: Syntax = "any",
    place: Place | None = None,
    translator: Translator = "auto",
) -> Question:
    parsed = parse(text, syntax, members_of(model), place, remote_of(model), words_of(model))
    atoms = _atoms(model, parsed.formula.atoms(), parsed.places)
    known = {name: value.value != 0 for name, value in atoms.items() if isinstance(value, Constant)}
    formula, atoms = with_few_atoms(with_constants(parsed.formula, known), atoms)
    return about_formula(text, not_(formula), atoms, translator)


def _atoms(model: Model, texts: Sequence[str], places: Mapping[str, Place]) -> dict[str, Expression]:
    """`places` says where each of the texts stands."""
    if model.parse_expression is None:
        raise MuleError(f"{model.language} models have no expressions to write formulas with")
    found = {}
    for text in texts:
        try:
            found[text] = model.parse_expression(text)
        except MuleError as error:
            raise MuleError(f"in `{clipped(text)}`: {error.message}", places.get(text)) from error
    return found


def about_formula(
    text: str, violated: Formula, atoms: dict[str, Expression], translator: Translator = "auto"
) -> Question:
    """Is there a run on which the formula `violated` holds?"""
    automaton = translate(violated, "edges", translator)
    stutters = stutter_invariant(violated)
    if stutters:
        automaton = stutter_closed(automaton)
    observed = tuple(atoms[name] for name in automaton.atoms)
    return Question(text, automaton, observed, stutters, formula=not_(violated), expressions=tuple(atoms.items()))


def parts_of(question: Question) -> list[Question]:
    """Questions that have the answer "no" if and only if the given one has: about the conjuncts of a formula."""
    parts = () if question.formula is None else conjuncts(split(question.formula))
    if len(parts) < 2:
        return [question]
    asked = [about_formula(question.text, not_(part), dict(question.expressions)) for part in parts]
    return [replace(each, finite_runs=question.finite_runs) for each in asked]


def observed_by_parts(question: Question) -> tuple[frozenset[int], ...] | None:
    """For each temporal formula that the property is a boolean combination of, the atoms that it reads. With `X` the
    whole may be blind to repeated letters where its parts are not: then it is taken for one."""
    if question.formula is None or not question.formula.next_free:
        return None
    numbers = {name: number for number, name in enumerate(question.automaton.atoms)}
    parts = components(split(question.formula))
    return tuple(frozenset(numbers[name] for name in part.atoms() if name in numbers) for part in parts)


def asked_by_claim(model: Model, claim: Claim, translator: Translator = "auto") -> Question:
    if claim.formula is not None:
        syntax: Syntax = "spin" if model.language == "promela" else "any"
        asked = asked_by_formula(model, claim.formula, syntax, claim.place, translator)
        return replace(asked, text=claim.text)
    looks = tuple(tuple(edge.condition for edge in out) for out in claim.edges)
    return replace(about_automaton(claim.text, *_automaton(claim)), looks=looks)


def asked_by_file(model: Model, path: Path) -> Question:
    """The file holds an automaton of the runs that must not be: HOA, or a never claim."""
    file = str(path)
    text = read_again(file, "an automaton")
    file = stream_name(file) if is_stream(file) else file
    read = from_hoa if text.lstrip().startswith("HOA:") else from_never
    if read is from_never:
        text = preprocessed(text, file, model.language)
    automaton = read(text, file)
    meant = _atoms(model, automaton.atoms, {name: _place_in(text, name, file) for name in automaton.atoms})
    atoms = tuple(meant[name] for name in automaton.atoms)
    looks = tuple(tuple(_condition(automaton, edge, atoms) for edge in out) for out in automaton.edges)
    return replace(about_automaton(Path(file).name, automaton, atoms), looks=looks)


def _place_in(text: str, part: str, file: str) -> Place:
    """Where the part first stands in the text of a file."""
    at = text.find(part)
    return Place(file) if at < 0 else Place(file, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))


def about_automaton(text: str, automaton: Automaton, atoms: tuple[Expression, ...]) -> Question:
    stutters = stutter_invariant_automaton(automaton)
    return Question(text, stutter_closed(automaton) if stutters else automaton, atoms, stutters, written=automaton)


def _condition(automaton: Automaton, edge: Edge, atoms: Sequence[Expression]) -> Expression:
    """The label of an edge; what always has a value comes first, since that may decide."""

    def doubts(number: int) -> bool:
        return not is_total(atoms[number])

    ways = []
    for true, false in automaton.cubes(edge):
        read = sorted((number for number in range(len(atoms)) if (true | false) >> number & 1), key=doubts)
        tests = [atoms[number] if true >> number & 1 else negation(atoms[number]) for number in read]
        ways.append((sum(map(doubts, read)), joined("and", tests)))
    return joined("or", [way for _, way in sorted(ways, key=lambda way: way[0])])


def _automaton(claim: Claim) -> tuple[Automaton, tuple[Expression, ...]]:
    """The propositions that the conditions on the edges are made of become the atoms of an automaton."""
    conditions = Conditions((edge.condition for out in claim.edges for edge in out), claim.place)
    edges = [
        [Edge(conditions.label(edge.condition), edge.target, int(state in claim.accepting)) for edge in out]
        for state, out in enumerate(claim.edges)
    ]
    kept = [[edge for edge in out if edge.label] for out in edges]
    names = tuple(f"a{number}" for number in range(len(conditions.atoms)))
    return Automaton(names, kept, claim.initial, 1), conditions.atoms


def asked_about_progress(model: Model) -> Question:
    """No run goes on for ever without progress."""
    idle: list[Expression] = [
        Binary("!=", Read(process.location), Constant(place))
        for process in model.processes
        for place in sorted(process.progress)
    ]
    violated = eventually(always(atom("idle")))
    asked = about_formula(PROGRESS, violated, {"idle": conjunction(idle)})
    return replace(asked, finite_runs=False)


def asked_about_acceptance(model: Model) -> Question:
    """No run comes to an accepting place again and again."""
    places: Expression = FALSE
    for process in model.processes:
        for place in sorted(process.accepting):
            places = binary("or", places, Binary("==", Read(process.location), Constant(place)))
    violated = always(eventually(atom("accepting")))
    return replace(about_formula(ACCEPTANCE, violated, {"accepting": places}), finite_runs=False)


def asked_by_property_process(model: Model) -> Question:
    """DVE's property automaton, as a claim."""
    assert model.property_process is not None
    process = model.processes[model.property_process]
    edges: list[list[ClaimEdge]] = [[] for _ in process.locations]
    for transition in model.property_transitions:
        move = next(move for move in transition.moves if move.process == model.property_process)
        tests = [model.guards[guard].expression for guard in transition.guards]
        here = Binary("==", Read(process.location), Constant(move.source))
        condition: Expression = TRUE
        for test in tests:
            if test != here:
                condition = binary("and", condition, test)
        edges[move.source].append(ClaimEdge(condition, move.target))
    initial = process.location.initial[0]
    claim = Claim(process.name, None, None, tuple(map(tuple, edges)), initial, process.accepting)
    return asked_by_claim(model, claim)


def questions_of(model: Model, wanted: Properties, translator: Translator = "auto") -> list[Question]:
    """What is asked of the model, in the order in which it is answered."""
    found = [asked_by_formula(model, text, translator=translator) for text in wanted.ltl]
    found += [question for name in wanted.claims for question in _claimed(model, name, translator)]
    if wanted.progress:
        found.append(asked_about_progress(model))
    if wanted.acceptance:
        found.append(asked_about_acceptance(model))
    return found


def claim_names(model: Model) -> list[str]:
    """The temporal properties that a model declares."""
    names = [claim.name for claim in model.claims]
    if model.property_process is not None:
        names.append(model.processes[model.property_process].name)
    return names


def _claimed(model: Model, name: str, translator: Translator) -> list[Question]:
    found = [asked_by_claim(model, claim, translator) for claim in model.claims if name in (claim.name, ALL_CLAIMS)]
    process = model.property_process
    if process is not None and name in (model.processes[process].name, ALL_CLAIMS):
        found.append(asked_by_property_process(model))
    if not found and name == ALL_CLAIMS:
        raise MuleError("there is no temporal property to check: the model declares none")
    if not found:
        if can_be_read(name):
            return [asked_by_file(model, Path(name))]
        known = ", ".join(claim_names(model)) or "none"
        raise MuleError(f"no temporal property {clipped(name)}: the model declares {known}, and there is no such file")
    return found
