"""Recordings in which the model's answer follows the prompt it was given."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.answers.comparison import same_text
from lm_eval_codemind.answers.output import marked_answer
from lm_eval_codemind.data.build import benchmark_path
from lm_eval_codemind.models.recordings import read_recordings
from lm_eval_codemind.models.repeated_prompts import without_prompt, without_prompts
from lm_eval_codemind.problems import load_problems

CODE = "def f(x):\n    return x + 1"
IER = {"benchmark": "b", "kind": "function", "code": CODE, "output": "3", "prompt": f"### Problem\n{CODE}\n### Answer"}
DSR = {"benchmark": "b", "kind": "function", "code": CODE, "transformed": CODE.replace("x", "y"), "prompt": "### P\n"}
EXAMPLE = "def g():\n    pass\n<output>7</output>\n"
ANSWER = "\nSo:\n<output>3</output>"


@pytest.mark.parametrize(
    ("response", "document", "prompts", "rest"),
    [
        # given, or as the harness renders it; the tokenizer's tokens and white space aside
        ("my prompt" + ANSWER, IER, ["my prompt"], ANSWER),
        ("<s> my  prompt\n" + ANSWER, IER, ["my prompt\n"], "\n" + ANSWER),
        ("<|begin_of_text|>my prompt" + ANSWER, IER, ["other", "my prompt"], ANSWER),
        ("<\uff5cbegin\u2581of\u2581sentence\uff5c>my prompt" + ANSWER, IER, ["my prompt"], ANSWER),
        # the document's own prompt, after an example of whatever kind
        (f"system\n{EXAMPLE}\n{IER['prompt']}{ANSWER}", IER, [], ANSWER),
        # another prompt, which shows the program
        (f"{EXAMPLE}What does this give?\n{CODE}\nf(2){ANSWER}", IER, [], f"\nf(2){ANSWER}"),
        (f"{EXAMPLE}{CODE}\nAnswer in <output>X</output>.\n[Answer]\n\n@@ Response\n{ANSWER}", IER, [], ANSWER),
        (f"{CODE}\nAnswer in <output>X</output>.\n### Response:\n{ANSWER}", IER, [], ANSWER),
        (f"{DSR['transformed']}\n[/INST] shorter:\n{CODE}", DSR, [], f" shorter:\n{CODE}"),
        # a model that repeats the program is no repeated prompt
        (f"The program is\n{CODE}\nso{ANSWER}", IER, [], None),
        (f"It gives <output>3</output>, for\n{CODE}\nadds 1.", IER, [], None),
        (f"```python\n{DSR['transformed']}\n```\nIt cannot be made shorter.", DSR, [], None),
        (f"{DSR['transformed']}\n### Answer\n", DSR, [], None),
        ("my answer", IER, ["my prompt"], None),
        ("my prom", IER, ["my prompt"], None),
        (ANSWER, IER, [" "], None),
        ("", IER, ["my prompt"], None),
    ],
)
def test_what_follows_a_repeated_prompt(
    response: str, document: dict[str, Any], prompts: list[str], rest: str | None
) -> None:
    assert without_prompt(response, document, prompts) == rest


def test_an_unknown_program_in_a_known_prompt_is_recognised_by_the_others() -> None:
    head = "You are an assistant. " * 20 + EXAMPLE + "[Answer]\n7\n"
    documents = [IER, {**IER, "code": "import os\ndef f(): pass"}, IER, IER]
    known = [f"{head}{document['code']}\n[Answer]\n{ANSWER}" for document in documents[:2]]
    other = f"{head}lambda x: 1 + x\n[Answer]\n{ANSWER}"
    responses = [*known, other, ANSWER]
    assert without_prompts(responses, documents, [[]] * 4) == [ANSWER, ANSWER, ANSWER, None]
    assert without_prompts([other], [IER], [[]]) == [None]
    documents[2] = {**IER, "benchmark": "another"}
    assert without_prompts(responses[:3], documents[:3], [[]] * 3) == [ANSWER, ANSWER, None]


def test_prompts_of_rows_and_of_sample_files(tmp_path: Path) -> None:
    row = {"benchmark": "b", "problem_id": "p"}
    lines = [
        {**row, "response": "a", "prompt": "one"},
        {**row, "response": "b"},
        {"doc": row, "resps": [["c", "d"]], "filter": "f", "arguments": {"gen_args_0": {"arg_0": "two", "arg_1": {}}}},
    ]
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    recordings = read_recordings([path])
    assert recordings.find(row) == ["a", "b", "c", "d"]
    assert recordings.prompts_of(row) == ["one", "", "two", "two"]


@pytest.mark.upstream
def test_recorded_responses_of_a_model_whose_prompts_are_repeated(shared_data: Path, built_data: Path) -> None:
    problems = {
        (name, problem.problem_id): problem
        for name in ("humaneval", "cruxeval", "avatar")
        for problem in load_problems(benchmark_path(built_data, name))
    }
    for model, repeats in (("magicoder", True), ("gpt-4", False)):
        path = shared_data / "recorded" / f"v1_ier_{model}.jsonl.gz"
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = [row for row in map(json.loads, file) if (row["benchmark"], row["problem_id"]) in problems]
        documents = [
            {**problems[row["benchmark"], row["problem_id"]].to_row(), "prompt": "", "transformed": ""} for row in rows
        ]
        documents = [{name: value for name, value in row.items() if name != "specification"} for row in documents]
        rests = without_prompts([row["response"] or "" for row in rows], documents, [[]] * len(rows))
        found = [(row, rest) for row, rest in zip(rows, rests, strict=True) if rest is not None]
        if not repeats:
            assert found == []
            continue
        assert len(found) == len([row for row in rows if row["response"]])
        answers = [(marked_answer(rest, printed=True), row["published_prediction"]) for row, rest in found]
        # Where nothing is marked, the artifact took what it could; one recorded prediction is a message of its own.
        differing = [pair for pair in answers if pair[0] is not None and not same_text(pair[0], pair[1] or "")]
        assert [prediction for _, prediction in differing] == ["FILE_NOT_FOUND"]
        assert len(found) - sum(answer is None for answer, _ in answers) > 1000
