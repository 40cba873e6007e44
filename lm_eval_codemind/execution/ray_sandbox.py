"""The sandbox on a Ray cluster: the same jobs, one sandbox on each node.

Each node gets one actor, which holds that node's sandbox. Actors ask for no resources of Ray's, so that they run where
an engine has taken them all. If a node is lost, its jobs run again on the others.
"""

from __future__ import annotations

import collections
import logging
import os
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from . import tiers
from .isolation import LEVELS, VARIABLE, IsolationUnavailable
from .job import Job
from .outcome import Outcome
from .sandbox import Sandbox
from .unit import StartFailed
from .workers import SandboxClosed

log = logging.getLogger(__name__)

# Jobs a node may have waiting for each of its workers: enough to keep it busy, few to run again if it is lost.
_WINDOW = 4


class NoNodes(RuntimeError):
    """All nodes of the cluster that ran jobs are lost."""


class _NodeSandbox:
    """The sandbox on one node, as a Ray actor."""

    def __init__(self, workers: int | None, isolation: str, preload: tuple[str, ...], hash_seed: int) -> None:
        self._sandbox = Sandbox(workers, isolation, preload, hash_seed)

    def describe(self) -> tuple[str, int]:
        return self._sandbox.isolation, self._sandbox.workers

    def outcome(self, job: dict[str, Any]) -> dict[str, Any]:
        return self._sandbox.submit(Job.from_dict(job)).result().to_dict()

    def close(self) -> None:
        self._sandbox.close()


@dataclass
class _Node:
    """A node of the cluster: its actor, how many jobs it may have at once, and which it has."""

    name: str
    actor: Any
    window: int
    running: int = 0


class RaySandbox(Sandbox):
    """A :class:`Sandbox` whose programs run on all nodes of a Ray cluster.

    Args:
        workers: Programs at a time on each node; None for as many as :class:`Sandbox` has.
        isolation: As for :class:`Sandbox`, on each node; ``CODEMIND_SANDBOX`` is that of this process.
        preload: As for :class:`Sandbox`.
        hash_seed: As for :class:`Sandbox`.

    Raises:
        IsolationUnavailable: If a node gives no isolation.
        ImportError: If Ray isn't installed.
    """

    def __init__(
        self,
        workers: int | None = None,
        isolation: str = "auto",
        preload: Iterable[str] = tiers.DEFAULT_PRELOAD,
        hash_seed: int = 0,
    ) -> None:
        self._ray = _connected()
        # Entered again where Ray has an answer at once.
        self._guard = threading.RLock()
        self._closed = False
        self._waiting: collections.deque[tuple[Job, Future[Outcome]]] = collections.deque()
        self._open: set[Future[Outcome]] = set()
        arguments = (workers, requested(isolation), tuple(preload), hash_seed)
        self._nodes = [self._start(node, arguments) for node in self._ray.nodes() if node["Alive"]]
        described = [self._described(node) for node in self._nodes]
        self.workers = sum(count for _, count in described)
        # Outcomes carry their own level; this is the weakest.
        self._level: str = max((level for level, _ in described), key=LEVELS.index)

    def _start(self, node: dict[str, Any], arguments: tuple[Any, ...]) -> _Node:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        strategy = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        # A thread for each job that may be there at once; the sandbox itself decides how many run.
        actor = (
            self._ray.remote(_NodeSandbox)
            .options(num_cpus=0, scheduling_strategy=strategy, max_concurrency=1000, max_restarts=0)
            .remote(*arguments)
        )
        return _Node(str(node.get("NodeManagerAddress", "")) + "/" + node["NodeID"][:8], actor, 1)

    def _described(self, node: _Node) -> tuple[str, int]:
        """Return the level of a node's sandbox and the number of its workers, once the sandbox has started."""
        try:
            level, count = self._ray.get(node.actor.describe.remote())
        except self._ray.exceptions.RayError as error:
            self._kill()
            raise IsolationUnavailable(f"node {node.name}: {error}") from None
        node.window = _WINDOW * count
        return level, count

    @property
    def isolation(self) -> str:
        """The weakest level of all nodes."""
        return self._level

    def server_pids(self) -> list[int]:
        """Return no process: the servers are other nodes' processes."""
        return []

    def submit(self, job: Job) -> Future[Outcome]:
        """Return the future outcome of a job; see :meth:`Sandbox.submit`.

        The future raises :class:`NoNodes` if all nodes are lost.
        """
        future: Future[Outcome] = Future()
        with self._guard:
            if self._closed:
                raise SandboxClosed("the sandbox is closed")
            self._open.add(future)
            self._waiting.append((job, future))
            self._dispatch()
        return future

    def _dispatch(self) -> None:
        """Give waiting jobs to the nodes that have the most room."""
        while self._waiting:
            if not self._nodes:
                _, future = self._waiting.popleft()
                self._finish(future, error=NoNodes("all nodes of the Ray cluster that ran programs are lost"))
                continue
            node = max(self._nodes, key=lambda each: each.window - each.running)
            if node.running >= node.window:
                return
            job, future = self._waiting.popleft()
            node.running += 1
            answer = node.actor.outcome.remote(job.to_dict()).future()
            answer.add_done_callback(
                lambda done, node=node, job=job, future=future: self._answered(done, node, job, future)
            )

    def _answered(self, done: Future[dict[str, Any]], node: _Node, job: Job, future: Future[Outcome]) -> None:
        error = done.exception()
        with self._guard:
            node.running -= 1
            if error is None:
                self._finish(future, Outcome.from_dict(done.result()))
            elif isinstance(error, self._ray.exceptions.RayTaskError):
                self._finish(future, error=StartFailed(f"node {node.name}: {error.cause}"))
            elif self._closed:
                self._finish(future, error=SandboxClosed("the sandbox was closed before the job had an outcome"))
            else:
                if node in self._nodes:
                    self._nodes.remove(node)
                    log.warning(
                        "Node %s is lost, %d remain; its programs run again there.", node.name, len(self._nodes)
                    )
                self._waiting.appendleft((job, future))
            self._dispatch()

    def _finish(self, future: Future[Outcome], outcome: Outcome | None = None, error: Exception | None = None) -> None:
        self._open.discard(future)
        if future.cancelled():
            return
        if outcome is not None:
            future.set_result(outcome)
        else:
            future.set_exception(error)

    def close(self) -> None:
        """End all nodes' sandboxes. Jobs without an outcome are cancelled."""
        with self._guard:
            if self._closed:
                return
            self._closed = True
            self._waiting.clear()
            for future in self._open:
                future.cancel()
            self._open.clear()
        closing = [node.actor.close.remote() for node in self._nodes]
        self._ray.wait(closing, num_returns=len(closing), timeout=10)
        self._kill()

    def _kill(self) -> None:
        for node in self._nodes:
            self._ray.kill(node.actor)


def _connected() -> Any:
    """Return Ray, connected to the cluster that RAY_ADDRESS names, else to a new one of this node alone."""
    try:
        import ray
    except ImportError as error:
        raise ImportError("CODEMIND_EXECUTOR=ray needs Ray: pip install 'lm-eval-codemind[ray]'") from error
    if not ray.is_initialized():
        ray.init(log_to_driver=False, configure_logging=False)
    return ray


def requested(isolation: str) -> str:
    """Return the level to ask of each node: the choice of this process's environment holds on all of them."""
    return isolation if isolation != "auto" else os.environ.get(VARIABLE, "auto") or "auto"
