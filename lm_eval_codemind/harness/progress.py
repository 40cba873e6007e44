"""A progress bar over programs that are executed while others are still being submitted."""

import threading
from concurrent.futures import Future
from typing import Any

from tqdm.auto import tqdm


class Progress:
    """Counts the futures it watches as they are done; shown on a terminal only, and only while some are pending."""

    def __init__(self, **options: Any) -> None:
        """Prepare a bar, with options of tqdm's."""
        self._options = {"disable": None, **options}
        self._lock = threading.RLock()
        self._bar: Any = None

    def watch(self, future: Future[Any]) -> None:
        """Count a future among those to wait for, until it is done."""
        with self._lock:
            if self._bar is None:
                self._bar = tqdm(total=0, desc="executing", unit="program", leave=False, **self._options)
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
