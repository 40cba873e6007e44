"""Real runs of the harness for the tests: a model that answers as it is told, on tasks of the suite."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import lm_eval
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

TASKS = Path(__file__).parents[2] / "tasks"


class Told(LM):
    """A model that answers what a function of the document says."""

    def __init__(self, answer: Callable[[dict[str, Any]], str]) -> None:
        super().__init__()
        self.answer = answer

    def generate_until(self, requests: list[Instance], disable_tqdm: bool = False) -> list[str]:
        return [self.answer(request.doc) for request in requests]

    def loglikelihood(self, requests: list[Instance]) -> list[Any]:
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


@cache
def task_manager() -> TaskManager:
    """Return a task manager that knows the suite."""
    return TaskManager(include_path=str(TASKS), include_defaults=False)


def evaluate(
    output: Path,
    model: str,
    answer: Callable[[dict[str, Any]], str],
    tasks: list[str],
    manager: TaskManager | None = None,
    **arguments: Any,
) -> dict[str, Any]:
    """Run tasks with a model that answers as told, write the harness's files and return its results."""
    tracker = EvaluationTracker(output_path=str(output))
    # The source of the model and its arguments; no system instruction, chat template or multiturn.
    tracker.general_config_tracker.log_experiment_args("told", f"pretrained={model}", "", "", False)
    options = {"task_manager": manager or task_manager(), "bootstrap_iters": 100, "log_samples": True, **arguments}
    results = lm_eval.simple_evaluate(model=Told(answer), tasks=tasks, **options)
    samples = results.pop("samples")
    tracker.save_results_aggregated(results=results, samples=samples)
    for task, of_task in samples.items():
        tracker.save_results_samples(task_name=task, samples=of_task)
    return results
