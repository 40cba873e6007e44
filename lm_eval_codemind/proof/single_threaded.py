"""Work on many problems that mostly waits for the sandbox, without two threads in Python code at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from lm_eval_codemind.execution import Job, Outcome, Sandbox

Item = TypeVar("Item")
Result = TypeVar("Result")


class SingleThreadedMap:
    """A sandbox for work that goes on with another problem while one waits for its outcomes.

    CPython 3.11 counts the depth of the tree that ``ast.parse`` builds in one place for all threads: where the garbage
    collector runs Python code in between, two that parse at once end in ``SystemError: AST constructor recursion depth
    mismatch``. So a thread that waits for outcomes hands its turn on, and only then.

    Args:
        sandbox: Where programs run.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._turn = threading.Lock()

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield the results of work on each item, in the items' order, as they come.

        Raises:
            Exception: what the work raises, at its item.
        """

        def one(item: Item) -> Result:
            with self._turn:
                return work(item)

        with ThreadPoolExecutor(2 * self._sandbox.workers) as pool:
            yield from pool.map(one, items)

    def run(self, jobs: Iterable[Job]) -> list[Outcome]:
        """Return the outcomes of jobs, in their order; to be called by work that :meth:`map` runs, and nowhere else."""
        futures = [self._sandbox.submit(job) for job in jobs]
        self._turn.release()
        try:
            return [future.result() for future in futures]
        finally:
            self._turn.acquire()
