"""The sandbox on a Ray cluster: the same jobs, one sandbox on each node.

Each node gets one actor, which holds that node's sandbox. Actors ask for no resources of Ray's, so that they run where
an engine has taken them all. If a node is lost, its jobs run again on the others.
"""

import logging
import os
import threading
from dataclasses import dataclass
from typing import Any

from .isolation import LEVELS, VARIABLE, Isolation, IsolationUnavailable
from .job import Job, Outcome
from .sandbox import Sandbox
from .unit import StartFailed
from .workers import SandboxClosed, Worker, WorkerPool

log = logging.getLogger(__name__)

# Jobs a node may have waiting for each of its workers: enough to keep it busy.
_WINDOW = 4


class _NodeSandbox(Sandbox):
    """The sandbox on one node, as a Ray actor."""

    def describe(self) -> tuple[str, int]:
        return self.isolation, self.workers


@dataclass(eq=False)
class _Node:
    """A node of the cluster: its actor, how many jobs it may have at once, and how many it has."""

    name: str
    actor: Any
    window: int = 1
    running: int = 0


class RaySandbox(Sandbox):
    """A :class:`Sandbox` whose programs run on all nodes of a Ray cluster, ``workers`` at a time on each.

    IsolationUnavailable if a node gives no isolation; ImportError if Ray isn't installed.
    """

    def __init__(self, workers: int | None = None) -> None:
        try:
            import ray
        except ImportError as error:
            raise ImportError("CODEMIND_EXECUTOR=ray needs Ray: pip install 'lm-eval-codemind[ray]'") from error
        # The cluster that RAY_ADDRESS names, else a new one of this node alone.
        if not ray.is_initialized():
            ray.init(log_to_driver=False, configure_logging=False)
        self._ray: Any = ray
        self._guard = threading.Lock()
        # The choice of this process's environment holds on all nodes.
        level = os.environ.get(VARIABLE, "auto") or "auto"
        self._nodes = [self._start(node, workers, level) for node in self._ray.nodes() if node["Alive"]]
        described = [self._described(node) for node in self._nodes]
        # Outcomes carry their own level; this is the weakest.
        weakest = Isolation(max((level for level, _ in described), key=LEVELS.index))
        WorkerPool.__init__(self, None, sum(node.window for node in self._nodes), weakest)
        self._start_workers()
        self.workers = sum(count for _, count in described)

    def _start(self, node: dict[str, Any], workers: int | None, level: str) -> _Node:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        strategy = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        # A thread for each job that may be there at once; the sandbox itself decides how many run.
        actor = (
            self._ray.remote(_NodeSandbox)
            .options(num_cpus=0, scheduling_strategy=strategy, max_concurrency=1000, max_restarts=0)
            .remote(workers, level)
        )
        return _Node(str(node.get("NodeManagerAddress", "")) + "/" + node["NodeID"][:8], actor)

    def _described(self, node: _Node) -> tuple[str, int]:
        """Return the level of a node's sandbox and the number of its workers, once the sandbox has started."""
        try:
            level, count = self._ray.get(node.actor.describe.remote())
        except self._ray.exceptions.RayError as error:
            self._kill()
            raise IsolationUnavailable(f"node {node.name}: {error}") from None
        node.window = _WINDOW * count
        return level, count

    def _attempt(self, worker: Worker, job: Job) -> Outcome:
        """Return the outcome of a job from the node with the most room, or, if that one is lost, from another."""
        while True:
            with self._guard:
                if not self._nodes:
                    raise StartFailed("all nodes of the Ray cluster that ran programs are lost")
                node = max(self._nodes, key=lambda each: each.window - each.running)
                node.running += 1
            try:
                outcomes: list[Outcome] = self._ray.get(node.actor.run.remote([job]))
                return outcomes[0]
            except self._ray.exceptions.RayError as error:
                if self._closed:
                    raise SandboxClosed("the sandbox was closed before the job had an outcome") from None
                if isinstance(error, self._ray.exceptions.RayTaskError):
                    raise StartFailed(f"node {node.name}: {error.cause}") from None
                with self._guard:
                    if node in self._nodes:
                        self._nodes.remove(node)
                        count = len(self._nodes)
                        log.warning("Node %s is lost, %d remain; its programs run again there.", node.name, count)
            finally:
                with self._guard:
                    node.running -= 1

    def _stop_workers(self) -> None:
        closing = [node.actor.close.remote() for node in self._nodes]
        self._ray.wait(closing, num_returns=len(closing), timeout=10)
        self._kill()
        super()._stop_workers()

    def _kill(self) -> None:
        for node in self._nodes:
            self._ray.kill(node.actor)
