"""Random CTL formulas."""

from __future__ import annotations

from hypothesis import strategies as st

from mule.ctl import formula as ctl
from mule.ctl.formula import Formula, Op

_PREFIX = (Op.EF, Op.AF, Op.EG, Op.AG)
_STEPS = (Op.EX, Op.AX)
_BINARY = (Op.EU, Op.AU, Op.ER, Op.AR, Op.EW, Op.AW)


def formulas(atoms: tuple[str, ...], leaves: int = 5, steps: bool = False) -> st.SearchStrategy[Formula]:
    """With `steps` also such that have EX and AX."""
    prefix = (*_PREFIX, *_STEPS) if steps else _PREFIX
    return st.recursive(
        st.sampled_from([ctl.atom(text) for text in atoms]),
        lambda inner: st.one_of(
            st.builds(lambda op, arg: Formula(op, (arg,)), st.sampled_from(prefix), inner),
            st.builds(lambda op, left, right: Formula(op, (left, right)), st.sampled_from(_BINARY), inner, inner),
            st.builds(ctl.not_, inner),
            st.builds(
                lambda op, left, right: Formula(op, (left, right)), st.sampled_from((Op.AND, Op.OR)), inner, inner
            ),
        ),
        max_leaves=leaves,
    )
