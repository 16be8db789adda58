"""Our models of protocols: SPIN takes them, with the same verdicts and the same number of states."""

from __future__ import annotations

from pathlib import Path

import pytest

from mule.benchmarks import figure8, spin, table7
from mule.benchmarks.products import Case, Kept, by_spin, own, search
from mule.benchmarks.protocols import HOME
from mule.benchmarks.seed003 import TABLES_7_AND_8
from mule.benchmarks.seed004 import FIGURE_8
from mule.checking import Properties, check, explore
from mule.frontends import load
from mule.options import Options
from mule.records import replace
from mule.results import Verdict
from tests.benchmarks.corpora import printed

pytestmark = pytest.mark.slow

needs_spin = pytest.mark.skipif(not spin.installed(), reason="SPIN or gcc is not installed")

SMALL: dict[str, tuple[str, ...]] = {
    "abp": ("DATA=2",),
    "accounting": ("BRANCHES=2",),
    "dtp": ("MESSAGES=1", "WINDOW=1"),
    "election": ("N=3",),
    "giop": ("USERS=1",),
    "lossy_abp": ("N=1",),
    "marriage": ("N=2",),
    "pacemaker_concurrent": ("LIMIT=4", "DELAY=2"),
    "pacemaker_distributed": ("LIMIT=2", "DELAY=1"),
    "peterson_n": ("N=2",),
    "pftp": ("BLOCKS=1", "WINDOW=1"),
    "sender_receiver": ("N=1",),
    "sieve": ("PRIMES=2", "LAST=4", "ROOM=1"),
    "snoopy": ("VALUES=1",),
    "switch": ("N=2",),
    "token_ring": ("N=2",),
    "urp": ("WINDOW=1", "BLOCKS=2", "ROOM=1"),
}
"""Parameters with which each model has few states."""
CLAIMS = [
    (name, claim.name, defines)
    for name, defines in SMALL.items()
    for claim in load(HOME / f"{name}.pml", "promela", defines).claims
]


def spin_s_full_count(path: Path, defines: tuple[str, ...], folder: Path) -> tuple[int, int]:
    """The model is given to SPIN with its parameters at its head."""
    model = folder / path.name
    model.write_text("".join(f"#define {each.replace('=', ' ')}\n" for each in defines) + path.read_text())
    found = spin.verify(model, ("-DSAFETY", "-DNOREDUCE", "-DNOCLAIM"))
    return found.states, found.transitions


def test_every_model_has_small_parameters() -> None:
    assert {path.stem for path in HOME.glob("*.pml")} == set(SMALL)
    assert set(FIGURE_8) <= set(SMALL)


@needs_spin
@pytest.mark.parametrize("name", SMALL)
def test_the_states_are_spin_s(name: str, tmp_path: Path) -> None:
    path, defines = HOME / f"{name}.pml", SMALL[name]
    ours = explore(load(path, "promela", defines), Options(por="none", as_written=True)).statistics
    assert (ours.states, ours.transitions + 1) == spin_s_full_count(path, defines, tmp_path)


@needs_spin
@pytest.mark.parametrize(("name", "claim", "defines"), CLAIMS)
def test_the_products_and_verdicts_are_spin_s(name: str, claim: str, defines: tuple[str, ...]) -> None:
    case = own(name, name, claim, *defines)
    full, theirs = search(case.load(), case, Options(por="none")), by_spin(case, reduced=False, time=60)
    assert theirs is not None
    assert (full.states, full.verdict) == (theirs.states, theirs.verdict)


@pytest.mark.parametrize(("name", "claim", "defines"), CLAIMS)
def test_the_properties_hold_whatever_the_reduction(name: str, claim: str, defines: tuple[str, ...]) -> None:
    case = own(name, name, claim, *defines)
    for por in ("none", "ample", "auto"):
        assert search(case.load(), case, Options(por=por)).verdict is Verdict.HOLDS


@pytest.mark.parametrize("name", SMALL)
def test_nothing_else_is_wrong_with_the_models(name: str) -> None:
    model = load(HOME / f"{name}.pml", "promela", SMALL[name])
    assert check(model, Properties(deadlock=True, assertions=True)).verdict is Verdict.HOLDS


def test_figure_8_on_small_protocols(tmp_path: Path) -> None:
    some = ("abp", "dtp")
    small = tuple(own(name, name, "again", *SMALL[name]) for name in some)
    status, text = printed(lambda models, console: figure8.run(models, console, cases=small), tmp_path)
    assert status == 0
    assert "agree in 2 of 2 protocols" in text
    assert text.count("\n") >= 2 + len(some)


def test_a_verdict_that_differs_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    small = own("abp", "abp", "again", *SMALL["abp"])

    def wrong(case: Case, reduced: bool, time: float) -> Kept:
        return replace(search(case.load(), case, Options(por="none")), verdict=Verdict.VIOLATED)

    monkeypatch.setattr(figure8, "by_spin", wrong)
    status, text = printed(lambda models, console: figure8.run(models, console, cases=(small,)), tmp_path)
    assert status == 1
    assert "DIFFERS" in text


def test_table_7_on_small_models(tmp_path: Path) -> None:
    small = (
        own("pacemaker-con", "pacemaker_concurrent", "paced", *SMALL["pacemaker_concurrent"]),
        own("other", "abp", "again", *SMALL["abp"]),
    )
    status, text = printed(lambda models, console: table7.run(models, console, chosen=small), tmp_path)
    assert status == 0
    assert "one verdict in 2 of 2 models" in text
    assert all(setting in text for setting in table7.SETTINGS)
    assert "(41.4)" in text


def test_table_7_without_a_corpus_has_our_own_models(tmp_path: Path) -> None:
    assert [case.name for case in table7.cases(tmp_path)] == ["pacemaker-con", "pacemaker-dis"]
    assert set(TABLES_7_AND_8) == {"garp", "iprotocol2", "pacemaker-con", "pacemaker-dis", "peterson4"}
