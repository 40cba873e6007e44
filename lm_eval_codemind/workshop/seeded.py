"""Sandboxes in which the programs of all languages have one hash seed."""

from concurrent.futures import Future
from contextlib import ExitStack

from lm_eval_codemind.sandbox import Job, Outcome
from lm_eval_codemind.sandbox.runtimes import get_runtime
from lm_eval_codemind.sandbox.workers import WorkerPool


class SeededPool(ExitStack):
    """Separate sandboxes for all languages, in which programs have one hash seed. A context manager.

    Args:
        workers: Programs at a time, of each language; None for a sandbox's own default.
    """

    def __init__(self, hash_seed: int, workers: int | None = None) -> None:
        super().__init__()
        self._hash_seed = hash_seed
        self._workers = workers
        self._sandboxes: dict[str, WorkerPool] = {}

    def submit(self, job: Job) -> Future[Outcome]:
        """Return the future outcome of a job, from the sandbox of its language."""
        if job.language not in self._sandboxes:
            sandbox = get_runtime(job.language).sandbox(self._workers, self._hash_seed)
            self._sandboxes[job.language] = self.enter_context(sandbox)
        return self._sandboxes[job.language].submit(job)
