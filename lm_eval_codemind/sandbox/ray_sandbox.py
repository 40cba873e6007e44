"""The sandbox on a Ray cluster: the same jobs, one sandbox on each node.

Each node gets one actor, which holds that node's sandbox. Actors ask for no resources of Ray's, so that they run where
an engine has taken them all. If a node is lost, its jobs run again on the others.
"""

import contextlib
import logging
import os
from typing import Any

from .isolation import LEVELS, VARIABLE, Isolation, IsolationUnavailable
from .job import Job, Outcome
from .sandbox import Sandbox
from .unit import StartFailed
from .workers import SandboxClosed, Worker, WorkerPool, workers_asked_for

log = logging.getLogger(__name__)

# Our workers for each worker of a node: enough to keep it busy.
_WINDOW = 4


class _NodeSandbox(Sandbox):
    """The sandbox on one node, as a Ray actor."""

    def describe(self) -> tuple[str, int]:
        return self.isolation, self.workers


class RaySandbox(Sandbox):
    """A :class:`Sandbox` whose programs run on all nodes of a Ray cluster.

    IsolationUnavailable if a node gives no isolation; ImportError if Ray isn't installed.
    """

    def __init__(self) -> None:
        try:
            import ray
        except ImportError as error:
            raise ImportError("CODEMIND_EXECUTOR=ray needs Ray: pip install 'lm-eval-codemind[ray]'") from error
        # The cluster that RAY_ADDRESS names, else a new one of this node alone.
        if not ray.is_initialized():
            ray.init(log_to_driver=False, configure_logging=False)
        self._ray: Any = ray
        # What this process's environment says holds on all nodes.
        level = os.environ.get(VARIABLE, "auto") or "auto"
        self._nodes = [self._start(node, workers_asked_for(), level) for node in self._ray.nodes() if node["Alive"]]
        described = [self._described(*node) for node in self._nodes]
        # Outcomes carry their own level; this is the weakest.
        weakest = Isolation(max((level for level, _ in described), key=LEVELS.index))
        places = [number for number, (_, count) in enumerate(described) for _ in range(_WINDOW * count)]
        WorkerPool.__init__(self, len(places), len(places), weakest)
        self._start_workers([(number, None) for number in places])
        self.workers = sum(count for _, count in described)

    def _start(self, node: dict[str, Any], workers: int | None, level: str) -> tuple[str, Any]:
        """Return a node's name and its actor."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        strategy = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        # A thread for each job that may be there at once; the sandbox itself decides how many run.
        actor = (
            self._ray.remote(_NodeSandbox)
            .options(num_cpus=0, scheduling_strategy=strategy, max_concurrency=1000, max_restarts=0)
            .remote(workers, level)
        )
        return f"{node.get('NodeManagerAddress', '')}/{node['NodeID'][:8]}", actor

    def _described(self, name: str, actor: Any) -> tuple[str, int]:
        """Return the level of a node's sandbox and the number of its workers, once the sandbox has started."""
        try:
            described: tuple[str, int] = self._ray.get(actor.describe.remote())
        except self._ray.exceptions.RayError as error:
            self._kill()
            raise IsolationUnavailable(f"node {name}: {error}") from None
        return described

    def _attempt(self, worker: Worker, job: Job) -> Outcome:
        """Return the outcome of a job from the worker's node, or, if that one is lost, from another."""
        while nodes := [*self._nodes]:
            name, actor = node = nodes[worker.place % len(nodes)]
            try:
                outcomes: list[Outcome] = self._ray.get(actor.run.remote([job]))
                return outcomes[0]
            except self._ray.exceptions.RayError as error:
                if self._closed:
                    raise SandboxClosed("the sandbox was closed before the job had an outcome") from None
                if isinstance(error, self._ray.exceptions.RayTaskError):
                    raise StartFailed(f"node {name}: {error.cause}") from None
                # Another worker may have seen it.
                with contextlib.suppress(ValueError):
                    self._nodes.remove(node)
                    log.warning("Node %s is lost, %d remain; its programs run again there.", name, len(self._nodes))
        raise StartFailed("all nodes of the Ray cluster that ran programs are lost")

    def _stop_workers(self) -> None:
        closing = [actor.close.remote() for _, actor in self._nodes]
        self._ray.wait(closing, num_returns=len(closing), timeout=10)
        self._kill()
        super()._stop_workers()

    def _kill(self) -> None:
        for _, actor in self._nodes:
            self._ray.kill(actor)
