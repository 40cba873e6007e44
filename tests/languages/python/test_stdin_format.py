"""The format of standard input, read off from examples."""

import pytest

from lm_eval_codemind.languages.python.stdin_format import StdinFormat

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
