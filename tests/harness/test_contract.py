"""What releases of the harness hand over differently."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from lm_eval_codemind import family as question_family
from lm_eval_codemind.families.dsr import task as dsr
from lm_eval_codemind.families.ier import published
from lm_eval_codemind.families.ier import task as ier
from lm_eval_codemind.families.sr import task as sr
from lm_eval_codemind.harness import contract
from lm_eval_codemind.harness.reply import SKIPPED
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer

VALUE = {"benchmark": "sample", "problem_id": "P", "kind": "function", "language": "python", "output": "[1, 2]"}
SPECIFIED: dict[str, Any] = {
    "problem_id": "P",
    "benchmark": "sample",
    "kind": "function",
    "language": "python",
    "code": "def double(x): return 2 * x",
    "entry_point": "double",
    "specification": "def double(x):\n",
    "context": "",
    "tests": "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(3) == 6\n",
    "setting": "no_test",
    "test": "assert double(2) == 4",
}


def ier_answers(count: int) -> tuple[dict[str, Any], list[Any]]:
    return VALUE, [Answer("[1, 2]"), Answer("[1]"), Answer(None), Answer("(1, 2)")][:count]


def sr_answers(count: int, document: dict[str, Any] = SPECIFIED) -> tuple[dict[str, Any], list[Any]]:
    responses = ["def double(x): return 2 * x", "def double(x): return x", "no idea", "def double(x): return x + x"]
    return document, list(sr.extract_code([responses[:count]], [document])[0])


def misled_answers(count: int) -> tuple[dict[str, Any], list[Any]]:
    return sr_answers(count, {**SPECIFIED, "setting": "misleading"})


def dsr_answers(count: int) -> tuple[dict[str, Any], list[Any]]:
    document = next(row for row in dsr.dataset(benchmark="sample")["test"] if row["kind"] == "function")
    responses = [document["target"], "no idea", f"```python\n{document['transformed']}\n```", ""]
    return document, list(dsr.extract_code([responses[:count]], [document])[0])


HOOKS = [
    (ier.process_results, ier_answers, "r_ier"),
    (published.process_results, ier_answers, "r_ier_text"),
    (sr.process_results, sr_answers, "pass@1_no_test"),
    (sr.process_results, misled_answers, "pass@1"),
    (dsr.process_results, dsr_answers, "pass@1"),
]


@pytest.mark.parametrize(("hook", "answers", "metric"), HOOKS)
@pytest.mark.parametrize(("count", "share"), [(1, 1.0), (4, None)])
def test_both_shapes_of_filtered_responses_are_scored_alike(
    hook: Callable[[Any, Any], dict[str, Any]],
    answers: Callable[[int], tuple[dict[str, Any], list[Any]]],
    metric: str,
    count: int,
    share: float | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    columns = {name: value for name, value in SPECIFIED.items() if name not in ("setting", "test")}
    problem = Problem(**columns, input="double(2)", output="4")
    stored = question_family.load_problem
    monkeypatch.setattr(
        question_family,
        "load_problem",
        lambda name, which: problem if which == problem.problem_id else stored(name, which),
    )
    document, filtered = answers(count)
    nested, flat = hook(document, [filtered]), hook(document, filtered)
    assert nested == flat
    assert flat[metric] == (share if share is not None else {"r_ier": 0.25, "r_ier_text": 0.25}.get(metric, 0.5))
    (skipped,) = ier.strict_match([[SKIPPED]], [VALUE])
    assert hook(document, skipped) == {} == hook(document, [skipped])


@pytest.mark.parametrize("results", [["[1, 2]"], [["[1, 2]"]], [[Answer("1")], [Answer("2")]]])
def test_another_shape_is_refused_with_the_mend(results: Any) -> None:
    with pytest.raises(TypeError, match=r"pip install 'lm-eval<0.6'"):
        ier.process_results(VALUE, results)


@pytest.mark.parametrize(
    ("installed", "warnings"), [("0.4.13", 0), ("0.4.99", 0), ("0.5.0.dev2", 1), ("0.5.1", 1), ("1.0", 1)]
)
def test_a_release_that_nobody_tested_is_named_once(
    installed: str, warnings: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(contract, "version", lambda package: installed)
    contract.warn_if_unknown.cache_clear()
    with caplog.at_level(logging.WARNING):
        ier.dataset(benchmark="sample", setting="direct")
        dsr.dataset(benchmark="sample")
    messages = [record.getMessage() for record in caplog.records if "newer than" in record.getMessage()]
    assert len(messages) == warnings
    assert all(installed in message and "codemind-oracle" in message for message in messages)
    contract.warn_if_unknown.cache_clear()
