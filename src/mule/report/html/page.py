"""One file with everything in it: the data, how they look, and what shows them."""

from __future__ import annotations

import base64
import json
from hashlib import sha256
from html import escape
from importlib.resources import files
from pathlib import Path

from mule.files import written_whole
from mule.options import Options
from mule.records import replace
from mule.report.html.data import result_data
from mule.report.html.growth import Growth
from mule.report.plain import result_text
from mule.results import Judgement, Result, Verdict, Violation, not_searched
from mule.trails.replaying import Replayed

SCRIPTS = ("parts.js", "chart.js", "report.js")


def write_report(result: Result, path: str | Path, growth: Growth | None = None) -> None:
    with written_whole(path) as file:
        file.write(_encoded(html_report(result, growth)))


def _encoded(text: str) -> bytes:
    """What is no text, as some names of files, is written out."""
    return text.encode(errors="backslashreplace")


def html_report(result: Result, growth: Growth | None = None, otherwise: str | None = None) -> str:
    """`otherwise`: what readers without scripts get to see, if not the report of the terminal."""
    data = json.dumps(result_data(result, growth), ensure_ascii=False, separators=(",", ":"))
    title = f"{result.model.name}: {result.verdict.value}"
    return page(title, data, SCRIPTS, f"<pre>{escape(otherwise or result_text(result))}</pre>")


def write_replayed(replayed: Replayed, path: str | Path) -> None:
    """The page of a trail that was followed again: there was no search. It must lead to a violation."""
    from mule.report.replayed import property_words, replayed_text

    assert replayed.violation is not None
    judgement = Judgement(property_words(replayed), replayed.kind, Verdict.VIOLATED, replayed.violation)
    result = not_searched(replayed.trail.model, Options(fairness=replayed.fairness), (judgement,), None)
    told = replace(result, notes=(f"followed from {replayed.file}: other runs were not looked at", *replayed.notes))
    with written_whole(path) as file:
        file.write(_encoded(html_report(told, otherwise=replayed_text(replayed))))


def framed_report(result: Result) -> str:
    """The page inside another one, as a notebook shows it, and the text, which stays where frames are removed."""
    text = f"<details><summary>The report as text</summary><pre>{escape(result_text(result))}</pre></details>"
    return _framed(result.model.name, html_report(result)) + text


def _framed(name: str, content: str) -> str:
    return (
        f'<iframe title="Mule: {escape(name)}" srcdoc="{escape(content)}" width="100%" height="760" '
        'style="border: 0"></iframe>'
    )


def framed_violation(violation: Violation) -> str:
    """One run that violates a property; of the search for it nothing is known."""
    judgement = Judgement(violation.property, violation.kind, Verdict.VIOLATED, violation)
    result = not_searched(violation.trail.model, Options(), (judgement,), None)
    return _framed(violation.trail.model.name, html_report(replace(result, notes=("other runs are not shown here",))))


def page(title: str, data: str, scripts: tuple[str, ...], otherwise: str, connect: str = "'none'") -> str:
    """`otherwise`: what readers without scripts get to see. Nothing is loaded, nothing but these scripts runs, and they
    talk to `connect` alone."""
    style, script = asset("style.css"), "\n".join(map(asset, scripts))
    policy = (
        f"default-src 'none'; img-src data:; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        f"connect-src {connect}; "
        "base-uri 'none'; form-action 'none'"
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<link rel="icon" href="data:,">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
<main><noscript>{otherwise}</noscript></main>
<script type="application/json" id="data">{harmless(data)}</script>
<script>{script}</script>
</body>
</html>
"""


def asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text("utf-8")


def harmless(data: str) -> str:
    """JSON in which nothing looks like the end of a script, and no line ends where JavaScript sees one."""
    return data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"
