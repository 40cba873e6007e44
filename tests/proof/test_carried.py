"""Outputs that the published output and the change of the input give without execution."""

import dataclasses

import pytest

from lm_eval_codemind.problems import Problem
from lm_eval_codemind.proof.carried import carried_outputs

PROBLEM = Problem("p", "own", "function", "python", "def f(*values):\n    ...\n", "f", "f()", "None")


@pytest.mark.parametrize(
    ("published", "output", "changed", "carried"),
    [
        ("f('house', 2)", "['house', 2]", "f('tiger', 5)", "['tiger', 5]"),
        ("f('Hello world')", "'HELLO-WORLD'", "f('Tiger cabin')", "'TIGER-CABIN'"),
        ("f('abba')", "'ab'", "f('cddc')", "'cd'"),
        ("f('tree fork')", "'Tree fork!'", "f('eret korf')", "'Eret korf!'"),
        ("f(4)", "10", "f(7)", "13"),
        ("f(4)", "12", "f(7)", "21"),
        ("f([1, 2, 3])", "[3, 2, 1]", "f([1, 2])", "[2, 1]"),
    ],
)
def test_changes_are_carried_over(published: str, output: str, changed: str, carried: str) -> None:
    problem = dataclasses.replace(PROBLEM, input=published, output=output)
    assert carried in set(carried_outputs(problem, changed))


def test_a_script_prints_what_its_words_became() -> None:
    problem = dataclasses.replace(PROBLEM, kind="script", entry_point="", input="3 pear\n", output="pear pear 3\n")
    assert "fig fig 5\n" in set(carried_outputs(problem, "5 fig\n"))


def test_what_must_be_computed_is_not_carried_over() -> None:
    problem = dataclasses.replace(PROBLEM, input="f([3, 1, 2])", output="[1, 2, 3]")
    assert "[4, 5, 9]" not in set(carried_outputs(problem, "f([4, 9, 5])"))
