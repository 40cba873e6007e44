"""The harness's own tasks on CRUXEval beside ours: the same responses, and the table in the tasks' README."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from lm_eval.tasks.cruxeval import utils as harness

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.families.cruxeval import task as family
from lm_eval_codemind.sandbox import Job, shared_sandbox
from tests.run_files import read_rows

README = Path(__file__).parents[2] / "tasks" / "cruxeval" / "README.md"
# The harness's task -> the function that makes a program of a response, our filter and scoring, our setting.
TASKS: dict[str, tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any], str]] = {
    "cruxeval_output": (harness.build_predictions_output, family.extract_output, family.process_output, "direct"),
    "cruxeval_output_cot": (harness.build_predictions_output_cot, family.extract_output, family.process_output, "cot"),
    "cruxeval_input": (harness.build_predictions_input, family.extract_input, family.process_input, "direct"),
    "cruxeval_input_cot": (harness.build_predictions_input_cot, family.extract_input, family.process_input, "cot"),
}
RECORDED = {"cruxeval_output": "gpt-4-0613_temp0.2_output", "cruxeval_input": "gpt-4-0613_temp0.2_input"}


def counts(name: str, responses: Sequence[str]) -> list[int]:
    """Return how many responses are right by the harness's task, by ours, and by upstream's rule."""
    build, extract, process, setting = TASKS[name]
    dataset = family.output_dataset if "output" in name else family.input_dataset
    documents = dataset(benchmark="cruxeval", setting=setting)["test"]
    # The harness's data set has the arguments, ours the call.
    rows = [
        {"code": row["code"].rstrip("\n"), "input": row["input"].removeprefix("f(")[:-1], "output": row["output"]}
        for row in documents
    ]
    programs = [made for (made,) in build([[text] for text in responses], rows)]
    # As in the harness, a program passes that raises nothing.
    outcomes = shared_sandbox().run([Job.evaluate(program, ["True"]) for program in programs])
    theirs = [each.passed and each.observations[0].literal == "True" for each in outcomes]
    answers = extract([[text] for text in responses], documents)
    ours = [process(row, [own]) for row, own in zip(documents, answers, strict=True)]
    return [sum(theirs), *(int(sum(each[metric] for each in ours)) for metric in ("pass@1", "pass@1_upstream"))]


def table() -> dict[tuple[str, str], list[int]]:
    """Return the rows of the README's table."""
    rows = re.findall(
        r"^\| `(cruxeval_\w+)` \| ([^|]+) \| (\d+) \| (\d+) \| (\d+) \|$", README.read_text(), re.MULTILINE
    )
    return {(name, responses): list(map(int, numbers)) for name, responses, *numbers in rows}


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.usefixtures("built")
def test_right_answers(name):
    setting = "cot" if name.endswith("cot") else "direct"
    dataset = family.output_dataset if "output" in name else family.input_dataset
    targets = [
        row["target"].removesuffix("\n[/ANSWER]") for row in dataset(benchmark="cruxeval", setting=setting)["test"]
    ]
    assert counts(name, targets) == table()[name, "right answers"]


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.usefixtures("built")
def test_recorded_answers(name, shared_data):
    rows = read_rows(shared_data / "cruxeval_recordings" / f"{RECORDED[name]}.jsonl.gz")
    answers = {row["problem_id"]: row["answers"][0] for row in rows}
    texts = [
        f"assert {problem.input} == {answers[problem.problem_id]}"
        if "output" in name
        else f"assert {answers[problem.problem_id]} == {problem.output}"
        for problem in load_benchmark("cruxeval")
    ]
    assert counts(name, texts) == table()[name, "first recorded answers of gpt-4-0613"]
