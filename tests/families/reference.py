"""Runs of the models that know all answers, or none."""

from typing import Any

from lm_eval import simple_evaluate
from lm_eval.api.registry import get_model
from lm_eval.tasks import TaskManager

from lm_eval_codemind.harness.models import register
from tests.results.harness import task_manager


def reference_run(model: str, *tasks: str, manager: TaskManager | None = None, **options: Any) -> dict[str, Any]:
    """Return the harness's results of the oracle or the null model."""
    register()
    options = {"bootstrap_iters": 100, "confirm_run_unsafe_code": True, **options}
    model = get_model(f"codemind-{model}")()
    results = simple_evaluate(model=model, tasks=[*tasks], task_manager=manager or task_manager(), **options)
    assert results is not None
    return dict(results)
