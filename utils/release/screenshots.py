"""Take the screenshots in the documentation: docs/report.png and docs/leaderboard.png.

usage: python utils/release/screenshots.py REPORT.html SITE/index.html

The first argument is a page of `codemind report`, the second one of `codemind leaderboard`. Needs Chromium with its
driver, and selenium.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.results.browser import start_browser  # noqa: E402


def main(report: str, leaderboard: str) -> None:
    """Write both screenshots, each of the first 1,000 lines of pixels of its page."""
    with start_browser() as browser:
        for page, name in ((report, "report"), (leaderboard, "leaderboard")):
            browser.open(Path(page).resolve(), width=1400, height=1000)
            browser.driver.save_screenshot(str(ROOT / "docs" / f"{name}.png"))
            print(f"docs/{name}.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
