"""REval's rules, with the faults that they have."""

import pytest

from lm_eval_codemind.studies.reval import rules as reval

VALUES = [("5", "builtins.int"), ("1.5", "builtins.float")]


@pytest.mark.parametrize(("response", "answer"), [
    ("[ANSWER] YES [/ANSWER]", "YES"), ("5; int [/ANSWER] and more", "5; int"), ("The [ANSWER]a", "a"),
    ("[ANSWER]4[/ANSWER] No: [ANSWER]5[/ANSWER]", "5"),
    ("[THOUGHT]so [ANSWER]4[/ANSWER][/THOUGHT]\n[ANSWER]5[/ANSWER]", "5"), ("<think>so [ANSWER]4[/ANSWER] or", ""),
    (" NO ", "NO"),
])  # fmt: skip
def test_the_answer_in_a_response(response, answer):
    assert reval.answer_of(response) == answer


@pytest.mark.parametrize(("answer", "covered"), [
    ("YES", True), (" yes, it is", True), ("Yesterday", True), ("NO", False), ("It is: YES", False), ("", False),
])  # fmt: skip
def test_coverage(answer, covered):
    assert reval.coverage(answer) is covered


@pytest.mark.parametrize(("answer", "right"), [
    ("5; int", True), ("5; builtins.int", True), ("5; INT", True), ("5.0; int", True), ("5; str", False),
    ("6; int", False), ("5", False), ("int", False), ("1.5000005; float", True), ("1.500002; float", False),
    ("1.4999995; float", True), ("x; int", False), ("5; int; int", False),
])  # fmt: skip
def test_states(answer, right):
    assert reval.state(answer, VALUES) is right


def test_states_that_have_no_literal_or_no_value():
    assert reval.state(" Nil ", []) and not reval.state("5; int", []) and not reval.state("Nil", VALUES)
    assert reval.state("<a>; a", [("<a>", "m.a")]) and not reval.state("<b>; a", [("<a>", "m.a")])
    assert not reval.state("[1]; list", [("<a>", "list")])


def test_types_with_capitals_have_no_answer():
    assert reval.is_answerable(VALUES) and reval.is_answerable([])
    assert not reval.is_answerable([("<A>", "m.A")]) and not reval.state("<A>; A", [("<A>", "m.A")])
    assert reval.is_answerable([("<A>", "m.A"), ("5", "int")])


def test_a_path_is_the_text_of_a_line():
    lines = ["x = 1", "  y = 2", "x = 1"]
    assert reval.path("y = 2", [2], lines) and reval.path(" x = 1 ", [3], lines) and reval.path("-1", [-1, 2], lines)
    assert not reval.path("x = 1", [2], lines) and not reval.path("-1", [1], lines) and not reval.path("2", [2], lines)


MASKED = "x = f(1)\nassert x == ??\nassert g(x) == ??"


@pytest.mark.parametrize(("answer", "text"), [
    ("x = f(1)\nassert x == 2\nassert g(x) == 3", "x = f(1)\nassert x == 2\nassert g(x) == 3"),
    ("assert x == 2\nassert g(x) == 3", "x = f(1)\nassert x == 2\nassert g(x) == 3"),
    ("y = 0\nx = f(1)\nassert x == 2\nassert g(x) == 3", "y = 0\nx = f(1)\nassert x == 2\nassert g(x) == 3"),
    ("assert g(x) == 3", "x = f(1)\nassert x == ??\nassert g(x) == 3"), ("x = f(1)\nx\nassert g(x) == 3", None),
    ("assert True\nassert g(x) == 3", None),
])  # fmt: skip
def test_the_assertions_that_are_executed(answer, text):
    assert reval.assertions(answer, MASKED) == text
