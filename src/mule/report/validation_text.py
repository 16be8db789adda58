"""What `mule validate` found out, for people."""

from __future__ import annotations

from rich.text import Text

from mule import numbers
from mule.report.layout import Page
from mule.report.validation import Validation


def validation_text(validation: Validation, page: Page) -> None:
    name = validation.model.name
    signs = page.signs
    if validation.findings:
        page.item("", Text.assemble((f"{signs.bad} refuted", "bold red"), f"  {name}"))
        for finding in validation.findings:
            page.item(Text(f"  {signs.bad} {finding.relation}: ", style="red"), finding.message)
    elif validation.stopped is not None:
        page.item("", Text.assemble((f"{signs.open} nothing refuted in a part", "bold yellow"), f"  {name}"))
    else:
        page.item("", Text.assemble((f"{signs.good} valid", "bold green"), f"  {name}"))
    page.heading("Tested")
    page.item("  states   ", f"{validation.states:,}" + (f" ({validation.stopped})" if validation.stopped else ""))
    page.item("  facts    ", f"{validation.checks:,}")
    page.item("  time     ", numbers.seconds(validation.seconds))
    for note in validation.notes:
        page.item("  note     ", note)
