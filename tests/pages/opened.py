"""A page that was opened, and all that it did on its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page


class Opened:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    @property
    def state(self) -> dict[str, str]:
        """What the table of the state shows, by name; of what changes only the new value."""
        rows: list[tuple[str, str]] = self.page.eval_on_selector_all(
            ".state tr:not(.group)",
            """rows => rows.map(row => [row.cells[0].textContent,
                (row.querySelector(".new") || row.cells[1]).textContent])""",
        )
        return dict(rows)

    @property
    def step(self) -> int:
        return int(self.page.locator(".steps [aria-current] .number").inner_text())

    def faults(self) -> list[Any]:
        """What a person who cannot see the page well would stumble over, the serious things: in the light page all, and
        in the dark one, which differs from it in colours alone, what colours can do."""
        found = self._found({})
        self.page.emulate_media(color_scheme="dark")
        found += self._found({"runOnly": ["color-contrast"]})
        self.page.emulate_media(color_scheme="light")
        return found

    def _found(self, options: dict[str, Any]) -> list[Any]:
        found = Axe().run(self.page, options={"resultTypes": ["violations"], **options}).response["violations"]
        return [
            (each["id"], each["help"], each["nodes"][:2]) for each in found if each["impact"] in ("serious", "critical")
        ]


@contextmanager
def opened(browser: Browser, address: str, scheme: Any = "light") -> Iterator[Opened]:
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    try:
        found = Opened(page)
        page.goto(address)
        page.wait_for_selector("html[data-ready]")
        yield found
    finally:
        context.close()
