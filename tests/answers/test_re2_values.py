"""Answers to questions about values, in the shapes that models use."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.answers import re2_values as values

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab "),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text("abc"), inner),
)


@given(VALUES)
def test_a_value_equals_itself_and_its_python_text(value: Any) -> None:
    assert values.same_plain(value, value)
    assert values.same_plain(values.read_value(repr(value)), value)


@pytest.mark.parametrize(
    ("answer", "label", "same"),
    [
        ("[1, 2]", [1, 2], True),
        ("(1, 2)", [1, 2], True),
        ("[1]", [1, 2], False),
        ("true", True, True),
        ("1", True, False),
        ("null", None, True),
        ('{"1": [true, null]}', {"1": [True, None]}, True),
        ("{'a': null}", {"a": None}, True),
        ("{1: 2}", {"1": 2}, True),
        ("[[1.0, 2.0], [3.0, 4.0]]", "array([[1., 2.],\n       [3., 4.]])", True),
        ("[-1, 2]", "array([1, 2])", False),
        ("array([1, 2], dtype=int8)", "array([1, 2])", True),
        ("[[1.5, 0.2], [1.6, 0.2]]", "[[1.5 0.2]\n [1.6 0.2]]", True),
        ('"x + y"', "x + y", True),
        ("x + y", "x + y", True),
        ("(-1-2j)", "(-1-2j)", True),
        ("{1, 2}", "{2, 1}", True),
        ("XXX", 1, False),
        ("", "", True),
    ],
)
def test_values_are_compared_as_json_shows_them(answer: str, label: Any, same: bool) -> None:
    assert values.same_plain(values.read_value(answer), label) is same


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("line 3: i = [2, 1]", {"3": {"i": [2, 1]}}),
        ("line 3: i = ['a', 'b']\nline 3: j = [(1, 2)]", {"3": {"i": ["a", "b"], "j": [(1, 2)]}}),
        ("- Line 12: [Y, N]", {"12": {"": ["Y", "N"]}}),
        ("3: i = []", {"3": {"i": []}}),
        ('{"3": {"i": [1]}, "5": [true]}', {"3": {"i": [1]}, "5": {"": [True]}}),
        ("3     for i in t: ## [STATE]i=['#', '2'][/STATE] [STATE]t=[1][/STATE]", {"3": {"i": ["#", "2"], "t": [1]}}),
        ("4 if x: ## [BRANCH]taken=[Y,N][/BRANCH]", {"4": {"taken": ["Y", "N"]}}),
        ("4 if x: ## [BRANCH]taken=['Y', 'N'][/BRANCH]", {"4": {"taken": ["Y", "N"]}}),
        ("line 9: x = [MPQ(1,2), {0: 1, 2: 3}]", {"9": {"x": ["MPQ(1,2)", {0: 1, 2: 3}]}}),
        ("line 9: x = ??", {"9": {"x": ["??"]}}),
        ("I do not know.", {}),
    ],
)
def test_lists_are_read(text: str, lines: dict[str, Any]) -> None:
    assert values.read_lines(text) == lines


def test_truths_and_the_first_difference() -> None:
    assert values.truths(["Y", "n", True, "not taken", "?"]) == [True, False, True, False, None]
    assert values.first_difference([1, 2], [1, 2]) is None
    assert values.first_difference([1, 2], [1, 3, 4]) == 1
    assert values.first_difference([1], [1, 2]) == 1
    assert values.first_difference([1, 2], [1]) == 1
    assert values.first_difference([3], ["3"]) is None and values.first_difference(["3"], [3]) == 0
    assert values.first_difference([["x", "y"]], ["[x, y]"]) is None


def test_marks() -> None:
    assert values.marked_text("<answer>\n[1]\n</answer>") == "[1]"
    assert (
        values.marked_text('[THOUGHT]so[/THOUGHT]\n[OUTPUT]\n```json\n{"output": 1}\n```\n[/OUTPUT]') == '{"output": 1}'
    )
    assert values.marked_text("[1]") is None
