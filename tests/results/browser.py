"""Headless Chromium for the tests of pages."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_FLAGS = (
    "--headless", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


class Browser:
    """A driver with what the tests do over and over."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path, width: int = 1280, height: int = 900, dark: bool = False, fragment: str = "") -> None:
        """Open a file at a size and wait until its script says that it is ready."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.driver.get("about:blank")
        self.driver.get(page.as_uri() + fragment)
        self.wait(lambda: self.run("return document.documentElement.dataset.ready === 'yes'"))

    def run(self, script: str, *arguments: Any) -> Any:
        """Return what a script returns in the page."""
        return self.driver.execute_script(script, *arguments)

    def text(self, selector: str) -> str:
        """Return the text content of the first element that a selector finds, once there is one."""
        texts: list[str | None] = []

        def found() -> bool:
            texts.append(self.run("return document.querySelector(arguments[0])?.textContent ?? null", selector))
            return texts[-1] is not None

        self.wait(found)
        return str(texts[-1])

    def press(self, *keys: str) -> None:
        """Press keys where the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def click(self, selector: str) -> None:
        """Click the first element that a selector finds, once there is one; again if the page has drawn it again."""
        from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException

        def clicked() -> bool:
            try:
                self.driver.find_element("css selector", selector).click()
            except (NoSuchElementException, StaleElementReferenceException):
                return False
            return True

        self.wait(clicked)

    def choose(self, identifier: str, label: str) -> None:
        """Choose an option of a select element by its text."""
        from selenium.webdriver.support.ui import Select

        Select(self.driver.find_element("id", identifier)).select_by_visible_text(label)

    def wait(self, condition: Callable[[], Any], seconds: float = 60) -> None:
        """Wait until a condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "the page did not get there"
            time.sleep(0.02)

    def errors(self) -> list[str]:
        """Return what the page wrote to the console as a warning or an error since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@contextmanager
def start_browser() -> Iterator[Browser]:
    """Start Chromium and end it; skips the test where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    chromedriver = shutil.which("chromedriver")
    if not binary or not chromedriver:
        pytest.skip("Chromium or its driver is not installed (Debian: apt-get install chromium chromium-driver)")
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = binary
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
        try:
            yield Browser(driver)
        finally:
            driver.quit()
