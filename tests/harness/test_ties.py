"""What this suite replaces in the harness exists, and has the parameters that it relies on.

Where a test fails, a new release of the harness has changed the name or its parameters. The module in the comment
replaces it.
"""

import inspect
from importlib.metadata import requires, version
from pkgutil import resolve_name
from typing import Any
from zlib import crc32

import pytest
from lm_eval import evaluator
from packaging.requirements import Requirement

from lm_eval_codemind.harness import hooks
from lm_eval_codemind.harness.cli import run_harness
from tests.results.harness import evaluate

# What is replaced for good -> the parameters in use.
FOR_GOOD = {
    # harness/contract.py: an evaluation, while which the names of its functions below are replaced
    "lm_eval.evaluator:evaluate": (),
    # harness/location.py: the directory of our tasks
    "lm_eval.tasks.manager:TaskManager.__init__": ("self", "verbosity", "include_path", "include_defaults", "metadata"),
    # harness/preflight.py: checks before the model is loaded
    "lm_eval.config.evaluate_config:EvaluatorConfig.process_tasks": ("self", "metadata"),
    # harness/response_cache.py: --use_cache of `lm_eval`
    "lm_eval.api.model:CachingLM": ("lm", "cache_db"),
}
# What is replaced while a function runs.
FOR_A_WHILE = {
    # harness/contract.py: the standard errors and weights of this suite's metrics
    "lm_eval.api.metrics:stderr_for_metric": ("metric", "bootstrap_iters"),
    "lm_eval.evaluator_utils:stderr_for_metric": ("metric", "bootstrap_iters"),
    "lm_eval.api.metrics:aggregate_subtask_metrics": ("metrics", "sizes", "weight_by_size"),
    "lm_eval.api.metrics:pooled_sample_stderr": ("stderrs", "sizes"),
    # harness/contract.py: requests that are built in every run, and what was answered
    "lm_eval.api.task:ConfigurableTask.build_all_requests": (
        *("self", "cache_requests", "rewrite_requests_cache", "apply_chat_template"),
    ),
    "lm_eval.api.task:ConfigurableTask.apply_filters": ("self",),
    # harness/replies.py: replies of endpoints
    "lm_eval.models.api_models:retry": (),
    "lm_eval.models.api_models:TemplateAPI.parse_generations": ("outputs",),
    # harness/location.py: the tasks and an index of them
    "lm_eval.tasks._factory:TaskFactory._build_task": ("self", "entry", "overrides"),
    "lm_eval.tasks._index:load_yaml": ("path", "resolve_func"),
    "lm_eval.tasks._yaml_loader:load_yaml": ("path", "resolve_func"),
    # harness/cli.py and contract.py: a run
    "lm_eval.evaluator:get_git_commit_hash": (),
    "lm_eval.tasks:TaskManager": ("include_path", "include_defaults", "metadata"),
    "lm_eval.api.registry:get_model": ("model_name",),
    "lm_eval.loggers:EvaluationTracker.save_results_aggregated": ("self", "results", "samples"),
    "lm_eval.api.task:tqdm": (),
}


@pytest.mark.parametrize("name, parameters", [*FOR_GOOD.items(), *FOR_A_WHILE.items()])
def test_what_is_replaced_has_the_parameters_in_use(name, parameters):
    replaced = resolve_name(name)
    # What this suite has put there wraps the harness's own.
    assert callable(replaced) and set(parameters) <= set(inspect.signature(replaced).parameters)


def test_after_a_run_nothing_else_is_replaced():
    run_harness(["--model", "codemind-null", "--tasks", "codemind_ier_sample", "--limit", "1"])
    assert hasattr(evaluator.evaluate, "knows_codemind") and len(FOR_GOOD) <= 5
    assert [name for name in FOR_A_WHILE if "lm_eval_codemind" in inspect.getfile(resolve_name(name))] == []


def test_with_nothing_replaced_scores_are_the_same_and_intervals_are_lost(tmp_path, monkeypatch):
    def answer(document: dict[str, Any]) -> str:
        return str(document["target"]) if crc32(document["problem_id"].encode()) % 2 else "no idea"

    tasks = ["codemind_ier_sample", "codemind_runtime_sample"]
    ours = evaluate(tmp_path / "ours", "m", answer, tasks)["results"]
    monkeypatch.setattr(evaluator, "evaluate", evaluator.evaluate.__wrapped__)
    monkeypatch.setattr(hooks, "use_own_evaluation", lambda: None)
    plain = evaluate(tmp_path / "plain", "m", answer, tasks)["results"]
    lost = set()
    for task in tasks:
        assert plain[task].keys() == ours[task].keys()
        for name, value in plain[task].items():
            if "_stderr" not in name:
                assert value == ours[task][name] or value != value, name
            elif value == "N/A" != ours[task][name]:
                lost.add(name.partition("_stderr")[0])
    assert {"coverage_balanced", "state_executed", "output"} <= lost and "r_ier" not in lost


def test_pip_installs_no_version_of_the_harness_that_is_not_tested():
    ranges = {one.specifier for one in map(Requirement, requires("lm-eval-codemind") or ()) if one.name == "lm-eval"}
    (range,) = ranges
    assert version("lm_eval") in range
    assert not any(range.contains(other, prereleases=True) for other in ("0.4.12", "0.5.0.dev1", "0.5.0"))
