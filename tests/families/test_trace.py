"""Traces: documents, scores of right and wrong executions, and runs that verify and are shown."""

import ast
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.families.execution import trace
from lm_eval_codemind.results.observations import observe
from lm_eval_codemind.results.runs import read_runs
from tests.cli import said
from tests.results.harness import evaluate

SETTINGS = ("lines", "states")
STATEMENTS = (ast.stmt, ast.ExceptHandler)
METRICS = ("trace", "prefix", "output", trace.RIGHT_REASON, "lucky")
# Documents of the run that is looked at: one with a wrong step, one with a wrong output, one without an answer.
STEP, OUTPUT, SILENT = "Sample_invert_index", "Sample_merge_intervals", "Sample_run_length"


def documents(setting: str, benchmark: str = "sample") -> list[dict[str, Any]]:
    return list(trace.dataset(benchmark=benchmark, setting=setting)["test"])


def scores(rows_asked: list[dict[str, Any]], responses: list[str]) -> dict[str, float]:
    answers = trace.extract_steps([[response] for response in responses], rows_asked)
    rows = [
        trace.process_results(row, each) for row, each in zip(rows_asked, ([each] for each in answers), strict=True)
    ]
    means = {metric: [row[metric] for row in rows] for metric in METRICS}
    reasons = trace.right_for_the_right_reason(means.pop(trace.RIGHT_REASON))
    return {metric: sum(values) / len(values) for metric, values in means.items()} | {trace.RIGHT_REASON: reasons}


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_sample_is_asked_about_short_executions_with_a_choice(setting: str) -> None:
    of_setting = documents(setting)
    assert len(of_setting) == 16 and len({document["problem_id"] for document in of_setting}) == 16
    for document in of_setting:
        assert 1 <= len(document["lines"]) <= 60 and document["output"].strip("\n") in document["target"]
        parts = (node for node in ast.walk(ast.parse(document["code"])) if isinstance(node, STATEMENTS))
        nodes = {node.lineno: node for node in parts}
        kinds = {type(nodes[line]) for line in document["lines"]}
        if setting == "states":
            assert kinds <= {ast.For, ast.If, ast.While} and all(document["values"])
        else:
            assert kinds & {ast.For, ast.If, ast.While}


@pytest.mark.parametrize("setting", SETTINGS)
def test_ceiling_and_floor(setting: str) -> None:
    of_setting = documents(setting)
    perfect = scores(of_setting, [document["target"] for document in of_setting])
    assert perfect == {"trace": 1, "prefix": 1, "output": 1, "lucky": 0, trace.RIGHT_REASON: 1}
    silent = scores(of_setting, ["I do not know."] * len(of_setting))
    assert (silent["trace"], silent["prefix"], silent["output"], silent["lucky"]) == (0, 0, 0, 0)


def test_parts_of_a_response_are_scored_apart() -> None:
    (document, *_) = [each for each in documents("states") if each["problem_id"] == STEP]
    steps, output = trace.written(document, "states").split("\n"), document["output"]
    count = len(steps)

    def scored(lines: list[str], output: str) -> dict[str, float]:
        text = "\n".join(lines)
        return scores([document], [f"<trace>\n{text}\n</trace>\n<output>\n{output}\n</output>"])

    assert scored(steps, "[]") | {trace.RIGHT_REASON: 0} == {
        "trace": 1, "prefix": 1, "output": 0, "lucky": 0, trace.RIGHT_REASON: 0
    }  # fmt: skip
    wrong = scored([*steps[:-1], f"{steps[-1]}1"], output)
    assert wrong == {
        "trace": 0, "prefix": (count - 1) / count, "output": 1, "lucky": 1, trace.RIGHT_REASON: 0
    }  # fmt: skip
    assert scored([*steps, steps[0]], output)["prefix"] == 1 and scored([*steps, steps[0]], output)["trace"] == 0
    assert scored(steps[:3], output)["prefix"] == 3 / count


def test_a_statement_on_several_lines_has_each_of_their_numbers() -> None:
    document = {
        "benchmark": "none", "problem_id": "p", "setting": "lines", "item": "", "kind": "function",
        "language": "python", "output": "3", "lines": [2, 4, 7], "values": ["", "", ""],
        "code": "def f(x):\n    y = (x +\n         1)\n    if (y and\n            x):\n        pass\n    return 3\n",
    }  # fmt: skip
    for lines, right in (("2, 4, 7", 1), ("3, 5, 7", 1), ("2, 3, 4, 7", 0), ("2, 4, 6", 0)):
        assert scores([document], [f"<trace>{lines}</trace><output>3</output>"])["trace"] == right


def told(document: dict[str, Any]) -> str:
    target = str(document["target"])
    if document["problem_id"] == STEP:
        return target.replace("<trace>\n", "<trace>\n1, " if document["setting"] == "lines" else "<trace>\n1: 7\n")
    if document["problem_id"] == OUTPUT:
        return target.partition("<output>")[0] + "<output>\n'wrong'\n</output>"
    return "" if document["problem_id"] == SILENT else target


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_run_verifies_and_the_report_marks_the_first_wrong_step(setting: str, tmp_path: Path) -> None:
    task = f"codemind_trace_{setting}_sample"
    results = evaluate(tmp_path, "org/told", told, [task])["results"][task]
    assert results["trace,extract-answer"] == 14 / 16 and results["output,extract-answer"] == 14 / 16
    assert results["right_for_the_right_reason,extract-answer"] == pytest.approx(13 / 14)
    assert results["lucky,extract-answer"] == 1 / 16
    # Influences: 13 of (1/14)^2 and one of (13/14)^2 over 14^2, 16 problems.
    expected = (16 / 15 * (13 * (1 / 14) ** 2 + (13 / 14) ** 2) / 14**2) ** 0.5
    assert results["right_for_the_right_reason_stderr,extract-answer"] == pytest.approx(expected)
    said("verify", tmp_path)
    shown = said("show", tmp_path)
    assert "right_for_the_right_reason" in shown
    said("report", tmp_path, "-o", tmp_path / "report.html")
    by_problem = {each.problem_id: each for each in observe(read_runs([tmp_path]))}
    outcomes = {name: by_problem[name].view.outcome(by_problem[name].unit) for name in (STEP, OUTPUT, SILENT)}
    assert outcomes[STEP] == "first step incorrect, correct output"
    assert outcomes[OUTPUT] == "correct trace, incorrect output" and outcomes[SILENT] == "no trace, incorrect output"
    (steps,) = [part.text for part in by_problem[STEP].view.parts(by_problem[STEP].unit) if part.title == "Steps"]
    assert steps.split("\n")[1].endswith("<- first error")
    estimate = by_problem[STEP].view.estimate([each.unit[0] for each in by_problem.values()], trace.RIGHT_REASON)
    assert estimate.value == pytest.approx(13 / 14) and estimate.low < estimate.value < estimate.high == 1


@pytest.mark.parametrize("benchmark", ["humaneval", "cruxeval", "classeval", "avatar"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_every_right_answer_is_read_as_such(built: Path, benchmark: str, setting: str) -> None:
    of_setting = documents(setting, benchmark)
    perfect = scores(of_setting, [document["target"] for document in of_setting])
    assert perfect == {"trace": 1, "prefix": 1, "output": 1, "lucky": 0, trace.RIGHT_REASON: 1}


def test_five_thousand_traces_are_scored_in_thirty_seconds(built: Path) -> None:
    many = (documents("states", "cruxeval") + documents("lines", "cruxeval")) * 6
    began = time.process_time()
    scores(many[:5_000], [document["target"] for document in many[:5_000]])
    assert time.process_time() - began < 30


def test_a_condition_comes_before_the_events_in_functions_that_it_calls(built: Path) -> None:
    """The prompt says so. In each such question, an event of a called function follows the line that calls it."""
    calling = 0
    for benchmark in ("humaneval", "classeval"):
        for document in trace.dataset(benchmark=benchmark, setting="states")["test"]:
            assert "its line comes before the lines of the events in these functions" in document["prompt"]
            tree = ast.parse(document["code"])
            bodies = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
            for node in ast.walk(tree):
                if not isinstance(node, (ast.If, ast.While)) or node.lineno not in document["lines"]:
                    continue
                names = {getattr(part, "attr", getattr(part, "id", "")) for part in ast.walk(node.test)}
                called = [bodies[name] for name in names & bodies.keys()]
                inner = {
                    part.lineno
                    for body in called
                    for part in ast.walk(body)
                    if isinstance(part, (ast.If, ast.For, ast.While)) and part.lineno != node.lineno
                }
                following = {after for line, after in pairwise(document["lines"]) if line == node.lineno}
                if inner & set(document["lines"]):
                    calling += 1
                    assert inner & following, document["problem_id"]
    assert calling >= 10
