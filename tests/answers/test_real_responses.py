"""Responses of a real model, SmolLM2-135M-Instruct, are read as a person read them.

``smollm2.jsonl.gz`` has the responses to the shortest questions of all tasks on the packaged sample but those with two
stages: greedy, of at most 80 tokens (five of 200), so that many break off. ``mode`` is ``chat`` with the model's chat
template and ``plain`` without one. ``smollm2_labels.yaml`` says of them what a person read, before any reader did:

says      the answer in the form and the place that the task asks for; of a program, its text; of several, the last one
          null if there is none: no answer, one in another place, or a program that breaks off or is not asked for
"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from lm_eval.tasks import TaskManager

from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.families import families
from lm_eval_codemind.harness.location import task_directories
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.questions import Question

HERE = Path(__file__).parent
# Responses that are not read as labelled, and why.
_BOTH = "it breaks off, and does not parse before that either, so it counts as code that does not compile"
OTHERWISE = {
    ("codemind_locate_sample", "Sample_moving_average", "chat"): "the number of a list is read as that of a line",
    ("codemind_ier_sample", "Sample_moving_average/steps", "plain"): "of three values on three lines the first is read",
    ("codemind_translation_misleading_sample_java_python", "Sample_overflow_hash/misleading", "chat"): _BOTH,
    ("codemind_translation_misleading_sample_java_python", "Sample_digit_sums/misleading", "chat"): _BOTH,
}


def responses() -> dict[tuple[str, str, str], str]:
    with gzip.open(HERE / "smollm2.jsonl.gz", "rt", encoding="utf-8") as file:
        return {(row["task"], row["key"], row["mode"]): row["response"] for row in map(json.loads, file)}


@pytest.fixture(scope="module")
def questions() -> dict[str, tuple[Any, dict[str, Question]]]:
    """The family of each task, and its questions by key."""
    manager = TaskManager(include_path=list(task_directories()), include_defaults=False)
    by_name = {variant.name: family for family in families().values() for variant in family.variants}
    tasks = manager.load(sorted({task for task, _, _ in responses()}))["tasks"]
    found = {}
    for name, task in tasks.items():
        family = by_name[task.config.metadata["suite"]["family"]]
        asked = map(Question.from_document, task.eval_docs)
        found[name] = family, {question.key.within_task(): question for question in asked}
    return found


@pytest.mark.proof
def test_responses_are_read_as_a_person_read_them(questions):
    labels = read_yaml(HERE / "smollm2_labels.yaml")
    recorded, differ = responses(), {}
    for label in labels:
        row = (label["task"], label["key"], label["mode"])
        family, asked = questions[label["task"]]
        question = asked[label["key"]]
        # Outside of marks, any text may be what a program prints or reads.
        printed = kind_of(question).printed and len(family.filters) > 1
        answer = family.read(recorded[row], question, family.filters[0 if printed else -1])
        unfinished = answer.outcome is not None and answer.outcome["status"] == "unfinished"
        text = answer.text if answer.reading == "read" and not unfinished else None
        says = label["says"]
        right = text == says if says is None or text is None else squeezed(says) in squeezed(text)
        if not right:
            differ[row] = says, text
    assert differ.keys() == OTHERWISE.keys(), differ
    assert len(labels) == len({(label["task"], label["key"], label["mode"]) for label in labels}) == 200


def squeezed(text: str) -> str:
    return "".join(text.split())
