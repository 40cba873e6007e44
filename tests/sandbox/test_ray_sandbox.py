"""The sandbox on a Ray cluster of two nodes, one of which is lost in mid-run."""

from collections.abc import Iterator
from typing import Any

import pytest

from lm_eval_codemind.sandbox import Job, Limits, Sandbox, Status, sandbox
from lm_eval_codemind.sandbox.sandbox import shared_sandbox

pytestmark = pytest.mark.proof
CHECK = "def check(c):\n    assert c(1, 2) == 3\n"
SLOW = "import time\ndef f(a, b):\n    time.sleep(0.2)\n    return a + b\n"


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A cluster of two nodes on this machine."""
    ray = pytest.importorskip("ray", reason="Ray isn't installed: pip install 'lm-eval-codemind[ray]'")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.second = made.add_node(num_cpus=1)
    made.wait_for_nodes()
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


def test_jobs_survive_the_loss_of_a_node(cluster, monkeypatch):
    from lm_eval_codemind.sandbox.ray_sandbox import RaySandbox

    monkeypatch.setenv("CODEMIND_EXECUTOR", "ray")
    monkeypatch.setenv("CODEMIND_SANDBOX_WORKERS", "2")
    monkeypatch.setattr(sandbox, "_shared", {})
    shared = shared_sandbox()
    assert isinstance(shared, RaySandbox)
    assert isinstance(shared, Sandbox)
    assert (shared.workers, len(shared._nodes)) == (4, 2)
    assert shared.isolation in ("bubblewrap", "landlock")
    wrong = SLOW.replace("+", "-")
    jobs = [Job.function(SLOW if n % 4 else wrong, CHECK, "f", job_id=str(n), limits=Limits()) for n in range(80)]
    expected = [Status.PASSED if n % 4 else Status.FAILED for n in range(80)]
    assert [outcome.status for outcome in shared.run(jobs[:8])] == expected[:8]
    futures = [shared.submit(job) for job in jobs]
    futures[5].result()
    cluster.remove_node(cluster.second, allow_graceful=False)
    outcomes = [future.result() for future in futures]
    assert [outcome.job_id for outcome in outcomes] == [job.job_id for job in jobs]
    assert [outcome.status for outcome in outcomes] == expected
    assert len(shared._nodes) == 1
    shared.close()
