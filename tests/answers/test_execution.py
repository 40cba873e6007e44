"""Answers about executions: the shapes in which models write them, equal values, and hostile text."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.answers.execution import (
    read_lines,
    read_output,
    read_steps,
    read_values,
    same_loop_value,
    same_truth,
)

SHAPES = yaml.safe_load(Path(__file__).with_name("execution_shapes.yaml").read_text(encoding="utf-8"))
READERS: dict[str, Callable[[str], Any]] = {
    "values": read_values,
    "lines": read_lines,
    "states": lambda response: (steps := read_steps(response)) and [list(step) for step in steps],
    "output": lambda response: (text := read_output(response, printed=False)) and text.strip(),
}


@pytest.mark.parametrize(
    ("kind", "expected", "response"), [(kind, *shape) for kind, shapes in SHAPES.items() for shape in shapes]
)
def test_shapes(kind: str, expected: Any, response: str) -> None:
    assert READERS[kind](response) == expected


VALUES = st.recursive(
    st.one_of(st.integers(), st.text(max_size=8), st.booleans(), st.none(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.tuples(inner, inner)),
    max_leaves=6,
)


@given(st.lists(VALUES, max_size=6))
def test_a_python_list_is_read_value_by_value(values: list[Any]) -> None:
    texts = read_values(f"<answer>\n{values!r}\n</answer>")
    assert texts is not None and len(texts) == len(values)
    assert all(same_loop_value(text, repr(value), 1) for text, value in zip(texts, values, strict=True))


@given(st.lists(st.integers(1, 400), min_size=1, max_size=80))
def test_lines_are_read_in_order(lines: list[int]) -> None:
    assert read_lines(f"<trace>\n{', '.join(map(str, lines))}\n</trace>") == lines


@pytest.mark.parametrize(
    ("answer", "value", "variables", "right"),
    [
        ("1", "1", 1, True),
        ("i = 1", "1", 1, True),
        ("i: 1", "1", 1, True),
        ("1.0", "1", 1, True),
        ("True", "1", 1, False),
        ("a", "'a'", 1, True),
        ('"a"', "'a'", 1, True),
        ("x = y", "'x = y'", 1, True),
        ("null", "None", 1, True),
        ("[1, 2]", "(1, 2)", 1, False),
        ("(1, 'a')", "(1, 'a')", 2, True),
        ("[1, 'a']", "(1, 'a')", 2, True),
        ("1, 'a'", "(1, 'a')", 2, True),
        ("i = 1, x = 'a'", "(1, 'a')", 2, True),
        ("i, x = 1, 'a'", "(1, 'a')", 2, True),
        ("i, x = (1, 'a')", "(1, 'a')", 2, True),
        ("(1, 'b')", "(1, 'a')", 2, False),
        ("1", "(1, 'a')", 2, False),
        ("(1, (2, 3))", "(1, (2, 3))", 2, True),
    ],
)
def test_values_of_loop_variables(answer: str, value: str, variables: int, right: bool) -> None:
    assert same_loop_value(answer, value, variables) is right


@pytest.mark.parametrize("word", ["True", "true", "Y", "yes", "T", "1", "taken", "True (n = 3)", "`True`"])
def test_words_for_true(word: str) -> None:
    assert same_truth(word, "True") and not same_truth(word, "False")


@pytest.mark.parametrize("word", ["False", "false", "N", "no", "F", "0", "not taken", "not executed", "False."])
def test_words_for_false(word: str) -> None:
    assert same_truth(word, "False") and not same_truth(word, "True")


@pytest.mark.parametrize("word", ["", "unknown", "maybe", "10", "Tuesday", "None"])
def test_other_words_are_neither(word: str) -> None:
    assert not same_truth(word, "True") and not same_truth(word, "False")


@pytest.mark.parametrize(
    "text",
    ["[" * 40_000, "(," * 20_000, "a " * 20_000, "1 -" * 12_000, " " * 40_000 + "x", "'" * 40_001, "line " * 9_000,
     "1: " * 12_000, "x" * 3_000_000],
)  # fmt: skip
def test_hostile_text_takes_no_time(text: str) -> None:
    began = time.process_time()
    for reader in READERS.values():
        reader(f"<answer>{text}</answer><trace>{text}</trace><output>{text}</output>")
    same_loop_value(text, "(1, 2)", 2)
    same_truth(text, "True")
    assert time.process_time() - began < 5
