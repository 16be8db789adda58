"""How long people wait for pages: `python -m tests.pages.measured`, from the top of the repository."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

import mule
from tests.pages.conftest import CHROMIUM
from tests.pages.opened import opened
from tests.pages.test_explorer import EXAMPLES, explored
from tests.pages.test_report import LONG

STEPS = 30


def main() -> None:
    with TemporaryDirectory() as folder, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        measure_report(browser, Path(folder))
        for path in sorted(EXAMPLES.glob("*.*")):
            measure_explorer(browser, path.name)
        browser.close()


def measure_report(browser: Browser, folder: Path) -> None:
    path = folder / "long.html"
    result = mule.loads(LONG, "promela").check(assertions=True)
    assert result.violation is not None
    result.save_report(path)
    begun = time.perf_counter()
    with opened(browser, path.as_uri()):
        taken = time.perf_counter() - begun
    size = path.stat().st_size / 1e6
    print(f"report of {len(result.violation.trail):,} steps: {size:.1f} MB, opened in {taken:.2f} s")


TAKEN = """() => new Promise((told) => {
    const before = performance.now();
    const drawn = () => { seen.disconnect(); told(performance.now() - before); };
    const seen = new MutationObserver(() => requestAnimationFrame(drawn));
    seen.observe(document.querySelector("output"), { childList: true, characterData: true, subtree: true });
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true }));
})"""
"""In the page itself: from the key to the picture of the next state, in milliseconds."""


def measure_explorer(browser: Browser, name: str) -> None:
    with explored(browser, name) as (walk, page):
        times: list[float] = []
        while len(times) < STEPS and page.page.locator(".moves li:first-child button:not(:disabled)").count():
            times.append(page.page.evaluate(TAKEN))
        count = len(walk.reduced.reasons.model.transitions)
    told = f"{median(times):.0f} ms a step, {max(times):.0f} at most" if times else "no steps"
    print(f"{name} ({count:,} transitions): {told}")


if __name__ == "__main__":
    main()
