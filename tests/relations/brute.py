"""Relations by brute force: the definitions word for word, over all states."""

from __future__ import annotations

from mule.model import Model
from mule.model.failures import effects_may_fail
from mule.model.interpreter import Interpreter, State
from mule.model.model import Kind
from mule.relations import Relations
from tests.small_models import steps_of


class Brute:
    """The state space, and the definitions word for word."""

    def __init__(self, model: Model, states: list[State]) -> None:
        self.model, self.states = model, states
        self.interpreter = Interpreter(model)
        self.numbers = range(len(model.transitions))
        self.steps = {
            (number, state): steps_of(self.interpreter, number, state) for state in states for number in self.numbers
        }

    def after(self, number: int, state: State) -> dict[int, State | None] | None:
        """By outcome the state after it, None for a failure; None altogether where disabled."""
        if (number, state) in self.steps:
            steps = self.steps[number, state]
        else:
            steps = steps_of(self.interpreter, number, state)
        if steps is None:
            return None
        return {outcome: None if step.failure else step.target for outcome, step in steps.items()}

    def kind(self, number: int) -> Kind:
        return self.model.transitions[number].kind

    def accord(self, t: int, u: int, state: State) -> bool:
        first, second = self.after(t, state), self.after(u, state)
        if first is None or second is None:
            return True
        error_t, error_u = self.kind(t) is Kind.ERROR, self.kind(u) is Kind.ERROR
        for goes, other, other_after, error in ((first, u, second, error_t), (second, t, first, error_u)):
            if error:
                continue
            for target in goes.values():
                if target is not None and not self.same_outcomes(self.after(other, target), other_after):
                    return False
        if error_t or error_u:
            return True
        for i, one in first.items():
            for j, other_state in second.items():
                if one is None or other_state is None:
                    continue
                then, too = self.after(u, one), self.after(t, other_state)
                if then is None or too is None or then[j] is None or then[j] != too[i]:
                    return False
        return True

    @staticmethod
    def same_outcomes(now: dict[int, State | None] | None, before: dict[int, State | None]) -> bool:
        if now is None:
            return False
        return {k: v is None for k, v in now.items()} == {k: v is None for k, v in before.items()}

    def left_accord(self, t: int, u: int, state: State) -> bool:
        """If u then t can run, then t then u can, to the same state; and a failure of t is found as well."""
        earlier = self.after(u, state)
        if earlier is None or self.kind(u) is Kind.ERROR:
            return True
        at_once = self.after(t, state)
        for j, middle in earlier.items():
            later = None if middle is None else self.after(t, middle)
            if later is None:
                continue
            if at_once is None:
                return False
            if self.kind(t) is Kind.ERROR:
                continue
            for i, end in later.items():
                if i not in at_once:
                    return False
                other = at_once[i]
                if end is None or other is None:
                    if end is not other:
                        return False
                    continue
                then = self.after(u, other)
                if then is None or then.get(j) != end:
                    return False
        return True


def bits(row: int, number: int) -> bool:
    return bool(row >> number & 1)


def examine_relations(brute: Brute, relations: Relations) -> None:
    model, states, interpreter = brute.model, brute.states, brute.interpreter
    holds = {state: [interpreter.holds(guard, state) for guard in range(len(model.guards))] for state in states}
    for state in states:
        true = [guard for guard, value in enumerate(holds[state]) if value]
        for guard in true:
            for other in true:
                assert not bits(relations.never_coenabled[guard], other)
        for number in brute.numbers:
            for step in (brute.steps[number, state] or {}).values():
                if step.failure is not None:
                    continue
                for guard, (before, after) in enumerate(zip(holds[state], holds[step.target], strict=True)):
                    assert before or not after or bits(relations.enabling[guard], number), "enabling"
                    assert after or not before or bits(relations.disabling[guard], number), "disabling"
                for other in brute.numbers:
                    if bits(relations.must_disable[number], other):
                        assert brute.after(other, step.target) is None, "must disable"
            transition = model.transitions[number]
            if any(step.failure for step in (brute.steps[number, state] or {}).values()):
                assert transition.kind is Kind.ERROR or effects_may_fail(model, transition, relations.domains)
        for t in brute.numbers:
            for u in brute.numbers:
                if t == u:
                    continue
                if not bits(relations.do_not_accord[t], u):
                    assert brute.accord(t, u, state), f"accord {t} {u} in {state}"
                if not bits(relations.do_not_left_accord[t], u):
                    assert brute.left_accord(t, u, state), f"left accord {t} {u} in {state}"
    for t in brute.numbers:
        for u in brute.numbers:
            assert bits(relations.do_not_accord[t], u) == bits(relations.do_not_accord[u], t)


def edges(model: Model, states: list[State]) -> list[tuple[State, int, int, State, bool]]:
    """All steps, failures among them, of the transitions that were there before the split."""
    interpreter = Interpreter(model)
    origins = [t.origins[0] if t.origins else number for number, t in enumerate(model.transitions)]
    return sorted(
        (state, origins[step.transition], step.outcome, step.target, step.failure is not None)
        for state in states
        for step in interpreter.steps(state)
    )
