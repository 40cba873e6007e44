"""The rule for printed lines stands in two rooms: both give the same."""

from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.answers.comparison import printed_lines
from lm_eval_codemind.sandbox import judge


@given(st.text(st.sampled_from("a \n\t\r\f\x0b\x85\u2028"), max_size=30) | st.text())
def test_the_sandbox_reads_lines_in_the_same_way(text: str) -> None:
    assert printed_lines(text) == judge.printed_lines(text)


def test_ends_do_not_count_and_beginnings_do() -> None:
    assert printed_lines("a \n\n b\f\n\n") == ["a", "", " b"]
    assert printed_lines("\n \n") == []
