"""A progress bar over programs that are executed while others are still being submitted."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any, TextIO

from tqdm.auto import tqdm


class Progress:
    """Counts the futures it watches as they are done; shown on a terminal only, and only while some are pending."""

    def __init__(self, stream: TextIO | None = None, hidden: bool | None = None) -> None:
        """Prepare a bar.

        Args:
            stream: Where to draw; standard error by default.
            hidden: Whether to draw nothing; None draws on terminals only.
        """
        self._stream = stream
        self._hidden = hidden
        self._lock = threading.RLock()
        self._bar: Any = None

    def watch(self, future: Future[Any]) -> None:
        """Count a future among those to wait for, until it is done."""
        with self._lock:
            if self._bar is None:
                self._bar = tqdm(
                    total=0, desc="executing", unit="program", file=self._stream, disable=self._hidden, leave=False
                )
                self._pending = 0
            self._pending += 1
            self._bar.total = (self._bar.total or 0) + 1
        future.add_done_callback(self._done)

    def _done(self, future: Future[Any]) -> None:
        with self._lock:
            self._pending -= 1
            self._bar.update()
            if not self._pending:
                self._bar.close()
                self._bar = None
