"""Jobs on their way to the sandbox: known outcomes from disk, so that a scoring goes on where it stopped, and a bar."""

import dataclasses
import hashlib
import json
import logging
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tqdm.auto import tqdm

from lm_eval_codemind import __version__
from lm_eval_codemind.data.manifest import data_directory
from lm_eval_codemind.harness.state import state
from lm_eval_codemind.sandbox import hide
from lm_eval_codemind.sandbox.job import Job, Outcome, Status
from lm_eval_codemind.sandbox.sandbox import SharedPool
from lm_eval_codemind.sandbox.workers import WorkerPool

logger = logging.getLogger(__name__)

# Other outcomes may owe something to the moment, such as a machine that was busy: they are made again.
_KEPT = (Status.PASSED, Status.FAILED, Status.ERROR)


class Journal:
    """A file of outcomes, one JSON object a line, in front of a sandbox.

    An outcome is found again by all that it depends on: the job, the level of isolation and the version of the suite.
    """

    def __init__(self, path: Path, sandbox: WorkerPool | SharedPool) -> None:
        """Read the outcomes that an earlier, interrupted scoring left; the file is made if it is not there."""
        self._sandbox = sandbox
        self._lock = threading.Lock()
        self._known: dict[str, Outcome] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    record = json.loads(line)
                    self._known[record["key"]] = Outcome.from_dict(record["outcome"])
                except (ValueError, KeyError, TypeError):
                    logger.info("%s: a line that was cut off is passed over", path)
            logger.info("%s: %d programs were executed before and are not executed again", path, len(self._known))
        self._file = path.open("a", encoding="utf-8")
        # After a line that was cut off, the next one must start on its own.
        self._file.write("\n")

    def submit(self, job: Job) -> Future[Outcome]:
        """Return the outcome of a job: the known one, or, in time, the one of executing it."""
        key = self._key(job)
        if key in self._known:
            future: Future[Outcome] = Future()
            future.set_result(dataclasses.replace(self._known[key], job_id=job.job_id))
            return future
        future = self._sandbox.submit(job)
        future.add_done_callback(lambda done: self._keep(key, done))
        return future

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()

    def _key(self, job: Job) -> str:
        what = dataclasses.asdict(job)
        del what["job_id"]
        content = json.dumps([__version__, self._sandbox.isolation, what], sort_keys=True)
        return hashlib.sha256(content.encode("ascii")).hexdigest()

    def _keep(self, key: str, future: Future[Outcome]) -> None:
        if future.cancelled() or future.exception() is not None or future.result().status not in _KEPT:
            return
        line = json.dumps({"key": key, "outcome": future.result().to_dict()})
        with self._lock:
            if not self._file.closed:
                self._file.write(line + "\n")
                self._file.flush()


@contextmanager
def outcomes_kept(path: Path | None) -> Iterator[None]:
    """Look outcomes up in a file and keep them there for a while; it goes in the end, unless there is an exception.

    Args:
        path: The file; None to execute everything.
    """
    if path is None:
        with patch.object(state, "journal", None):
            yield
        return
    with closing(Journal(path, _SHARED)) as journal, patch.object(state, "journal", journal):
        yield
    path.unlink()


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
            self._bar.total += 1
        future.add_done_callback(self._done)

    def _done(self, future: Future[Any]) -> None:
        with self._lock:
            self._bar.update()
            if self._bar.n == self._bar.total:
                self._bar.close()
                self._bar = None


_progress = Progress()
_SHARED = SharedPool()


def submit(job: Job) -> Future[Outcome]:
    """Submit a job to this process's sandbox for its language.

    Where :func:`outcomes_kept` is in force, outcomes are looked up and kept in a file.

    On a terminal a progress bar shows how many of the jobs submitted so far are done.
    """
    hide(data_directory())
    future = (state.journal or _SHARED).submit(job)
    _progress.watch(future)
    return future
