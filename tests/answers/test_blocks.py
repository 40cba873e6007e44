"""Blocks of answers: mistyped and mentioned marks, and what of a text is quoted."""

import pytest

from lm_eval_codemind.answers.blocks import Marks, around, blocks, unquoted

MARKS = Marks.named("output")


@pytest.mark.parametrize("mark", [
    "</outptu>", "</ outptu", "[/outptu]", "[\\outptu]", "[/ outptu", "</outptu", "<\\output>", "<output/>",
    "<out  />", "[OUTPUT]", "<OUTPUT>",
])  # fmt: skip
def test_a_mistyped_mark_closes_a_block_at_its_end(mark):
    for rest in ("", "`", "** \n", "\n\nmore", "\n \t\nmore"):
        assert list(blocks(f"<output>5{mark}{rest}", MARKS)) == ["5"]
    for rest in (" more", "\nmore", "\n x\n\n"):
        assert list(blocks(f"<output>5{mark}{rest}", MARKS)) == []


@pytest.mark.parametrize("mark", [
    "</>", "<out/ >", "< out/>", "[output", "<output", "</ >", "< /output>", "</a b>", "<-output>", "<//output>", "[]",
    "</ ", "[/ ]",
])  # fmt: skip
def test_what_is_no_mark_closes_no_block(mark):
    assert list(blocks(f"<output>5{mark}", MARKS)) == []


@pytest.mark.parametrize("text", [
    "", "and", "or", "to", "\u2026", "...", ".", "AND", " and ", "`and`", "*or*", ", to,", "`` ", ",",
])  # fmt: skip
def test_marks_that_a_sentence_mentions_hold_nothing(text):
    for sentence in (f"x <output>{text}</output>", f"<output>{text}</output> x", f"\nx <output>{text}</output>\n"):
        assert list(blocks(sentence, MARKS)) == list(blocks(sentence, MARKS, empty=True)) == []


@pytest.mark.parametrize("text", ["'and'", '"and"', "andor", "x", "and\n", "is", "a nd", "(or)"])
def test_marks_in_a_sentence_hold_other_texts(text):
    for sentence in (f"x <output>{text}</output>", f"<output>{text}</output> x"):
        assert list(blocks(sentence, MARKS)) == [text]


def test_a_mention_in_quotes_holds_nothing():
    assert list(blocks("x '<output>'and'</output>'", MARKS)) == []
    assert list(blocks('x "<output>" and "</output>"', MARKS)) == []


def test_one_blank_on_each_side_of_a_block_is_its_margin():
    assert list(blocks("<output>  a  </output>", MARKS)) == [" a "]


def test_blocks_in_a_sentence_come_from_the_last_and_those_in_back_ticks_at_the_end():
    assert list(blocks("a `<output>1</output>` <output>2</output>", MARKS)) == ["2", "1"]
    assert list(blocks("<output>1</output> a\n<output>2</output>\n<output>3</output> b", MARKS)) == ["3", "2"]
    assert list(blocks("`<output>1</output>`", MARKS)) == ["1"]


def test_two_hundred_characters_around_a_mark_are_examined():
    text = f"{'a' * 300}|{'b' * 300}"
    assert around(text, 300, 301) == ("a" * 200, "b" * 200)
    assert around("a\nbc|de\nf", 4, 5) == ("bc", "de") and around("xy", 0, 2) == ("", "")
    assert list(blocks(f"a{' ' * 199}<output>and</output>", MARKS)) == []
    assert list(blocks(f"a{' ' * 200}<output>and</output>", MARKS)) == ["and"]


def hidden(text: str) -> str:
    """Return a text with a number sign for each character that is quoted."""
    return unquoted(text).replace("\0", "#")


@pytest.mark.parametrize("text", [
    "'ab'", "rb'a'", "RB'a'", '"a"', "'a\\'b'", "'a\\\\'", "'a\"b'", '"a\'b"', '"a\\"b"', f"'{'a' * 500}'",
    f'"{"a" * 500}"', "`a`", "```a```", "```\na\n```", "```py\na\nb\n```", "```\na\n````", "~~~\na\n~~~",
    "~~~\na\n~~~~",
    "> ```\n> a\n> ```", "  ```\na\n  ```", "```\na\n\t ```", "```\n```", "<answer>5</answer>", "[answer]5[/answer]",
    "<ANSWER>5</answer>", "<answer1>5</answer1>", "<answer12>5\n6</answer12>", "<final_answer>5</final_answer>",
    "<trace>5</trace>", "<input>5</input>", "<output>5</output>", "<answer></answer>",
])  # fmt: skip
def test_what_is_quoted(text):
    assert hidden(text) == "#" * len(text)
    for before, after in (("\n", "\n"), ("x\n", "\nx")):
        assert hidden(f"{before}{text}{after}") == f"{before}{'#' * len(text)}{after}"


@pytest.mark.parametrize("text", [
    "abc'a' y", "it's a dog's", f"'{'a' * 501}'", f'"{"a" * 501}"', "'a\nb'", "''", '""', "'a'b", "'a'_", "``a`b``",
    "``a`", "`a\nb`", "`a``", "```\na\n``` x", "```\na\n```x", "```\na\n~~~", "~~~~\na\n~~~", "````\na\n```", "```\na",
    "x ```\na\n```",
    "```a`\nb\n```", "<answer1>5</answer2>", "<foo>5</foo>", "<answer>5", "</answer>5</answer>", "<answer>5</input>",
    "answer>5</answer>",
])  # fmt: skip
def test_what_is_not_quoted(text):
    assert hidden(text) == text


@pytest.mark.parametrize(("text", "rest"), [
    ("x 'ab' y", "x #### y"), ("x=\"a\"", "x=###"), ("```\na\n```py\nb\n```", "```\na\n###########"),
    ("`a` `b`", "### ###"), ("<answer>a<answer>5</answer>", "<answer>a##################"),
    ("<answer>5</answer>x", "##################x"), ("(`a`)", "(###)"), ("'a' b 'c'", "### b ###"),
    ('"a" b "c"', '### b ###'), ("~~~\na\n~~~\nb\n~~~", "#########\nb\n~~~"),
    ("```\na\n```\nb\n```\nc\n```", "#########\nb\n#########"),
    ("~~~~\n~~~\na\n~~~\n~~~~", "~~~~\n#########\n~~~~"),
])  # fmt: skip
def test_a_part_of_a_text_is_quoted(text, rest):
    assert hidden(text) == rest
