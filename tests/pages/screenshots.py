"""The pictures in the documentation: `python -m tests.pages.screenshots`, from the top of the repository."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

import mule
from tests.pages.conftest import CHROMIUM
from tests.pages.opened import opened
from tests.pages.test_explorer import at, explored

IMAGES = Path("docs/images")
HEIGHT = 1620


def main() -> None:
    mule.load("examples/philosophers.pnml").graph("states").save(IMAGES / "states.svg")
    mule.load("examples/mailbox.pml").graph("processes").save(IMAGES / "processes.svg")
    with TemporaryDirectory() as folder, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        picture_report(browser, Path(folder))
        picture_explorer(browser)
        browser.close()


def picture_report(browser: Browser, folder: Path) -> None:
    path = folder / "report.html"
    mule.load("examples/two_phase_commit.py", defines=["bug=1"]).check().save_report(path)
    for scheme in ("light", "dark"):
        with opened(browser, path.as_uri(), scheme) as page:
            page.page.keyboard.press("ArrowLeft")
            clip = {"x": 0.0, "y": 0.0, "width": 1400.0, "height": float(HEIGHT)}
            page.page.screenshot(path=IMAGES / f"report-{scheme}.png", full_page=True, clip=clip)  # type: ignore[arg-type]


def picture_explorer(browser: Browser) -> None:
    for scheme in ("light", "dark"):
        with explored(browser, "philosophers.dve", scheme) as (_, page):
            for number, key in enumerate("12", start=1):
                page.page.keyboard.press(key)
                at(page, number)
            page.page.locator(".why summary").nth(1).click()
            page.page.screenshot(path=IMAGES / f"explorer-{scheme}.png")


if __name__ == "__main__":
    main()
