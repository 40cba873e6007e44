import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.answers.comparison import (
    printed_lines,
    same_computed,
    same_lines,
    same_output,
    same_value,
    too_long,
)
from lm_eval_codemind.families.ier.score import same_text
from lm_eval_codemind.sandbox import judge
from lm_eval_codemind.workshop.facts import labels
from tests.answers.test_literals import values


@given(values)
def test_every_value_equals_itself(value):
    assert same_output(repr(value), repr(value), printed=False)
    assert same_output(f"\n```python\n{value!r}\n```\n", repr(value), printed=False)


@given(values, values)
def test_same_value_is_symmetric_and_stricter_than_python(one, other):
    assert same_value(one, other) == same_value(other, one)
    if same_value(one, other) and "nan" not in repr(one):
        assert one == other


@given(values, values)
def test_containers_are_kept_apart(one, other):
    assert not same_value([one], (one,))
    assert not same_value([one], [one, other])
    assert same_value([one, other], [other, one]) == same_value(one, other)


@given(st.text())
def test_a_string_label_accepts_its_bare_text(text):
    if text.strip("\n") == text and text:
        assert same_output(text, repr(text), printed=False)


@pytest.mark.parametrize(("answer", "output", "printed"), [
    (r"\boxed{55}", "55", False), (r"$\boxed{55}$", "55", False), (r"\boxed{\text{True}}", "True", False),
    (r"\boxed{\{1: 2\}}", "{1: 2}", False), ("$55$", "55", False), ("$$[1, 2]$$", "[1, 2]", False),
    (r"\(55\)", "55", False), (r"\[ 55 \]", "55", False), ("<code>55</code>", "55", False),
    ("<code>['a']</code>", "['a']", False), ("Output: 55", "55", False), ("**Output:** `55`", "55", False),
    ("The final answer is: 'a'", "'a'", False), ("result = 55", "55", False), ("The output is 55.", "55", False),
    ("f([1]) == {(1, 2): 3}", "{(1, 2): 3}", False), ("f(1) = {(1, 2): 3, (3, 4): 5}", "{(1, 2): 3, (3, 4): 5}", False),
    ("assert f('a') == 'x) = y'", "'x) = y'", False), ("f('a') == 'x(1): 2'", "'x(1): 2'", False),
    ("C(1).f(')') -> 3", "3", False), ("f(3) == 55", "55", False),
    ("assert f('(', [1]) == [1, 2]", "[1, 2]", False), ("Return value: [1]", "[1]", False),
    ("[1, 2].", "[1, 2]", False), ("`True`.", "True", False), ("\u201cabc\u201d", "'abc'", False),
    ("[\u2018a\u2019, \u2018b\u2019]", "['a', 'b']", False), ("\u221255", "-55", False),
    ("[1, \u22122.5]", "[1, -2.5]", False), ("np.int64(-111)", "-111", False), ("[np.float64(0.5)]", "[0.5]", False),
    (r"\boxed{YES}", "YES", True), ("$55$", "55", True), ("<pre>YES\nNO</pre>", "YES\nNO", True),
    ("Output:\nYES\nNO", "YES\nNO", True), ("**Answer:** 55", "55", True), ("```\n55\n```", "55", True),
    ("The function returns `[2, 1]`.", "[2, 1]", False), ("ans = 5", "5", False), ("True \u2705", "True", False),
    ("So f([1]) returns [2]", "[2]", False), ("The value of the expression is 5.", "5", False), ("5 (int)", "5", False),
    ("it's", '"it\'s"', False), ("It is 'a'.", "'a'", False), ("a returns b", "'a returns b'", False),
])  # fmt: skip
def test_what_a_person_would_accept(answer, output, printed):
    assert same_output(answer, output, printed)


@pytest.mark.parametrize(("answer", "output", "printed"), [
    ("Output: 54", "55", False), ("f(3) != 55", "55", False),
    ("f(3) + 1 == 55", "55", False), ("f(3)[0] == 5", "5", False), ("f(3) == 54", "55", False),
    ("abc.", "'abc'", False),
    ("YES.", "YES", True), ("result = 55", "55", True), ("55.", "55", True), ("\u22121", "-1", True),
    ("It is raining", "raining", True), ("state = 4", "4", True), ("code: 3", "3", True),
    ("this is a test", "'a test'", False),
    ("\u201cYES\u201d", '"YES"', True), ("it returns a", "'a'", False), ("5 minus 1", "5", False),
    ("5 plus", "5", False),
    ("5 was my guess", "5", False), ("5, or 6", "5", False), ("5 (or 6)", "5", False), ("not 5", "5", False),
    ("'a' 'b'", "'ab'", False), ("''\n'ab'", "'ab'", False), ("'a''b'", "'ab'", False), ("5 - x", "5", False),
    ("-55", "\u201155", False), ("np.int64(5)", "6", False), ("\u2018a\u2019", "'b'", False),
    ("it\u2019s", '"it\'s not"', False), ("$5$5$", "5", False), ("Output: 5", "Output: 6", True),
])  # fmt: skip
def test_what_a_person_would_not_accept(answer, output, printed):
    assert not same_output(answer, output, printed)


@pytest.mark.parametrize(("answer", "output"), [
    ("1", "1.0"), ("[2, 1.50]", "[2.0, 1.5]"), ("0x10", "16"), ("{1, 2}", "{2, 1}"),
    ("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"), ("nan", "nan"), ("[nan]", "[float('nan')]"), ("-0.0", "0.0"),
    ('"abc"', "'abc'"), ("abc", "'abc'"), ("`abc`", "'abc'"), ("'it's'", '"it\'s"'), ("5", "'5'"), ("a\nb", r"'a\nb'"),
    (r"a\nb", r"'a\nb'"), ("``` \n5\n```", "5"), ("**`5`**", "5"), ("```python\n[1,\n 2]\n```", "[1, 2]"),
    ("1, 2", "(1, 2)"), ("set()", "set()"), ("  x ", "'  x '"), ("x", "'x'"), ("\n x\n", "' x'"),
    ("\n3 4 \n", "'3 4 '"), (" \n\n3 4\n \n", "'3 4'"), ("1_000", "1000"), ("<obj at 0x1>", "<obj at 0x1>"),
    (" <x>\n", "<x>"), ("9" * 5000, "9" * 5000), ("frozenset({1})", "{1}"), ("1+0j", "1"), ("[1, 2] since", "[1, 2]"),
    ("5, because x is 3", "5"), ("'a' (a string)", "'a'"), ("5\n\nThe loop ends.", "5"), ("``", "''"),
])  # fmt: skip
def test_equal(answer, output):
    assert same_output(answer, output, printed=False) == (answer != "``")


@pytest.mark.parametrize(("answer", "output"), [
    ("True", "1"), ("1", "True"), ("[1, False]", "[1, 0]"), ("{True: 1}", "{1: 1}"), ("(1, 2)", "[1, 2]"),
    ("{1}", "[1]"), ("'5'", "5"), ("0.1", "0.10000000000000001234 "[:4] + "1"), ("0.3", "0.30000000000000004"),
    ("None", "'x'"), ("", "''"), ("x", "' x '"), ("3 4", "'3 4 '"), ("'3 4'", "'3 4 '"), ("3 4 ", "'3 4'"),
    ("'3 4 '", "'3 4'"), ("\n3 4 \n", "'3 4'"), (" 3 4", "'3 4'"), ("abc", "'abcd'"), ("b'a'", "'a'"),
    ("[1, 2", "[1, 2]"), ("5 or 6", "5"), ("5 + 3", "5"), ("5, 6", "5"), ("[1][0]", "[1]"), ("'a' 'b'", "'a'"),
    ("'a'.upper()", "'a'"), ("about 5", "5"), ("{}", "set()"), ("(1)", "(1,)"), ("abc", "[]"), ("Abc", "'abc'"),
    ("nan", "inf"), ("None", "False"), ("", "0"), ("...", "'..'"),
])  # fmt: skip
def test_different(answer, output):
    assert not same_output(answer, output, printed=False)


@pytest.mark.parametrize(("answer", "output", "verdict"), [
    ("\nYES\n", "YES\n", True), ("1 2 \n3", "1 2\n3\n", True), ("1 2\n\n3", "1 2\n3\n", False),
    ("```\n1\n2\n```", "1\n2\n", True), ("'YES'", "YES\n", True), ("'YES\\n'", "YES\n", True), ("`YES`", "YES", True),
    ("'a'", "'a'\n", True), ("12", "1 2", False), ("1.0", "1", False), ("  1", "  1\n", True),
    ("\n\n  1\n", "  1", True), (" 1", "  1", False), ("0000", " 0000\n", False), ("a\x0cb", "a\x0cb\n", True),
    ("a\nb", "a\x0cb\n", False), ("a\nb", "a\x1cb\n", False), ("1\n 2", "1\n2", False), ("", "\n", True),
    ("", "x", False),
])  # fmt: skip
def test_scripts(answer, output, verdict):
    assert same_output(answer, output, printed=True) == verdict
    assert same_lines(output, output)


def test_the_ends_of_lines_and_texts_do_not_count_and_beginnings_do():
    assert printed_lines("a \n\n b\f\n\n") == ["a", "", " b"]
    assert printed_lines("\n \n") == []


LINES = st.text("ab \t\n\r\x0b\x0c\x1c\x85\u2028") | st.text()


@given(LINES, LINES)
def test_all_agree_on_what_a_line_is(one, other):
    same = printed_lines(one) == printed_lines(other)
    assert labels.prints_the_same(one, other) == same
    # In a response, empty lines in front belong to the layout.
    assert same_lines(f"a\n{one}", f"a\n{other}") == (printed_lines(f"a\n{one}") == printed_lines(f"a\n{other}"))
    assert not same or same_lines(one, other)
    # The sandbox's processes have the rule a second time.
    assert printed_lines(one) == judge.printed_lines(one)


@given(st.text("a \t", min_size=1), st.text("a \t", min_size=1))
def test_white_space_at_the_ends_counts_with_and_without_quotes(answer, label):
    assert same_output(repr(answer), repr(label), printed=False) == (answer == label)
    assert same_output(f"\n{answer}\n", repr(label), printed=False) == (
        answer == label or answer.strip() == repr(label)
    )


@pytest.mark.parametrize(("answer", "output", "verdict"), [
    ('\n["aa"]\n', "['aa']", True), ("'zzzz'", "zzzz", False), ("[1,2]", "[1, 2]", True), ("[1,\n2]", "[1, 2]", False),
    ("`5`", "5", False), ("4", "4.0", False), ("'a  b'", "'ab'", True), ("1\n2\n", "1\r\n2\r", True),
])  # fmt: skip
def test_published_comparison(answer, output, verdict):
    assert same_text(answer, output) == verdict


@pytest.mark.parametrize("piece", ["[", "(", "'", "1,", "`", "**", "```\n", "\\", " ", "\n", "-", "x"])
def test_megabytes_give_a_verdict(piece):
    text = piece * (1_000_000 // len(piece))
    for printed in (False, True):
        assert not same_output(text, "[1, 2]", printed)
    assert not same_text(text, "[1, 2]")


@pytest.mark.parametrize(("computed", "output", "printed", "same"), [
    ("a\n", "a", True, True), ("\na ", "a", True, True), ("a", "b", True, False), ("'a'", "a", True, False),
    ("[1]", "[1.0]", False, True), ("[1]", "'[1]'", False, False), ("a", "'a'", False, False),
    (" x y ", "x y", False, True), ("x y", "x z", False, False), ("{2, 1}", "{1, 2}", False, True),
    ("True", "1", False, False), ("np.int64(-111)", "-111", False, True),
    ("(np.float64(0.25), [np.float64(0.25)])", "(0.25, [0.25])", False, True), ("float('nan')", "nan", False, True),
    ("'a'\n", "a\n", True, False), ("a \nb\n\n", "a\nb", True, True),
])  # fmt: skip
def test_a_computed_output_gets_no_leniency(computed, output, printed, same):
    assert same_computed(computed, output, printed) is same


def test_the_longest_answer_that_is_parsed():
    # Twenty times the label, and ten thousand characters.
    assert not too_long("a" * 10_060, "abc") and too_long("a" * 10_061, "abc")
    assert same_output("5" + " " * 10_019, "5", printed=False) and not same_output(
        "5" + " " * 10_020, "5", printed=False
    )
