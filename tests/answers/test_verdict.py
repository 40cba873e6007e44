"""Verdicts in responses, in the forms in which models write them."""

from __future__ import annotations

import pytest

from lm_eval_codemind.answers.runtime import read_verdict

SHAPES = [
    ("<answer>\nyes\n</answer>", True),
    ("<answer>no</answer>", False),
    ("<answer>Yes.</answer>", True),
    ("<answer> **No** </answer>", False),
    ("<answer>`yes`</answer>", True),
    ("<answer>\n```\nno\n```\n</answer>", False),
    ("<answer>No, the loop stops too early.</answer>", False),
    ("<answer>Yes, it is right.</answer>", True),
    ("<answer>The program is right.</answer>", True),
    ("<answer>The program is not right.</answer>", False),
    ("<answer>The program isn't correct</answer>", False),
    ("<answer>incorrect</answer>", False),
    ("<answer>correct</answer>", True),
    ("<answer>It is buggy.</answer>", False),
    ("<answer>It has a bug in line 3.</answer>", False),
    ("<answer>It has no bug.</answer>", True),
    ("<answer>There are no bugs, so yes.</answer>", True),
    ("<answer>It does not contain any errors.</answer>", True),
    ("<answer>not correct</answer>", False),
    ("<answer>No bug found</answer>", True),
    ("[ANSWER]\nYes\n[/ANSWER]", True),
    ("The loop ends one step early.\n\n<answer>\nno\n</answer>\nI hope this helps. Yes?", False),
    ("<answer>yes</answer>\nWait, the last element is lost.\n<answer>no</answer>", False),
    ("<think>yes, no, yes</think>\n<answer>no</answer>", False),
    ("I follow it with [1, 2].\nThe result is 3, as specified.\nYes", True),
    ("I follow it with [1, 2].\nSo the program is wrong.", False),
    ("**Answer: no**", False),
    ("The answer is yes.", True),
    ("The right answer is: no", False),
    ("```\nNo\n```", False),
    ("yes\n</answer>", True),
    ("<answer>true</answer>", True),
    ("<answer>False</answer>", False),
    ("", None),
    ("I cannot say.", None),
    ("<answer>maybe</answer>", None),
]


@pytest.mark.parametrize(("response", "verdict"), SHAPES)
def test_shapes(response: str, verdict: bool | None) -> None:
    assert read_verdict(response) is verdict
