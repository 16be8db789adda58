"""Derived dependency, can-enable and necessary sets, each in its direction, against all reachable states of small
random models; and the library against the engine."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings

from mule import _engine
from mule.engine import Algorithm
from mule.lpor import Facts, Lpor, LporRelations
from mule.model import Model, Outcome, Receive, Send
from mule.model.expressions import Constant, Read
from mule.model.interpreter import Interpreter, State
from mule.model.model import Kind
from mule.options import Options
from mule.planning import Preparation, plan_for
from mule.records import replace
from mule.relations import members
from mule.relations.lpor import LocalRelations, derive_local, sharpen
from mule.validation.lpor import LocalChecker, false_guard_sets
from tests.fuzz import examples
from tests.small_models import Builder, compare, models, put, reachable

pytestmark = pytest.mark.slow

EXAMPLES = examples(60)


class Brute:
    """The definitions of the LPOR paper, word for word, over the reference interpreter."""

    def __init__(self, model: Model, states: list[State]) -> None:
        self.model, self.states = model, states
        self.interpreter = Interpreter(model)
        self.steps = {state: self.steps_of(state) for state in states}

    def steps_of(self, state: State) -> dict[int, set[State]]:
        found: dict[int, set[State]] = {}
        for step in self.interpreter.steps(state):
            if self.model.transitions[step.transition].kind is Kind.STEP:
                found.setdefault(step.transition, set()).update([] if step.failure else [step.target])
        return found

    def can_enable(self) -> set[tuple[int, int]]:
        return {
            (t, other)
            for state, here in self.steps.items()
            for t, targets in here.items()
            for target in targets
            for other in self.steps[target].keys() - here.keys()
        }

    def dependencies(self) -> set[tuple[int, int]]:
        found = set()
        for here in self.steps.values():
            for t, targets in here.items():
                for other in here.keys() - {t}:
                    disabled = any(other not in self.steps[target] for target in targets)
                    first = {end for target in targets for end in self.steps[target].get(other, ())}
                    second = {end for target in here[other] for end in self.steps[target].get(t, ())}
                    if disabled or not first <= second:
                        found.add((t, other))
        return found

    def enabled_without(self, state: State, avoided: set[int]) -> set[int]:
        """What paths without some transitions can enable."""
        seen, work = {state}, [state]
        found: set[int] = set()
        for at in work:
            found |= self.steps[at].keys()
            for t, targets in self.steps[at].items():
                fresh = set() if t in avoided else targets - seen
                seen |= fresh
                work += fresh
        return found


def prepared_with_states(model: Model) -> tuple[Preparation, list[State]]:
    prepared = Preparation(plan_for(model, Options(por="lpor", as_written=True), "deadlocks", ()))
    states = reachable(prepared.searched, 300)
    assume(states is not None)
    assert states is not None
    return prepared, states


def examine(brute: Brute, local: LocalRelations, enabling: list[int]) -> None:
    for t, other in brute.can_enable():
        assert t == other or local.can_enable[t] >> other & 1, f"{t} enables {other}"
    for t, other in brute.dependencies():
        assert local.dependent_on[other] >> t & 1, f"{other} depends on {t}"
    for state, here in brute.steps.items():
        for number, transition in enumerate(brute.model.transitions):
            if number in here or transition.kind is not Kind.STEP:
                continue
            for guard in transition.guards:
                if not brute.interpreter.holds(guard, state):
                    without = brute.enabled_without(state, set(members(enabling[guard])))
                    assert number not in without, f"{number} needs one of {enabling[guard]:b} in {state}"


@settings(max_examples=EXAMPLES)
@given(models())
def test_derived_relations_claim_nothing_that_some_state_refutes(model: Model) -> None:
    prepared, states = prepared_with_states(model)
    relations = prepared.relations
    examine(Brute(prepared.searched, states), derive_local(relations), relations.enabling)


def news() -> Model:
    """One process posts news; another reads either what is old or, if there are any, the news."""
    builder = Builder()
    posted, read = builder.variable("posted", 1), builder.variable("read", 2)
    builder.transition(builder.process("editor", 2), 0, 1, (), (put(posted, 1),))
    fresh = Outcome((put(read, 2),), compare(Read(posted), "==", 1))
    reader = builder.process("reader", 3)
    builder.transition(reader, 0, 1, (), Outcome((put(read, 1),)), fresh)
    builder.transition(reader, 1, 2, [compare(Read(posted), "==", 1)])
    return builder.model()


def transposed(rows: list[int]) -> list[int]:
    return [sum(1 << n for n, row in enumerate(rows) if row >> column & 1) for column in range(len(rows))]


def test_relations_in_the_wrong_direction_are_refuted() -> None:
    """So that the test above would notice: the reader depends on the editor, who does not care for readers."""
    prepared = Preparation(plan_for(news(), Options(por="lpor", as_written=True), "deadlocks", ()))
    states = reachable(prepared.searched)
    assert states is not None
    relations = prepared.relations
    local, brute = derive_local(relations), Brute(prepared.searched, states)
    examine(brute, local, relations.enabling)
    assert local.dependent_on[1] == 1 << 0
    assert local.dependent_on[0] == 0
    for wrong in (
        replace(local, dependent_on=transposed(local.dependent_on)),
        replace(local, can_enable=transposed(local.can_enable)),
    ):
        with pytest.raises(AssertionError):
            examine(brute, wrong, relations.enabling)
        checker = LocalChecker(prepared.engine, wrong)
        assert checker.check([tuple(prepared.engine.compiled.layout.pack(state)) for state in states])
    with pytest.raises(AssertionError):
        examine(brute, local, [0] * len(relations.enabling))


@settings(max_examples=EXAMPLES)
@given(models())
def test_the_checker_of_mule_validate_agrees(model: Model) -> None:
    prepared, states = prepared_with_states(model)
    engine, relations = prepared.engine, prepared.relations
    packed = [tuple(engine.compiled.layout.pack(state)) for state in states]
    checker = LocalChecker(engine, derive_local(relations))
    assert not checker.check(packed[:50], false_guard_sets(engine, relations.enabling))


class Rows(LporRelations[int]):
    """Mule's derived relations, for the library."""

    def __init__(self, prepared: Preparation) -> None:
        self.local = derive_local(prepared.relations)
        self.sets = false_guard_sets(prepared.engine, prepared.relations.enabling)

    def dep(self, t1: int, t: int) -> bool:
        return bool(self.local.dependent_on[t] >> t1 & 1)

    def can_enable(self, t1: int, t: int) -> bool:
        return bool(self.local.can_enable[t1] >> t & 1)

    def enabling_sets(self, state: tuple[int, ...], t: int) -> list[list[int]]:
        return [list(members) for members in self.sets(state, t)]


@settings(max_examples=EXAMPLES)
@given(models())
def test_library_and_engine_choose_the_same_sets(model: Model) -> None:
    prepared, states = prepared_with_states(model)
    engine = prepared.engine
    rows = Rows(prepared)
    library = Lpor(range(len(prepared.searched.transitions)), rows)
    for net in (False, True):
        reducer = engine.reducer(prepared.relations, Algorithm("lpor", remember="none", net=net))
        for state in states[:60]:
            words = tuple(engine.compiled.layout.pack(state))
            enabled = sorted(
                {
                    t
                    for t, *_ in _engine.successors(engine.program, list(words))
                    if prepared.searched.transitions[t].kind is Kind.STEP
                }
            )
            if enabled:
                sets = [library.stubborn(initial, enabled, state=words if net else None) for initial in enabled]
                assert reducer.choose(words, enabled) == min(sets, key=len), (net, state)


def test_facts_about_messages_rule_out_more() -> None:
    """A front end that knows who sends what to whom; without it the mailbox of two kinds of messages is one channel."""
    builder = Builder()
    box = builder.channel("box", 2, 1)
    sender, receiver = builder.process("sender", 2), builder.process("receiver", 3)
    builder.transition(sender, 0, 1, [compare(Read(box.length), "<", 2)], (Send(box, (Constant(0),)),))
    head = Read(box.fields[0], Constant(0))
    for kind in (0, 1):
        waiting = [compare(Read(box.length), ">", 0), compare(head, "==", kind)]
        builder.transition(receiver, 0, 1 + kind, waiting, (Receive(box, (None,)),))
    prepared = Preparation(plan_for(builder.model(), Options(por="lpor", as_written=True), "deadlocks", ()))
    local = LocalRelations([0b110, 0b101, 0b011], [0b110, 0b100, 0b010])
    facts = [
        Facts(0, "sender", outputs=frozenset({"receiver"}), sends=frozenset({0})),
        Facts(1, "receiver", inputs=frozenset({"sender"}), receives=frozenset({0})),
        Facts(2, "receiver", inputs=frozenset({"sender"}), receives=frozenset({1})),
    ]
    sharper = sharpen(prepared.relations, local, facts)
    assert sharper == LocalRelations([0b000, 0b101, 0b010], [0b010, 0b000, 0b000])
    states = reachable(prepared.searched)
    assert states is not None
    examine(Brute(prepared.searched, states), sharper, prepared.relations.enabling)
    assert sharpen(prepared.relations, local, [None, *facts[1:]]).dependent_on[0] == 0b110
