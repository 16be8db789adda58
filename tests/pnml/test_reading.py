"""PNML as tools write it, and what is wrong with it: the message and the place, exit status 2, no traceback."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mule.checking import check, explore
from mule.cli.main import main
from mule.errors import MuleError
from mule.frontends import language_of, load, load_text
from mule.frontends.pnml.net import read_net
from mule.options import Options
from mule.properties import Properties
from mule.results import Verdict

EXAMPLES = Path(__file__).parents[2] / "examples"
HEAD = '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">\n'
NET = '<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">\n'
END = "\n</page></net></pnml>"


def document(*lines: str) -> str:
    """A net with these elements, from line 3 on."""
    return HEAD + NET + "\n".join(lines) + END


P, Q, T = '<place id="p"/>', '<place id="q"/>', '<transition id="t"/>'


def marked(id: str, tokens: str) -> str:
    return f'<place id="{id}"><initialMarking><text>{tokens}</text></initialMarking></place>'


def arc(source: str, target: str, inside: str = "") -> str:
    return f'<arc id="{source}-{target}" source="{source}" target="{target}">{inside}</arc>'


def weighing(weight: str) -> str:
    return f"<inscription><text>{weight}</text></inscription>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<pnml><net></pnml>", "1:14: this is not well-formed XML: mismatched tag"),
        ("<pnml>", "1:7: this is not well-formed XML: no element found"),
        (
            '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<pnml>&b;</pnml>',
            "1:13: a document type (DOCTYPE) is not read",
        ),
        ("<net/>", "1:1: the document is a <net>, expected a <pnml>"),
        (HEAD + "</pnml>", "1:1: 0 nets, expected one <net>"),
        (HEAD + "<net id='a'/>\n<net id='b'/></pnml>", "3:1: 2 nets, expected one <net>"),
        (HEAD + "<net id='a'/></pnml>", "2:1: the net is empty"),
        (
            HEAD + '<net id="a" type="http://www.pnml.org/version-2009/grammar/symmetricnet"/></pnml>',
            "grammar/symmetricnet, which is not supported. Mule reads place/transition nets",
        ),
        (document("<place/>"), "3:1: this place has no id"),
        (document(P, P), "4:1: the id p is taken, by a place in line 3"),
        (document(P, T, '  <arc id="a" source="p"/>'), "5:3: this arc has no target"),
        (document(P, T, '<arc id="a" target="p"/>'), "5:1: this arc has no source"),
        (document(P, T, arc("p", "x")), "5:1: the target of this arc is x, and no place or transition has that id"),
        (document(P, Q, arc("p", "q")), "5:1: this arc connects two places, p and q"),
        (document(P, T, arc("t", "t")), "5:1: this arc connects two transitions, t and t"),
        (document(P, T, arc("p", "t", weighing("-2"))), "5:37: the weight is -2, expected at least 1"),
        (document(P, T, arc("p", "t", weighing("0"))), "5:37: the weight is 0, expected at least 1"),
        (document(P, T, arc("p", "t", weighing("many"))), "5:37: the weight is 'many', expected a number in a <text>"),
        (document(P, T, arc("p", "t", weighing("9" * 5000))), "is too large, expected at most"),
        (document(marked("p", "-1")), "3:15: the initial marking is -1, expected at least 0"),
        (document(marked("p", "")), "3:15: the initial marking is '', expected a number in a <text>"),
        (document(P, T, arc("p", "t", '<type value="inhibitor"/>')), "5:37: inhibitor arcs are not supported"),
        (
            document(P, T, arc("p", "t", "<arctype><text>reset</text></arctype>")),
            "5:37: reset arcs are not supported",
        ),
        (document(P, T, arc("p", "t", "<delay/>")), "<delay> in an arc is not supported"),
        (
            document("<place id='p'><capacity><text>1</text></capacity></place>"),
            "<capacity> in a place is not supported",
        ),
        (document("<place id='p'><hlinitialMarking/></place>"), "<hlinitialMarking> belongs to coloured nets"),
        (document("<declaration/>"), "3:1: <declaration> belongs to coloured nets, which are not supported"),
        (document("<transition id='t'><delay/></transition>"), "<delay> in a transition is not supported"),
        (document(T, "<referencePlace id='r' ref='x'/>"), "4:1: this referencePlace refers to x, and no place"),
        (
            document(T, "<referencePlace id='r' ref='t'/>"),
            "4:1: this referencePlace refers to t, which is a transition",
        ),
        (document("<referencePlace id='r' ref='r'/>"), "3:1: the reference r leads back to itself"),
        (document("<referencePlace id='r'/>"), "3:1: this referencePlace has no ref"),
    ],
)
def test_what_is_wrong(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "net.pnml"
    file.write_text(text)
    assert main(["check", str(file)]) == 2
    error = capsys.readouterr().err
    assert f"{file}:" in error
    assert message in " ".join(error.split())


@pytest.mark.parametrize(
    "kind",
    [
        "http://www.pnml.org/version-2009/grammar/ptnet",
        "http://www.pnml.org/version-2009/grammar/pnmlcoremodel",
        "pnmlcore",
        "http://www.informatik.hu-berlin.de/top/pntd/ptNetb",
        "P/T net",
    ],
)
def test_names_of_one_type(kind: str) -> None:
    """Tools write different types for place/transition nets; what else they write is skipped if it changes nothing."""
    lines = [
        marked("p", "2"),
        "<place id=\"({'sign', 'pay'}, {'ship'})\"/>",
        "<transition id='ship goods'/>",
        arc("p", "ship goods", weighing("2") + "<arctype><text>normal</text></arctype>"),
        arc("ship goods", "({'sign', 'pay'}, {'ship'})"),
    ]
    final = '<finalmarkings><marking><place idref="p"><text>1</text></place></marking></finalmarkings>'
    net = read_net(
        f'<pnml><net id="n" type="{kind}"><page id="g">{"".join(lines)}</page>{final}</net></pnml>', "n.pnml"
    )
    assert [place.name for place in net.places] == ["p", "({'sign', 'pay'}, {'ship'})"]
    assert net.initial == (2, 0)
    assert [(firing.takes, firing.brings) for firing in net.firings] == [({0: 2}, {1: 1})]


@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_damaged_files_are_read_or_refused(seed: int) -> None:
    """Pieces of a good file taken out, doubled or swapped: an error of the file, or a net; never anything else."""
    random = Random(seed)
    text = (EXAMPLES / "readers_writers.pnml").read_text()
    pieces = re.split(r'(?<=[>"])', text)
    for _ in range(random.randint(1, 4)):
        at, other = random.randrange(len(pieces)), random.randrange(len(pieces))
        match random.randrange(3):
            case 0:
                del pieces[at]
            case 1:
                pieces.insert(at, pieces[other])
            case _:
                pieces[at], pieces[other] = pieces[other], pieces[at]
    refused: MuleError | None = None
    try:
        load_text("".join(pieces), "damaged.pnml", "pnml")
    except MuleError as error:
        refused = error
    assert refused is None or (refused.place is not None and refused.place.line is not None)


def test_deep_pages() -> None:
    depth = 50_000
    text = HEAD + "<net>" + "<page>" * depth + P + "</page>" * depth + "</net></pnml>"
    assert len(read_net(text, "deep.pnml").places) == 1


def test_labels_without_meaning_are_skipped() -> None:
    text = document(
        '<place id="p"><graphics><position x="1" y="2"/></graphics><toolspecific tool="x" version="1"><colour/>'
        "</toolspecific></place>",
        '<toolspecific tool="x" version="1"><transition id="no"/></toolspecific>',
        '<name><text>page</text></name><transition id="t"/>',
    )
    net = read_net(text, "net.pnml")
    assert (len(net.places), len(net.firings)) == (1, 1)


def test_pages_references_and_several_arcs() -> None:
    text = document(
        marked("p", " 3 "),
        T,
        '<page id="inner"><referencePlace id="r" ref="p"/><referencePlace id="rr" ref="r"/>',
        '<referenceTransition id="rt" ref="t"/>',
        arc("rr", "rt", weighing("2")),
        "</page>",
        arc("p", "t"),
    )
    net = read_net(text, "net.pnml")
    assert net.initial == (3,)
    assert net.firings[0].takes == {0: 3}


def test_other_prefixes_and_no_namespace() -> None:
    for text in (
        '<x:pnml xmlns:x="any"><x:net><x:place id="p"/></x:net></x:pnml>',
        "<pnml><net><place id='p'/></net></pnml>",
    ):
        assert [node.name for node in read_net(text, "net.pnml").places] == ["p"]
        assert language_of("net", text) == "pnml"
    assert language_of("net.xml", f'<?xml version="1.0"?>\n<!-- proctype -->\n{document(P)}') == "pnml"
    assert language_of("net.PNML", "") == "pnml"


def named(tag: str, id: str, name: str) -> str:
    return f'<{tag} id="{id}"><name><text>{name}</text></name></{tag}>'


ODD = document(
    '<place id="x1"><name><text>free slots (a->b)</text></name><initialMarking><text>2</text></initialMarking></place>',
    named("place", "x2", "same"),
    named("place", "x3", "same"),
    named("transition", "go", "let's go"),
    arc("x1", "go"),
    arc("go", "x2"),
)


def test_names_are_used_where_they_tell_places_apart() -> None:
    assert [node.name for node in read_net(ODD, "odd.pnml").places] == ["free slots (a->b)", "x2", "x3"]


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ('"free slots (a->b)" + x2 == 2', True),
        ("x1 + x2 + x3 * 7 == 2", True),
        ("x2 <= 1", False),
        ('enabled("let\'s go") -> x1 >= 1', True),
        ("enabled(go) or x2 == 2", True),
        ("enabled(go)", False),
        ("not (x1 > 2) and !(x2 > 2)", True),
        ("-x2 <= 0 && x2 - 1 < 2", True),
        ("true", True),
        ("x1 || x2", True),
        (" && ".join(["x3 == 0"] * 3000), True),
        (" + ".join(["x2"] * 3000) + " <= 6000", True),
    ],
)
def test_expressions(text: str, holds: bool) -> None:
    model = load_text(ODD, "odd.pnml")
    result = check(model, Properties(invariants=(text,)), Options())
    assert result.verdict is (Verdict.HOLDS if holds else Verdict.VIOLATED)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x4 > 0", "<expression>:1:1: there is no place x4"),
        ("x1 < x2 < x3", "<expression>:1:9: parentheses are needed before this <"),
        ("enabled(x1)", "<expression>:1:9: there is no transition x1"),
        ("(x1 > 0", "<expression>:1:8: expected ), found the end"),
        ("x1 >", "<expression>:1:5: expected a number, a place or enabled(transition), found the end"),
        ("x1 x2", "<expression>:1:4: x2 is not expected here"),
        ("x1 % 2", "<expression>:1:4: unexpected '%'"),
        ("99999999999 > x1", "<expression>:1:1: the number 99999999999 is too large"),
        ("(" * 5000 + "x1" + ")" * 5000, "this is nested too deeply"),
        ("!" * 5000 + "x1", "this is nested too deeply"),
    ],
)
def test_expressions_that_mean_nothing(text: str, message: str) -> None:
    with pytest.raises(MuleError) as caught:
        check(load_text(ODD, "odd.pnml"), Properties(invariants=(text,)), Options())
    assert message in str(caught.value)


def test_odd_names_in_temporal_formulas() -> None:
    model = load_text(ODD, "odd.pnml")
    for formula in ('<> ("free slots (a->b)" == 0)', '[] ("free slots (a->b)" > 0 || x2 == 2)'):
        assert check(model, Properties(ltl=(formula,)), Options()).verdict is Verdict.HOLDS
    assert check(model, Properties(ltl=('[] "free slots (a->b)"',)), Options()).verdict is Verdict.VIOLATED
    assert check(model, Properties(ctl=('AF !"free slots (a->b)"',)), Options()).verdict is Verdict.HOLDS


def test_philosophers() -> None:
    model = load(EXAMPLES / "philosophers.pnml")
    full = explore(model, Options(por="none", as_written=True)).statistics
    assert (full.states, full.transitions, full.deadlocks) == (34, 88, 1)
    assert explore(model, Options(as_written=True)).statistics.states == 26
    assert len(model.processes) == 4


def test_philosophers_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(EXAMPLES / "philosophers.pnml")]) == 1
    out = capsys.readouterr().out
    assert "  1  fires left0   thinks0: 1 → 0, waits0: 0 → 1, fork0: 1 → 0\n" in out
    assert "Where it ends\n  waits0  1\n  waits1  1\n  waits2  1\n  waits3  1\n  no other place has a token\n" in out


def test_readers_and_writers() -> None:
    model = load(EXAMPLES / "readers_writers.pnml")
    assert explore(model, Options(por="none", as_written=True)).statistics.states == 5
    for text in ("reading == 0 || writing == 0", "writing <= 1", "idle + reading + writing == 4"):
        assert check(model, Properties(invariants=(text,)), Options()).verdict is Verdict.HOLDS
    assert check(model, Properties(ltl=("[]<> idle == 4",)), Options()).verdict is Verdict.VIOLATED
    assert check(model, Properties(ctl=("AG EF writing == 1",)), Options()).verdict is Verdict.HOLDS
