"""Translation: the questions, why answers fail, and the scores."""

import math

import pytest

from lm_eval_codemind.answers.comparison import printed_lines
from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.families.sr import score as scores
from lm_eval_codemind.families.translation.task import CAUSES, TRANSLATION, cause, gained, misleading_output
from lm_eval_codemind.languages import get_language
from lm_eval_codemind.questions import Answer, Question


def questions(benchmark: str, setting: str) -> list[Question]:
    problems = TRANSLATION.problems(get_benchmark(benchmark), {})
    return [question for problem in problems for question in TRANSLATION.questions(problem, setting)]


@pytest.mark.parametrize(("benchmark", "count", "target"), [("sample_java", 13, "python"), ("sample", 5, "java")])
def test_every_program_is_asked_for_in_the_other_language(benchmark: str, count: int, target: str) -> None:
    plain, with_test = questions(benchmark, "no_test"), questions(benchmark, "with_test")
    assert len(plain) == len(with_test) == count
    for one, other in zip(plain, with_test, strict=True):
        assert one["target_language"] == target != one.language and not one["test"]
        assert other["test"].startswith("Input:") and other["answer"] == one["answer"]
        fence = get_language(target).fence
        answer = TRANSLATION.read(f"```{fence}\n{one['answer']}\n```", one, "extract-code")
        job = TRANSLATION.job(answer, one)
        assert job is not None and job.language == target and len(job.cases) >= 4


def test_the_misleading_test_alone_counts() -> None:
    for question in questions("sample", "misleading"):
        answer = TRANSLATION.read(f"```java\n{question['answer']}\n```", question, "extract-code")
        job = TRANSLATION.job(answer, question)
        assert job is not None and len(job.cases) == 1
        assert printed_lines(job.cases[0].stdout or "") != printed_lines(question["output"])


@pytest.mark.parametrize(
    ("output", "other"),
    [
        ("7\n", "8\n"),
        ("a 19 b\n", "a 10 b\n"),
        ("YES\n", "NO\n"),
        ("false", "true"),
        ("ab\n", "ba\n"),
        ("aa", "aax\n"),
        ("", "x\n"),
    ],
)
def test_misleading_outputs_look_like_outputs(output: str, other: str) -> None:
    assert misleading_output(output) == other


@pytest.mark.parametrize(
    ("status", "kind", "why"),
    [
        ("passed", "", ""),
        ("failed", "", "wrong_output"),
        ("timeout", "", "timeout"),
        ("error", "compile error", "compile_error"),
        ("error", "SyntaxError", "compile_error"),
        ("error", "ValueError", "runtime_error"),
        ("memory", "", "runtime_error"),
        ("blocked", "PermissionError", "runtime_error"),
        ("unfinished", "", "compile_error"),
    ],
)
def test_causes(status: str, kind: str, why: str) -> None:
    answer = Answer("code", outcome={"status": status, "exception_type": kind})
    assert cause(answer) == why
    (question, *_) = questions("sample", "no_test")
    metrics = TRANSLATION.score(question, answer)
    assert {name for name in CAUSES if metrics[name]} == ({why} if why else set())
    assert metrics["pass@1"] == (status == "passed")


def test_gained_is_the_share_of_the_unsolved_that_the_test_solves() -> None:
    pairs = [(1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.0, 0.0)]
    assert scores.gained(pairs) == pytest.approx(1 / 3)
    assert math.isnan(scores.gained([(1.0, 1.0)])) and math.isnan(scores.gained_stderr(pairs[:2]))
    # The variance of the mean of three zeros and ones, whose number is itself drawn.
    assert scores.gained_stderr(pairs) == pytest.approx(math.sqrt((4 / 9 + 1 / 9 + 1 / 9) / 4 / 5) / 0.6)
    records = [
        {"problem_id": str(number), "setting": setting, "passed": value}
        for number, pair in enumerate(pairs)
        for setting, value in zip(("no_test", "with_test"), pair, strict=True)
    ]
    assert gained(records) == pytest.approx(1 / 3)
