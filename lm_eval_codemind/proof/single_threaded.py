"""Parallel work on many problems that mostly waits for the sandbox. Only one thread at a time runs Python code."""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from lm_eval_codemind.execution import Job, Outcome, Sandbox

Item = TypeVar("Item")
Result = TypeVar("Result")


class SingleThreadedMap:
    """A sandbox for work on several problems: while one problem waits for outcomes, work on another continues.

    In CPython 3.11 all threads share one counter for the depth of the tree that ``ast.parse`` builds. If the garbage
    collector runs Python code while two threads parse, they fail with ``SystemError: AST constructor recursion depth
    mismatch``. So threads switch only when one of them waits for outcomes.

    Args:
        sandbox: The sandbox that runs the programs.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._turn = threading.Lock()

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield the result of ``work`` for each item, in the items' order.

        Raises:
            Exception: If ``work`` raises it. It is raised at the position of its item.
        """

        def one(item: Item) -> Result:
            with self._turn:
                return work(item)

        with ThreadPoolExecutor(2 * self._sandbox.workers) as pool:
            yield from pool.map(one, items)

    def run(self, jobs: Iterable[Job]) -> list[Outcome]:
        """Return the outcomes of jobs, in their order. Only functions that :meth:`map` runs may call it."""
        futures = [self._sandbox.submit(job) for job in jobs]
        self._turn.release()
        try:
            return [future.result() for future in futures]
        finally:
            self._turn.acquire()
