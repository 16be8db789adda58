"""The page of the explorer."""

from __future__ import annotations

import json
from html import escape

from mule import __version__
from mule.explorer.walk import Walk
from mule.report.html.data import files_of, standing_of
from mule.report.html.page import page

SCRIPTS = ("parts.js", "explorer.js")


def explorer_page(walk: Walk) -> str:
    model = walk.model
    data = {
        "version": __version__,
        "model": model.name,
        "language": model.language,
        "algorithm": walk.reduced.reasons.algorithm.name,
        "files": files_of(model),
        "stands": standing_of(model),
        "first": walk.view(0),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    otherwise = f"<p>{escape(model.name)}: this page needs scripts. In a terminal, use mule simulate.</p>"
    return page(f"{model.name}: explorer", text, SCRIPTS, otherwise, connect="'self'")
