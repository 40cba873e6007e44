"""Changed inputs keep their structure, their types and the format of standard input, and are the same everywhere."""

import ast
from itertools import islice
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.workshop.python.inputs import call_tree, method_tree, states_value
from lm_eval_codemind.workshop.python.mutation import changed_inputs, mutations, text_tree
from lm_eval_codemind.workshop.python.stdin_format import StdinFormat
from lm_eval_codemind.workshop.python.words import _WORDS

VALUES = st.recursive(
    st.integers(-1000, 1000) | st.text("abc XYZ'\"\\.,", max_size=8) | st.booleans() | st.none() | st.floats(-9, 9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=3), inner, max_size=3),
    max_leaves=8,
)


def kinds(value: Any) -> Any:
    """Return the types in a value, those of elements as a set."""
    if isinstance(value, dict):
        return (dict, frozenset(map(kinds, value)), frozenset(map(kinds, value.values())))
    if isinstance(value, (list, tuple)):
        return (type(value), frozenset(map(kinds, value)))
    return type(value)


@given(st.lists(VALUES, max_size=3), st.integers(0, 99))
def test_changed_calls_are_calls_with_arguments_of_the_same_types(arguments, seed):
    source = f"f({', '.join(map(repr, arguments))})"
    for text in changed_inputs(call_tree("f", source), frozenset(), Random(seed), 12):
        node = ast.parse(text, mode="eval").body
        assert isinstance(node, ast.Call) and len(node.args) == len(arguments)
        for argument, other in zip(arguments, map(ast.literal_eval, node.args), strict=True):
            assert type(other) is type(argument)
            if not isinstance(argument, (list, dict)):
                assert kinds(other) == kinds(argument)


@given(st.lists(VALUES, max_size=3), st.booleans())
def test_equal_seeds_give_equal_inputs(arguments, bold):
    tree = call_tree("f", f"f({', '.join(map(repr, arguments))})")
    first, second = (list(changed_inputs(tree, frozenset(), Random("a"), 9, bold=bold)) for _ in range(2))
    assert first == second


def test_what_was_equal_stays_equal():
    tree = call_tree("f", "f('tree bark tree', 'tree', [7, 3, 7], 3)")
    renamed = [str(each) for each in islice(mutations(tree, frozenset(), Random("x")), 60)][::6]
    assert any(text != str(tree) for text in renamed)
    for text in renamed:
        word, part, numbers, number = (ast.literal_eval(node) for node in ast.parse(text, mode="eval").body.args)
        assert word.split(" ")[0] == word.split(" ")[2] == part and numbers[0] == numbers[2] and numbers[1] == number


def test_words_become_words_in_the_same_case():
    tree = call_tree("f", "f('Hello wORLD!', 'zzv')")
    for text in [str(each) for each in islice(mutations(tree, frozenset(), Random("x")), 60)][::6]:
        first, second = ast.literal_eval(ast.parse(text, mode="eval").body.args[0]).rstrip("!").split(" ")
        assert first.istitle() and second[0].islower() and second[1:].isupper()
        assert {first.lower(), second.lower()} <= set().union(*_WORDS.values()) | {"hello"}


def test_names_that_the_program_knows_stay():
    tree = call_tree("f", "f('mode', 'data')")
    for text in [str(each) for each in islice(mutations(tree, frozenset({"mode"}), Random("x")), 12)][::6][:1]:
        assert text.startswith("f('mode', ")


def test_a_test_method_changes_in_what_it_hands_over():
    code = "class A:\n    def add(self, x):\n        return {'k': x}\n"
    given_test = "def test(self):\n    a = A()\n    return a.add(12)['k'] + 5\n"
    tree = method_tree(code, given_test)
    assert [leaf.value for leaf in tree.leaves()] == [12]
    assert all("'k'] + 5" in text for text in changed_inputs(tree, frozenset(), Random("x"), 12))


@pytest.mark.parametrize(
    ("statement", "stated"), [("expected = [1, 2]\n    return a.both(), expected", True), ("return a.both()", False)]
)
def test_a_stated_output_is_seen(statement, stated):
    code = "class A:\n    def both(self):\n        return [1, 2]\n"
    output = "([1, 2], [1, 2])" if stated else "[1, 2]"
    assert states_value(code, f"def test(self):\n    a = A()\n    {statement}\n", output) == stated


def test_standard_input_keeps_its_layout():
    text = "3 abc\r\n1.50  7 \n"
    tree = text_tree(text)
    assert str(tree) == text and [leaf.value for leaf in tree.leaves()] == [3, "abc", "1.50", 7]
    for changed in changed_inputs(tree, frozenset(), Random("x"), 20):
        assert len(changed.split("\n")) == 3 and changed.split("\n")[0].endswith("\r")


LISTS = ["3\n4 10 7\n", "1\n5\n", "4\n9 9 1 3\n", "2\n8 2\n"]
RANGES = ["2 9\n", "1 5\n", "3 4\n", "6 8\n"]
BITS = ["0110\n", "1011101\n", "10\n", "000\n"]
ROWS = ["2\nab\ncd\n", "1\nx\n", "3\naa\nbc\nde\n"]


@pytest.mark.parametrize("examples", [LISTS, RANGES, BITS, ROWS])
def test_examples_are_of_their_own_format(examples):
    assert all(StdinFormat(examples).allows(text) for text in examples)


@pytest.mark.parametrize(("examples", "good", "bad"), [
    (LISTS, "3\n5 9 8\n", "2\n5 9 8\n"),  # not as many as it says
    (LISTS, "2\n5 9\n", "2\n5 99\n"),  # a larger number than any example has
    (LISTS, "2\n5 9\n", "2\n5 x\n"),
    (RANGES, "2 5\n", "6 4\n"),  # the first is always below the second
    (BITS, "0101\n", "0121\n"), (BITS, "01011\n", "01011\n1\n"),
])  # fmt: skip
def test_a_text_that_breaks_the_format_is_refused(examples, good, bad):
    format = StdinFormat(examples)
    assert format.allows(good) and not format.allows(bad)


def test_one_example_gives_no_bounds():
    format = StdinFormat(["3\n4 10 7\n"])
    assert format.allows("3\n5 12 9\n")
    assert not format.allows("4\n5 12 9\n") and not format.allows("3\n5 12\n") and not format.allows("3\n5 12 abc\n")
