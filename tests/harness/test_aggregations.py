"""Standard errors are clustered by problem, and groups weigh a metric by what it averages over."""

import pickle
import random
from collections.abc import Iterator, Sequence
from math import isnan, nan, sqrt
from statistics import stdev
from types import SimpleNamespace
from typing import Any

import pytest
from lm_eval import evaluator_utils
from lm_eval.api import metrics
from lm_eval.api.group import Group

from lm_eval_codemind.families.der import task as der
from lm_eval_codemind.families.repair import task as repair
from lm_eval_codemind.families.runtime import items as runtime_items
from lm_eval_codemind.families.sr import task as sr
from lm_eval_codemind.harness.aggregations import Mean, Value, mean_of_known
from lm_eval_codemind.harness.contract import own_statistics
from lm_eval_codemind.statistics import clustered_mean_stderr

PROBLEMS = 100
Documents = list[Any]


@pytest.fixture(autouse=True)
def ours() -> Iterator[None]:
    with own_statistics():
        yield


def aggregated(documents: Sequence[Any], aggregation: Any) -> tuple[Any, Any]:
    """Return a metric and its standard error as the harness computes them."""
    task = SimpleNamespace(task_name="t", aggregation=lambda: {"m": aggregation})
    values, _ = evaluator_utils._compute_task_aggregations(task, {("m", "f"): list(documents)})
    assert set(values) == {"m,f", "m_stderr,f"}
    return values["m,f"], values["m_stderr,f"]


def values_of(problem: str, ability: float, draw: random.Random) -> Documents:
    """Two documents about a problem, as those of SR's code_found and repair's similarity."""
    return [Value.of(float(draw.random() < ability), problem) for _ in range(2)]


def runtime_of(problem: str, ability: float, draw: random.Random) -> Documents:
    """Three lines and an output of a program, asked about as the task does."""
    asked = []
    of_lines = [(line, setting) for line in (1, 2, 3) for setting in runtime_items.SETTINGS[:3]]
    for line, setting in [*of_lines, (0, "output")]:
        executed = line != 3
        right = [draw.random() < ability]
        said = executed if right[0] else not executed
        asked.append(
            {"program": problem, "run": "0", "line": line, "setting": setting, "executed": executed,
             "goes_on": executed, "right": right, "said_executed": [said if setting == "coverage" else None]}
        )  # fmt: skip
    return asked


def programs_of(problem: str, ability: float, draw: random.Random) -> Documents:
    """Three programs that a model wrote for a problem, as DER asks about them under repeats."""
    counts = {"responses": 3 * PROBLEMS, "passed": 3 * PROBLEMS, "passed_suite": 3 * PROBLEMS, "asked": 3 * PROBLEMS}
    right = [float(draw.random() < ability) for _ in range(3)]
    return [{"problem_id": problem, "right": x, "answered": x, "ier_same": x, **counts} for x in right]


RUNTIME = (
    *("coverage", "coverage_balanced", "coverage_f1", "state", "state_executed"),
    *("path", "path_executed", "output", "ic_mean"),
)
# One mean, one that balances, one of a count, one of a chain: the others are made by the same functions.
FAST = ("coverage_balanced", "coverage_f1", "ic_mean")
CASES: list[Any] = [
    (metrics.mean, values_of),
    (mean_of_known, lambda *drawn: [*values_of(*drawn), None]),
    *[(getattr(der, name), programs_of) for name in ("r_der", "s_der", "answered", "r_ier_same")],
    *[
        pytest.param(getattr(runtime_items, name), runtime_of, marks=() if name in FAST else pytest.mark.proof)
        for name in RUNTIME
    ],
]


@pytest.mark.parametrize(("aggregation", "documents_of"), CASES, ids=lambda one: getattr(one, "__name__", repr(one)))
def test_the_error_is_that_of_a_bootstrap_by_problem(aggregation, documents_of):
    draw = random.Random(7)
    problems = [documents_of(f"p{number}", draw.choice((0.1, 0.5, 0.95)), draw) for number in range(PROBLEMS)]
    _, error = aggregated([one for problem in problems for one in problem], aggregation)
    resampled = []
    for _ in range(300):
        # A problem that is drawn twice counts as two.
        chosen = enumerate(draw.choices(problems, k=PROBLEMS))
        resampled.append(float(aggregation([renamed(one, f"{number}") for number, each in chosen for one in each])))
    assert error == pytest.approx(stdev(resampled), rel=0.1)


def renamed(document: Any, problem: str) -> Any:
    if isinstance(document, Value):
        return Value.of(document, problem)
    return document and {**document, "program": problem, "problem_id": problem}


def test_one_document_a_problem_and_the_harnesss_own_metrics_have_the_usual_error():
    values = [Value.of(float(number % 3 == 0), f"p{number}") for number in range(20)]
    assert aggregated(values, metrics.mean)[1] == metrics.mean_stderr(list(map(float, values)))
    assert clustered_mean_stderr(values, range(20)) == pytest.approx(stdev(values) / sqrt(20))
    assert isnan(clustered_mean_stderr([1.0, 0.0], "aa"))
    assert aggregated([1.0, 0.0, 1.0], metrics.mean)[1] == metrics.mean_stderr([1.0, 0.0, 1.0])
    assert aggregated([1.0, 0.0], max)[1] == "N/A"
    assert metrics.aggregate_subtask_metrics([0.5, 1.0], [1, 3]) == 0.875
    assert metrics.pooled_sample_stderr([0.1, 0.2], [10, 10]) == pytest.approx(sqrt(0.0125))


def test_a_group_is_the_pooled_mean_and_leaves_out_what_has_nothing():
    counts = {"a": (10, 4), "b": (30, 27), "c": (0, 0)}
    tasks = {}
    for name, (size, right) in counts.items():
        mean, error = (right / size, 0.1) if size else (nan, nan)
        tasks[name] = {"sample_len": 100, "r,f": Mean.of(mean, size), "r_stderr,f": Mean.of(error, size)}
    group = Group("g", aggregate_metric_list=[SimpleNamespace(metric="r", filter_list=None, weight_by_size=True)])
    group.get_all_tasks = lambda: [SimpleNamespace(task_name=name) for name in tasks]  # type: ignore[method-assign]
    of_group = group.aggregate(tasks)
    assert of_group["r,f"] == pytest.approx(31 / 40) and 0 < of_group["r_stderr,f"] < 0.1
    assert isnan(metrics.aggregate_subtask_metrics([Mean.of(nan, 0)], [5]))


def test_pairs_count_once_and_values_travel_between_processes():
    records = [{"problem_id": f"p{n}", "setting": s, "passed": 1.0} for n in range(3) for s in ("no_test", "with_test")]
    assert sr.r_sr(records).size == 3 and sr.s_sr.stderr(records).size == 3
    halves = [{"problem_id": "p", "with_test": with_test, "passed": 1.0} for with_test in (False, True)]
    assert repair.repaired_by_test(halves).size == 1
    value = pickle.loads(pickle.dumps(Value.of(0.5, "p")))
    assert value == 0.5 and value.problem == "p"
