from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.answers.runtime import (
    NOT_EXECUTED,
    THE_END,
    published_answer,
    published_assertions,
    published_coverage,
    published_path,
    published_state,
    read_coverage,
    read_outputs,
    read_path,
    read_state,
    same_outputs,
    same_path,
    same_state,
)

LINES = ["def f(xs):", "    total = 0", "    for x in xs:", "        total += x", "        if total > 3:",
         "            total += x", "    return total"]  # fmt: skip
SHAPES: dict[str, list[list[Any]]] = yaml.safe_load(Path(__file__).with_name("runtime_shapes.yaml").read_text("utf-8"))


def test_there_are_enough_shapes() -> None:
    assert sum(map(len, SHAPES.values())) >= 80


@pytest.mark.parametrize(("said", "response"), SHAPES["coverage"])
def test_coverage(said: bool | None, response: str) -> None:
    assert read_coverage(response) is said


@pytest.mark.parametrize(("value", "type_name", "response"), SHAPES["state"])
def test_state(value: str | None, type_name: str, response: str) -> None:
    answer = read_state(response)
    assert same_state(answer, value, type_name)
    # The same answer is wrong about anything else.
    assert not same_state(answer, "-77", "int")
    assert not same_state(answer, "['other']", "list")
    assert same_state(answer, None, "") == (value is None)


@pytest.mark.parametrize(("line", "response"), SHAPES["path"])
def test_path(line: int | str | None, response: str) -> None:
    assert read_path(response, LINES) == line


@pytest.mark.parametrize(("values", "masked", "response"), SHAPES["output"])
def test_output(values: list[str], masked: str, response: str) -> None:
    answers = read_outputs(response, masked)
    assert same_outputs(answers, values)
    assert not same_outputs(answers, ["-77", *values[1:]])


@pytest.mark.parametrize(
    ("response", "value", "type_name"),
    [
        ("<answer>5; str</answer>", "5", "int"),
        ("<answer>5</answer>", "5.0", "float"),
        ("<answer>1; int</answer>", "True", "bool"),
        ("<answer>True; bool</answer>", "1", "int"),
        ("<answer>(1, 2); tuple</answer>", "[1, 2]", "list"),
        ("<answer>5; int; float; str</answer>", "5", "int"),
        ("<answer>4; int\n5; int</answer>", "5", "int"),
        ("<answer>Nil</answer>", "None", "NoneType"),
        ("", "5", "int"),
    ],
)
def test_wrong_states(response: str, value: str, type_name: str) -> None:
    assert not same_state(read_state(response), value, type_name)


def test_path_is_judged_by_the_lines_of_the_statement() -> None:
    assert same_path(5, 4, 6) and same_path(4, 4) and not same_path(7, 4, 6) and not same_path(5, 4)
    assert same_path(THE_END, 0) and not same_path(0, 0) and not same_path(THE_END, 3)
    assert same_path(NOT_EXECUTED, None) and not same_path(THE_END, None) and not same_path(None, None)


MASKED = "a = A()\nassert a.n == ??\nassert a.f(2) == ??"


@pytest.mark.parametrize(
    "answer",
    [
        "pass # assert assert assert",
        "assertTrue(True)",
        "assert True",
        "assert a.n == a.n\nassert a.f(2) == a.f(2)",
        "a.n\na.f(2)",
        "a = A()\nassert a.n == a.n\nassert a.f(2) == a.f(2)",
        "a = A()\nassert a.n == 1 or True\nassert a.f(2) == 4",
        "a = A()\na.f = lambda x: 4\nassert a.n == 1\nassert a.f(2) == 4",
        "assert 1\nassert 4 == 4",
        "1",
        "",
    ],
)
def test_answers_that_game_the_output_question_get_nothing(answer: str) -> None:
    assert same_outputs(read_outputs("<answer>\n1\n4\n</answer>", MASKED), ["1", "4"])
    assert not same_outputs(read_outputs(f"<answer>\n{answer}\n</answer>", MASKED), ["1", "4"])
    assert not same_outputs(read_outputs(f"<answer>\n{answer}\n</answer>", "assert f(1) == ??"), ["7"])


@given(st.text(max_size=60), st.sampled_from(["{}", "<answer>{}</answer>", "[ANSWER]{}", "<answer>{}; int</answer>"]))
def test_no_response_breaks_a_reader(text: str, frame: str) -> None:
    response = frame.replace("{}", text)
    read_coverage(response)
    read_state(response)
    read_path(response, LINES)
    read_outputs(response, MASKED)


def test_published_rules() -> None:
    assert published_answer("x [ANSWER] YES [/ANSWER] more") == "YES"
    assert published_coverage("YESTERDAY") and not published_coverage("I say YES")
    values = (("0.5", "float"), ("2", "int"))
    assert published_state("0.5000001; float", values) and published_state("2; INT", values)
    # The type of any accepted value will do for any other.
    assert published_state("2; float", values) and not published_state("3; int", values)
    assert not published_state("2", values) and published_state("Nil", ()) and not published_state("2; int", ())
    assert published_path("total += x", [4], LINES) and published_path("-1", [-1], LINES)
    assert published_path("total += x", [6], LINES) and not published_path("4", [4], LINES)
    assert published_assertions("assertTrue(True)", "assertTrue(??)") is None
    assert published_assertions("assert f(1) == 2", "x = 1\nassert f(x) == ??") == "x = 1\nassert f(1) == 2"
    assert published_assertions("pass", "assert f(1) == ??") is None
