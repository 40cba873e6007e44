"""Runtime behaviour with one request a program: its questions, how answers in blocks are read, and a run looked at."""

from collections import Counter
from typing import Any

import pytest

from lm_eval_codemind.families.runtime import items as runtime_items
from lm_eval_codemind.families.runtime import task as runtime
from lm_eval_codemind.families.together import task as together
from lm_eval_codemind.families.together.task import TOGETHER, parts
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.results.analysis import summary
from lm_eval_codemind.results.observations import observe
from lm_eval_codemind.results.runs import read_runs
from tests.cli import said
from tests.results.harness import evaluate

TASK = "codemind_runtime_together_sample"
METRICS = ("coverage_balanced", "state_executed", "path_executed", "output")


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    return list(together.dataset(benchmark="sample")["test"])


@pytest.fixture(scope="module")
def questions(documents: list[dict[str, Any]]) -> list[Question]:
    return [Question.from_document(document) for document in documents]


def blocks(answers: list[str]) -> str:
    return "\n".join(f"<answer{number}>\n{answer}\n</answer{number}>" for number, answer in enumerate(answers, start=1))


def right(question: Question) -> list[str]:
    return [columns["answer"] for columns in question["questions"]]


def test_a_request_has_questions_of_the_usual_task_and_at_most_two_of_a_kind(questions):
    every = list(runtime.dataset(benchmark="sample", settings=runtime_items.SETTINGS, items="all")["test"])
    usual = {Question.from_document(document).key: document for document in every}
    assert len(questions) == len({key.problem_id for key in usual}) == 24
    for question in questions:
        asked = parts(question)
        assert max(Counter(part.key.setting for part in asked).values()) <= 2
        for part in asked:
            same = usual[part.key]
            assert all(same[name] == value for name, value in part.fields.items() if name not in ("setting", "item"))


def test_no_line_that_is_asked_about_as_executed_is_told_by_another_question(questions):
    for question in questions:
        lines = {(c["run"], c["line"]): c["setting"] for c in question["questions"] if c["setting"] == "coverage"}
        told = {(c["run"], c["line"]) for c in question["questions"] if c["setting"] in ("state", "path")}
        assert not told & lines.keys()
    assert any(columns["setting"] == "coverage" for question in questions for columns in question["questions"])


def test_a_prompt_asks_each_question_on_its_input(documents):
    for document in documents:
        asked, prompt = document["questions"], document["prompt"]
        assert all(f"\n{number}. " in prompt for number in range(1, len(asked) + 1))
        assert all(f"line {columns['line']} " in prompt for columns in asked if columns["line"])
        several = len({columns["run"] for columns in asked}) > 1
        assert ("On input 2:" in prompt) == several
        outputs = [columns for columns in asked if columns["setting"] == "output"]
        assert document["kind"] == "script" or ("== ??" in prompt) == bool(outputs)


def test_all_answers_in_their_blocks_are_right_whatever_stands_between_them(questions):
    for question in questions:
        texts = [f"Step {n}.\n\n**Answer {n}:**\n{blocks(right(question))}" for n in (1, 2)]
        for text in (question.target, *texts):
            answer = TOGETHER.read(text, question, "extract-answer")
            assert answer.reading == "read"
            assert TOGETHER.score(question, answer) == {"right": 1.0, "answered": 1.0, "complete": 1.0}


def test_an_answer_in_another_form_counts_as_none_and_leaves_the_others(questions):
    question = max(questions, key=lambda question: len(question["questions"]))
    answers = right(question)
    of_state = [columns["setting"] for columns in question["questions"]].index("state")
    for wrong, reading in (("see above (it depends)", "malformed"), ("", "malformed")):
        text = blocks([wrong if number == of_state else answer for number, answer in enumerate(answers)])
        answer = TOGETHER.read(text, question, "extract-answer")
        scores = TOGETHER.score(question, answer)
        assert answer.reading == reading and scores["complete"] == scores["right"] == 0
        assert scores["answered"] == pytest.approx(1 - 1 / len(answers))
        records = TOGETHER.joint(question, [answer])
        rights = [record["right"] for of_metric in records.values() for record in of_metric]
        assert rights.count([False]) == 1 and records["state_executed"]


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("", "no_answer"),
        ("<answer>\nyes\n</answer>", "no_answer"),
        ("1. yes\n2. no\n3. 5; int", "no_answer"),
        ("<think>line 3, then", "unfinished"),
        ("<answer1>yes</answer1>", "malformed"),
    ],
)
def test_a_response_without_all_blocks_says_why(text, reading, questions):
    question = next(each for each in questions if len(each["questions"]) > 2)
    answer = TOGETHER.read(text, question, "extract-answer")
    assert answer.reading == reading
    assert Answer.from_json(answer.to_json()) == answer


def test_a_run_is_scored_planned_verified_and_reported(tmp_path):
    """All answers but those about the output are right."""

    def answer(document: dict[str, Any]) -> str:
        asked = document["questions"]
        return blocks([columns["answer"] if columns["setting"] != "output" else "'?'" for columns in asked])

    evaluate(tmp_path, "org/model", answer, [TASK])
    runs = read_runs([tmp_path])
    observations = observe(runs)
    rows = {row["metric"]: row for row in summary(runs, every=True).records()}
    assert [rows[metric]["value"] for metric in METRICS] == [1, 1, 1, 0]
    assert rows["complete"]["value"] == 1 and rows["coverage_balanced"]["baseline"] > 0.5
    assert len(observations) == 24 and not any(o.solved for o in observations if o.predicts is False)
    assert {o.predicts for o in observations} == {False}
    parts_shown = observations[0].view.parts(observations[0].unit)
    assert sum(part.title.startswith("Response") for part in parts_shown) == 1
    assert any("+ coverage" in part.text or "+ state" in part.text for part in parts_shown)
    assert "equal (1 task" in said("verify", tmp_path)
    said("report", tmp_path, "-o", tmp_path / "report")
    assert f"{TASK} " in said("plan", "--tasks", TASK)
