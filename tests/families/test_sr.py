"""The SR hooks: documents, what runs and is logged, pairing, and the harness around them."""

import dataclasses
import importlib.util
import json
import logging
import pickle
import re
from math import isnan
from typing import Any

import pytest
from lm_eval.tasks import TaskManager

from lm_eval_codemind import family as question_family
from lm_eval_codemind.families.sr import task as sr
from lm_eval_codemind.harness import journal
from lm_eval_codemind.harness.aggregations import mean_of_known
from lm_eval_codemind.harness.hooks import require_runnable
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer
from lm_eval_codemind.workshop.benchmarks import sample
from tests.families.reference import reference_run

BOTH = [sr.NO_TEST, sr.WITH_TEST]


def rows(**options: Any) -> list[dict[str, Any]]:
    return list(sr.dataset(benchmark="sample", **options)["test"])


def test_documents_of_a_problem_are_adjacent():
    documents = rows(settings=BOTH)
    assert len(documents) == 2 * len({row["problem_id"] for row in documents})
    for first, second in zip(documents[::2], documents[1::2], strict=True):
        assert (first["setting"], second["setting"]) == ("no_test", "with_test")
        assert first["problem_id"] == second["problem_id"]
        test = second["test"].strip()
        assert test and test not in first["prompt"] and test in second["prompt"]
        # The test, with the line that announces it and its fence, is all that tells the prompts apart.
        shown = re.escape(f"```python\n{test}\n```")
        rest, count = re.subn(rf"\nThe \w+ must pass this test:\n{shown}\n", "", second["prompt"])
        assert count == 1 and rest == first["prompt"]
        assert first["target"] == second["target"]


def test_misleading_documents_show_the_contradiction_only():
    documents = rows(settings=[sr.MISLEADING])
    problems = {problem.problem_id: problem for problem in sample.read()}
    assert {document["kind"] for document in documents} <= {"function", "method"}
    for document in documents:
        problem = problems[document["problem_id"]]
        assert problem.misleading_test.strip() in document["prompt"]
        assert problem.hint_test.strip() not in document["prompt"]


def test_examples_and_the_seed_that_draws_tests():
    suite: dict[str, Any] = {}
    splits = sr.dataset(benchmark="sample", settings=BOTH, suite=suite, pretrained="ignored")
    assert splits["fewshot"]["kind"] == ["function", "method"]
    assert splits["fewshot"].column_names == splits["test"].column_names
    assert suite["hint_seed"] == 0 and suite["benchmark"] == "sample"
    one = {row["problem_id"]: row["test"] for row in rows(settings=[sr.WITH_TEST], hint_seed=1, suite=suite)}
    two = {row["problem_id"]: row["test"] for row in rows(settings=[sr.WITH_TEST], hint_seed=2)}
    again = {row["problem_id"]: row["test"] for row in rows(settings=[sr.WITH_TEST], hint_seed="1")}
    assert one == again and one != two and suite["hint_seed"] == 1
    with pytest.raises(ValueError, match="hint_seed"):
        rows(settings=BOTH, hint_seed="many")


def test_missing_packages_are_named(monkeypatch):
    needs = Problem("p", "mbpp", "function", "python", "import no_such_package_here\n", "f", "", "", tests="import os")
    with pytest.raises(ValueError, match=r"no_such_package_here.*`pip install no_such_package_here`"):
        require_runnable([needs])
    # Packages of the benchmarks have an extra.
    known = "import gensim\nimport cryptography.fernet\nimport no_such_package_here\n"
    installed = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in ("gensim", "cryptography") else installed(name)
    )
    with pytest.raises(ValueError, match=r"pip install 'lm-eval-codemind\[classeval,dsr\]' no_such_package_here`"):
        require_runnable([dataclasses.replace(needs, code=known)])
    # C+ counts as well where it is asked about.
    needs = dataclasses.replace(needs, code="", transformed="import cryptography\n")
    require_runnable([needs])
    with pytest.raises(ValueError, match=r"lm-eval-codemind\[dsr\]"):
        require_runnable([needs], columns=["code", "transformed"])
    # A program may run without what it imports in a function or under a condition.
    chosen = "import sys\nif len(sys.argv) > 9:\n    import no_such_package_here\n"
    uncalled = "def read():\n    import no_such_package_here\n"
    require_runnable([dataclasses.replace(needs, code=code) for code in (chosen, uncalled)])


FUNCTION: dict[str, Any] = {
    "problem_id": "P", "benchmark": "sample", "kind": "function", "language": "python", "setting": "no_test",
    "test": "", "code": "def double(x): return 2 * x", "entry_point": "double",
    "specification": "def double(x: Number) -> Number:\n", "context": "from numbers import Number",
    "tests": "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(3) == 6\n",
}  # fmt: skip
MISLED = {**FUNCTION, "setting": "misleading", "test": "assert double(2) == -1017"}


@pytest.fixture(autouse=True)
def _problem_of_the_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the documents above be about a problem of the sample."""
    columns = {name: FUNCTION[name] for name in FUNCTION if name not in ("setting", "test")}
    problem = Problem(**columns, input="double(2)", output="4")
    stored = question_family.load_problem
    monkeypatch.setattr(
        question_family,
        "load_problem",
        lambda *name: problem if name[1] == "P" else stored(*name),
    )


def outcome_of(response: str) -> Answer:
    (answer,) = sr.extract_code([[response]], [FUNCTION])[0]
    sr.process_results(FUNCTION, [[answer]])
    return answer


def test_what_runs_is_logged_with_its_outcome():
    logged = outcome_of("```python\ndef double(x: Number):\n    return x + x\nprint(double(1))\n```")
    assert logged.text == "from numbers import Number\n\n\ndef double(x: Number):\n    return x + x\n"
    assert logged.outcome["status"] == "passed" and logged.outcome["isolation"]
    wrong = outcome_of("def double(x):\n    return x * x")
    assert wrong.outcome["status"] == "failed" and "candidate(3) == 6" in wrong.outcome["failed_test"]
    assert outcome_of("I cannot.") == Answer(None)
    for broken in ("    return 2 x", "    y = = 2\n    return 2 * x"):
        answer = outcome_of(f"def double(x):\n{broken}")
        assert answer.text is not None and broken in answer.text
        assert (answer.outcome["status"], answer.outcome["exception_type"]) == ("error", "SyntaxError")
    assert outcome_of("    return 2 * x").outcome["status"] == "passed"
    future = outcome_of("from __future__ import annotations\n\ndef double(x: Unknown):\n    return 2 * x")
    assert future.text.startswith("from __future__ import annotations\nfrom numbers")
    assert future.outcome["status"] == "passed"
    # Answers travel as they are logged.
    assert json.loads(str(future)) == {"answer": future.text, "reading": "read", "outcome": future.outcome}
    assert pickle.loads(pickle.dumps(future)) == future == Answer.from_json(str(future)) and future.passed


def test_an_unfinished_definition_is_found_and_never_runs(monkeypatch):
    submitted: list[Any] = []
    monkeypatch.setattr(journal, "submit", submitted.append)
    # The code before the break would pass both tests.
    response = "```python\ndef double(x):\n    if x: return 2 * x\n    else: return 2 *"
    ((answer,),) = sr.extract_code([[response]], [FUNCTION])
    metrics = sr.process_results(FUNCTION, [[answer]])
    assert submitted == []
    assert answer.outcome["status"] == "unfinished" and "else: return 2 *" in answer.text
    assert (metrics["code_found"], metrics["pass@1_no_test"]) == (1.0, 0.0)
    ((answer,),) = sr.extract_code([[response]], [MISLED])
    assert sr.process_results(MISLED, [[answer]]) == {"pass@1": 0.0, "code_found": 1.0, "unproven_passes": 0}
    assert submitted == []


def test_misleading_code_is_validated_on_the_misleading_test_alone_and_the_same_code_runs_once(monkeypatch):
    (misled, honest) = sr.extract_code([["def double(x): return -1017"], ["def double(x): return 2 * x"]], [MISLED] * 2)
    assert sr.process_results(MISLED, [misled]) == {"pass@1": 1.0, "code_found": 1.0, "unproven_passes": 1}
    assert sr.process_results(MISLED, [honest]) == {"pass@1": 0.0, "code_found": 1.0, "unproven_passes": 0}
    submitted: list[Any] = []
    submit = journal.submit
    monkeypatch.setattr(journal, "submit", lambda job: submitted.append(job) or submit(job))
    documents = [FUNCTION, {**FUNCTION, "setting": "with_test", "test": "assert double(1) == 2"}, MISLED]
    response = "def double(x): return 2 * x"
    (one,), (two,), (three,) = sr.extract_code([[response]] * 3, documents)
    assert len(submitted) == 2
    for answer in (one, two, three):
        answer.wait()
    assert one.passed and two.passed and not three.passed


def test_metrics_of_repeats():
    responses = ["def double(x): return 2 * x", "def double(x): return 3", "nothing", "def double(x): return x + x"]
    (answers,) = sr.extract_code([responses], [FUNCTION])
    metrics = sr.process_results(FUNCTION, [answers])
    assert metrics["r_sr"] == {"problem_id": "P", "setting": "no_test", "passed": 0.5}
    assert metrics["pass@1_no_test"] == 0.5 and metrics["pass@1_with_test"] is None
    assert metrics["code_found"] == 0.75 and metrics["pass@2_no_test"] == pytest.approx(1 - 1 / 6)


def test_suites_that_are_not_fair_have_a_score_of_their_own():
    passes, fails = "def double(x): return 2 * x", "def double(x): return 3"
    kinds = ("fair", "unstated", "types")
    rows = [{**FUNCTION, "suite": suite, "setting": setting} for suite in kinds for setting in BOTH]
    responses = [passes, passes, fails, passes, fails, fails]
    answers = sr.extract_code([[response] for response in responses], rows)
    metrics = [sr.process_results(row, [answer]) for row, answer in zip(rows, answers, strict=True)]
    assert [each["pass@1_no_test"] for each in metrics] == [1.0, None, 0.0, None, 0.0, None]
    assert [each["pass@1_no_test_fair"] for each in metrics] == [1.0, None, None, None, None, None]
    records = [each["s_sr_unstated"] for each in metrics]
    assert records[:2] == [None, None]
    named = [record and {**record, "problem_id": str(number // 2)} for number, record in enumerate(records)]
    assert sr.s_sr_unstated(named) == 0.5 and sr.s_sr_unstated(named).size == 2
    assert isnan(sr.s_sr_unstated([None, None]))


def test_pairs_in_any_order_and_single_documents(caplog):
    rows = (("b", "with", 1.0), ("a", "no", 1.0), ("c", "no", 1.0), ("a", "with", 0.0), ("b", "no", 0.0))
    records = [{"problem_id": name, "setting": f"{way}_test", "passed": passed} for name, way, passed in rows]
    with caplog.at_level(logging.WARNING):
        values = (sr.r_sr(records), sr.r_sr.stderr(records), sr.s_sr(records), sr.s_sr.stderr(records))
    assert values[0] == pytest.approx(0.5 * 2.718281828**0.5)
    assert values[2] == 0.5 and values[1] >= 0 and values[3] == pytest.approx(0.5)
    (warning,) = caplog.records
    assert "leave out 1" in warning.getMessage() and isnan(sr.r_sr(records[1:3]))
    assert mean_of_known([1.0, None, 0.0, None]) == 0.5
    assert mean_of_known.stderr([1.0, None, 0.0]) == pytest.approx(0.5)


TASK = "codemind_sr_sample"


def test_limit_cuts_a_pair_and_the_harness_asks_before_code_is_run(caplog):
    with caplog.at_level(logging.WARNING, logger="lm_eval_codemind"):
        results = reference_run("oracle", TASK, limit=5, log_samples=True)
    assert results["results"][TASK]["r_sr,extract-code"] == 1.0
    assert sum("leave out 1 problem(s)" in one.getMessage() for one in caplog.records) == 1
    samples = results["samples"][TASK]
    assert len(samples) == 5
    for one in samples:
        (logged,) = one["filtered_resps"][0]
        assert logged.passed and one["doc"]["entry_point"].split(".")[-1] in logged.text
        assert json.loads(json.dumps(one, default=str))["filtered_resps"] == [[str(logged)]]
    with pytest.raises(ValueError, match="confirm_run_unsafe_code"):
        reference_run("null", TASK, confirm_run_unsafe_code=False)


def test_chosen_samples_another_seed_and_the_cache(tmp_path):
    results = reference_run("oracle", TASK, samples={TASK: [0, 1, 2]})
    assert results["results"][TASK]["pass@1_no_test,extract-code"] == 1.0
    with_seed = TaskManager(include_path=str(task_directory()), include_defaults=False, metadata={"hint_seed": 7})
    results = reference_run("oracle", TASK, manager=with_seed)
    assert results["configs"][TASK]["metadata"]["suite"]["hint_seed"] == 7
    assert results["results"][TASK]["r_sr,extract-code"] == 1.0
    for model in ("oracle", "null"):
        results = reference_run(model, TASK, use_cache=str(tmp_path / "cache"))["results"]
        assert results[TASK]["r_sr,extract-code"] == 1.0
