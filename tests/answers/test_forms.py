# ruff: noqa: E501
"""Each form of an answer: the layouts that are read, and the texts that are malformed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.answers import forms
from lm_eval_codemind.answers.comparison import same_output
from lm_eval_codemind.answers.normal import plain, readings
from lm_eval_codemind.families.execution.score import same_step
from lm_eval_codemind.families.execution.steps import executed_lines
from lm_eval_codemind.families.execution.steps import steps as read_steps

LITERALS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


def first(form: Any, text: str, name: str = "") -> Any:
    """Return what the first reading of a text that has a form is parsed as."""
    parsed = (form(reading) for reading in readings(text, name))
    return next((value for value in parsed if value is not None), None)


@given(LITERALS)
def test_a_literal_is_read_with_prose_after_it(value):
    text = repr(value)
    assert forms.literal_at_start(text) == text
    for prose in (", because x is 3", " since it ends", "\n\nThe loop ends.", " (see line 3)", "; it ends"):
        assert forms.literal_at_start(text + prose) == text


@pytest.mark.parametrize("text", [
    "about 5", "5 or 6", "5 + 3", "5 if x else 6", "[1][0]", "'a' 'b'[0]", "'a'.upper()", "[1, 2", "x", "f(5)", "",
    "5, 6 or 7", "not 5", "'a", "(1, 2",
])  # fmt: skip
def test_what_is_no_literal_at_the_start(text):
    assert forms.literal_at_start(text) is None


@pytest.mark.parametrize(("text", "truth"), [
    ("yes", True), ("No", False), ("**Yes**, it is", True), ("no.", False), ("true", True), ("False", False),
    ("not executed", False), ("executed", True), ("The line is never executed", False), ("It isn't executed", None),
    ("far from right", None), ("not quite right", None), ("right", True),
    ("**not** executed", False), ("Yes. No problem.", True), ("Yes\nNo", None), ("maybe", None), ("", None),
    ("There is no bug", None), ("no error, so yes", True), ("no more iterations", None), ("yesterday", None),
    ("The program is **not** right.", False), ("I cannot say", None), ("By no means executed", None),
    ("Yes: not empty", True), ("**Answer: no**. Then it is correct", False), ("The answer is yes. No problem", True),
    ("This is wrong", False), ("-1", None), ("- yes", True), ("`no`", False), ("incorrect", False), ("Y", True),
    ("__n__", False), ("1", True), ("0", False), ("10", None),
])  # fmt: skip
def test_truth(text, truth):
    assert first(forms.truth, text) is truth


@pytest.mark.parametrize(("text", "line"), [
    ("4", 4), ("Line 4", 4), ("line 4, because line 3 is true", 4), ("4, then 5", 4), ("#4", 4), ("`4`", 4), ("L4", 4),
    ("4: x = 7", 4), ("in line 3, where y > 5", 3), ("Line 3 - not line 2", 3), ("lines 3 and 4", 3),
    ("line no. 12", 12), ("\n 4\n", 4), ("four", None), ("-1", None), ("4.5", None), ("x4", None), ("", None),
    ("the end", None), ("x\nline 4", None), ("y > 3", None), ("4th", None), ("\u22124", None), ("y2, line 3", None),
    ("The bug is on **line 3**: `y > 5`", 3), ("The wrong line is line 3", 3), ("The line number is 3", 3), ("- 4", 4),
    ("return 4", None), ("line -4", None), ("1234567890", None), ("line: 7", 7), ("**Line 9**", 9), ("line **9**", 9),
    ("(4)", 4),
])  # fmt: skip
def test_line_number(text, line):
    assert first(forms.line_number, text) == line
    assert first(forms.next_line, text) == (forms.THE_END if text == "the end" else line)


@pytest.mark.parametrize(
    ("text", "line"), [("The end.", "the end"), ("**the end**, after line 4", "the end"), ("end", "the end"),
                       ("ending 4", None), ("4, the end is near", 4)]
)  # fmt: skip
def test_the_end(text, line):
    assert forms.next_line(text) == line


@pytest.mark.parametrize(("text", "state"), [
    ("5; int", ("5", "int")), ("5;int", ("5", "int")), ("5", ("5", "")), ("'a; b'", ("'a; b'", "")),
    ("'a; b'; str", ("'a; b'", "str")), ("[1, 2]; list", ("[1, 2]", "list")), ("5\nint", ("5", "int")),
    ("y = 5; int", ("5", "int")), ("y=5; int", ("5", "int")), ("`y` is 5; int", ("5", "int")),
    ("The value of y is 5; int", ("5", "int")), ("\\boxed{5}; int", ("5", "int")), ("$5$; int", ("5", "int")),
    ("\\boxed{5; \\text{int}}", ("5", "int")), ("\u22125; int (label)", ("-5", "int")), ("`5`; `int`", ("5", "int")),
    ("**5; int**", ("5", "int")), ("5; <class 'int'>", ("5", "int")), ("- value: 5\n- type: int", ("5", "int")),
    ("type: int; value: 5", None), ("value: 5; type: int", ("5", "int")),
    ("{'a': 1}", ("{'a': 1}", "")),
    ("5; int because; it is", ("5", "int")), ("5; int\n\nSo; it is", ("5", "int")), ("5; type int", ("5", "int")),
    ("```\n5; int\n```", ("5", "int")), ("[1]; List[int]", ("[1]", "List")), ("int; 5", None), ("5 (int)", ("5", "int")),
    ("x; int", None), ("", None), ("about 5; int", None), ("5 or 6; int", None), ("z = 5; int", None), ("5;", None),
    ("5; int.", ("5", "int")), ("d; datetime.date.", None), ("5; builtins.int", ("5", "builtins.int")),
])  # fmt: skip
def test_state(text, state):
    assert first(forms.state, text, "y") == state


@given(LITERALS)
def test_every_state_is_read_back(value):
    for text in (repr(value), f"self.y = {value!r}", f"`{value!r}`"):
        read = first(forms.state, f"{text}; {type(value).__name__}", "self.y")
        assert read is not None and read[1] == type(value).__name__ and same_output(read[0], repr(value), False)


@pytest.mark.parametrize(("text", "values"), [
    ("[0, 1]", ["0", "1"]), ("(0, 1)", ["0", "1"]), ("0, 1", ["0", "1"]), ("0\n1", ["0", "1"]), ("0\n\n1", ["0", "1"]),
    ("- 0\n- 1", ["0", "1"]), ("1. 5\n2. 6", ["5", "6"]), ("Step 1: 5\nStep 2: 6", ["5", "6"]),
    ("i = [0, 1]", ["0", "1"]), ("[]", []), ("['a, b', \"c\"]", ["'a, b'", '"c"']),
    ("[(0, 'a'), [1]]", ["(0, 'a')", "[1]"]), ("[0, 1,]", ["0", "1"]), ("[0, 1] since it ends", ["0", "1"]),
    ("[a, b]", ["a", "b"]), ("Y, N", ["Y", "N"]), ("[true, false]", ["true", "false"]), ("5", ["5"]),
    ('{"i": [0, 1]}', ["0", "1"]), ("[0, ..., 9]", ["0", "...", "9"]), ("{1}, {2}", ["{1}", "{2}"]), ("[-1, 2]", ["-1", "2"]), ("[0, 1", None),
    ("(0, 1), (1, 2)", ["(0, 1)", "(1, 2)"]), ("(0, 1)\n(1, 2)", ["(0, 1)", "(1, 2)"]), ("(0, 1)\n(two times)", ["0", "1"]),
    ("[0], [1]", ["[0]", "[1]"]), ("[0, 1]\n[]", ["[0, 1]", "[]"]), ("[0, 1]\n(two times)", ["0", "1"]),
    ("range(3)", None), ("The values are [0, 1]", ["0", "1"]), ("0, 1 and so on", None), ("", None), ("{'j': [0]}", None),
    ("[0][1]", None), ("0\nthen 1", None), ("1. 5\n3. 6", None), ("[0, 1] or [2]", None), ("(0, 1]", None), ("[0, 1)", None), ("[0, 1) since it ends", None),
])  # fmt: skip
def test_values(text, values):
    assert first(forms.values, text, "i") == values


@given(st.lists(LITERALS, max_size=5))
def test_every_list_is_read_value_by_value(items):
    texts = forms.values(repr(items))
    assert texts is not None and len(texts) == len(items)
    assert all(same_step(text, repr(item), ["i"]) for text, item in zip(texts, items, strict=True))


@pytest.mark.parametrize(("text", "count", "values"), [
    ("1\n'x'", 2, ["1", "'x'"]), ("1. 1\n2. 'x'", 2, ["1", "'x'"]), ("1", 1, ["1"]), ("- 1\n- 2", 2, ["1", "2"]),
    ("1\n2", 3, None), ("1\nx", 2, None), ("1\n2\n3", 2, None), ("", 1, None), ("1, because\n2", 2, ["1", "2"]),
    ("1\n\nThe loop ends.", 1, ["1"]), ("Here:\n1", 1, None), ("1\nx\n2", 2, None),
])  # fmt: skip
def test_rows_of_values(text, count, values):
    assert forms.rows_of_values(text, count) == values


@pytest.mark.parametrize(
    "text",
    ["2, 3, 4", "[2, 3, 4]", "2 3 4", "2\n3\n4", "2 > 3 > 4", "2 -> 3 -> 4", "2 \u2192 3 \u2192 4 (end)", "2 \u2013 3 \u2013 4", "2;3;4",
     "1. Line 2\n2. Line 3\n3. Line 4", "1. 2\n2. 3\n3. 4", "1) line 2\n2) line 3\n3) line 4", "- line 2\n- line 3\n- line 4",
     "Lines: 2, 3, 4.", "2, 3 and then 4", "2: x = 0\n3: for i in y:\n4: x += i", "Line 2: x = 0\nLine 3: i = 0\nLine 4: x", "2|3|4",
     "1. Line 2: x = 0\n2. Line 3: y\n3. Line 4: z", "2 => 3 => 4", "2, 3, 4, the end", "L2: a\nL3: b\nL4: c"],
)  # fmt: skip
def test_executed_lines(text):
    assert executed_lines(text) == [2, 3, 4]


@pytest.mark.parametrize("text", [
    "2-5, 7", "2, 3, ..., 9", "2, 3\u2026", "I do not know.", "", "2, 3, because 4", "2: a\nthen 3", "-2, 3",
    "1234567890, 2", "2, x",
])  # fmt: skip
def test_a_list_that_is_not_read_as_a_whole_is_malformed(text):
    assert executed_lines(text) is None


def test_long_numbers_long_arrows_and_long_lists_have_bounds():
    assert executed_lines("123456789, 2") == [123456789, 2]
    assert executed_lines(f"2 {'-' * 9}> 3") == [2, 3] and executed_lines(f"2 {'-' * 10}> 3") == [2]
    rows = ["1"] * 25_000
    assert forms.values("\n".join(rows)) == rows and forms.values("\n".join([*rows, "1"])) is None


@given(st.lists(st.integers(1, 400), min_size=1, max_size=40))
def test_lines_are_read_in_order(lines):
    for separator in (", ", " ", "\n", " -> ", " > ", "; "):
        assert executed_lines(separator.join(map(str, lines))) == lines
    numbered = "\n".join(f"{place}. Line {line}" for place, line in enumerate(lines, 1))
    assert executed_lines(numbered) == lines


@pytest.mark.parametrize(("text", "steps"), [
    ("3: 0\n4: True", [(3, "0"), (4, "True")]), ("line 3: 0\nLine 4: True", [(3, "0"), (4, "True")]),
    ("3 0\n4 True", [(3, "0"), (4, "True")]), ("- 3: 0\n\n- 4: True", [(3, "0"), (4, "True")]), ("3: -1", [(3, "-1")]),
    ("1. Line 3: 0\n2. Line 4: True", [(3, "0"), (4, "True")]), ("3: 'x: y'", [(3, "'x: y'")]), ("3 -> 0", [(3, "0")]),
    ("1: 2\n2: 3", [(1, "2"), (2, "3")]), ("**3**: 0\n`L4`: True", [(3, "0"), (4, "True")]), ("3 \u2192 0\n4\u21d2True", [(3, "0"), (4, "True")]),
    ("**Line 3:** 0\n`4:` `True`", [(3, "0"), (4, "`True`")]), ("3 => 0", [(3, "0")]), ("3: **0**", [(3, "**0**")]), ("The loop", None), ("", None), ("3: 0\nand 4: True", None), ("3:", None),
])  # fmt: skip
def test_steps(text, steps):
    assert read_steps(text) == steps


@pytest.mark.parametrize(("text", "same"), [
    ("\u20117", "-7"), ("[1,\u202f\u22122]", "[1, -2]"), ("\ufeff5\u200b\u2060", "5"), ("\u201ca\u201d", '"a"'),
    ("a\u2011b", "a\u2011b"), ("1\u00a0000", "1 000"), ("\u2018it\u2019", "'it'"),
])  # fmt: skip
def test_plain(text, same):
    assert plain(text) == same


@given(st.text(max_size=30), st.text("yx", max_size=3))
def test_the_text_as_it_is_comes_first(text, name):
    assert next(readings(text, name)) == text


@pytest.mark.parametrize(("text", "inside"), [
    ("`5`", "5"), ("**`5`**", "5"), ("```python\n5\n```", "5"), ("```\n5\n```\nSo it ends.", "5"),
    ("`5`, since x", "5"), ("$5$", "5"), ("$$\\boxed{\\{1: 2\\}}$$", "{1: 2}"), ("\\(5\\)", "5"),
    ("<code>5</code>", "5"), ("Answer: 5", "5"), ("**Output:** 5", "5"), ("5.", "5"), ("y = 5", "5"), ("`y` -> 5", "5"),
    ('{"output": 5}', "5"), ('{"y": "a"}', "a"), ("<|begin_of_box|>5<|end_of_box|>", "5"), ("\\text{5}", "5"),
    ("f(3) == 5", "5"), ("f([1], 2).", "f([1], 2)"), ("x + y.", "x + y"), ("The return value is 5", "5"), ("~~~\n5\n~~~", "5"),
    ("__5__", "5"), ("Result:5", "5"),
])  # fmt: skip
def test_layout_is_removed(text, inside):
    assert list(readings(text, "y"))[-1].strip() == inside


@pytest.mark.parametrize("text", [
    "`a` or `b`", "z = 5", "5", '{"z": 5}', '{"nextline": 5}', '{"output": 5, "y": 6}', "5..", "`a`, then `b`", "x + y",
    '{"thenvalue": 5}', r"\(\)",
])  # fmt: skip
def test_other_text_stays(text):
    assert [reading.strip() for reading in readings(text, "y")] == [text]


@pytest.mark.parametrize(("texts", "truth"), [
    ("Yes, it is executed because x > 3.|Yes \u2014 the loop runs|yes!|The line is executed.|It's executed|T|taken|It is run"
     "|Yes; no other path exists|The program is correct.|Yes: n is not 0|No bugs, so yes|\"yes\"", True),
    ("No, because it returns early|No - it is skipped|It is not executed|never|The line is never reached|false, x is 0|not taken"
     "|The program is not correct.|N|No. Yes would need x > 3.|Not taken.|no\nThe line|wrong", False),
    ("N/A|n/a|not sure|No idea|Not enough information|yes or no|yes/no|Yes and no|Yes it is.|No issues found|Not wrong|not applicable|None"
     "|I don't know|yes, no|no or yes|T/F|y/n|No comment|Not certain|[yes/no]|No way to tell|1.5|No one knows|It depends", None),
])  # fmt: skip
def test_sentences_with_a_truth(texts, truth):
    assert {text: first(forms.truth, text) for text in texts.split("|")} == dict.fromkeys(texts.split("|"), truth)


@pytest.mark.parametrize(("texts", "line"), [
    ("1. Line 3 is wrong|3rd line|the 3rd line|2 bugs: lines 3 and 4|The faulty line is line 3.|The error is in line 3."
     "|3 (the loop)|On line 3|Line 3 has 2 errors|Line #3|1) line 3|It is line 3.", 3),
    ("2 bugs|2 lines are wrong|3 is wrong|[3, 4]|No line|lines|There is no bug|N/A|3.5", None),
])  # fmt: skip
def test_sentences_with_a_line(texts, line):
    assert {text: first(forms.line_number, text) for text in texts.split("|")} == dict.fromkeys(texts.split("|"), line)


@pytest.mark.parametrize(("texts", "line"), [
    ("End of the program|The end of the program is reached|(the end)", forms.THE_END),
    ("The end of the loop body is reached, so line 2|Line 2, then the end|The end of the loop is reached: so line 2", 2),
    ("ending|N/A|The end of the loop|The end isreached", None),
])  # fmt: skip
def test_sentences_with_the_end(texts, line):
    assert {text: first(forms.next_line, text) for text in texts.split("|")} == dict.fromkeys(texts.split("|"), line)


@pytest.mark.parametrize("text", [
    "9, int", "Value: 9, type: int", "`9` (`int`)", "9 (type: int)", "y = 9 (int)", "9 of type int", "9 | int", "9: int",
])  # fmt: skip
def test_more_states(text):
    assert first(forms.state, text, "y") == ("9", "int")


@pytest.mark.parametrize("text", [
    "i = 0\ni = 1\ni = 2", "i: 0\ni: 1\ni: 2", "- i = 0\n- i = 1\n- i = 2", "0 (first)\n1 (second)\n2 (third)",
    "Iteration 1: i = 0\nIteration 2: i = 1\nIteration 3: i = 2", "The values are [0, 1, 2]", "0, since it starts\n1\n2",
])  # fmt: skip
def test_each_row_of_a_list_may_have_a_name_and_prose(text):
    assert first(lambda reading: forms.values(reading, "i"), text, "i") == ["0", "1", "2"]


@pytest.mark.parametrize(("text", "steps"), [
    ("1. 2: 0\n2. 3: False", [(2, "0"), (3, "False")]), ("1. 2: 0", [(2, "0")]), ("1. L2: 0\n2. L3: 1", [(2, "0"), (3, "1")]),
    ("1. 5\n2. 6", [(1, "5"), (2, "6")]), ("2. 3: 0\n4. 3: 1", [(2, "3: 0"), (4, "3: 1")]),
    ("1. `2`: 0\n2. **Line 3** \u2192 1", [(2, "0"), (3, "1")]), ("1. 2\u21d20\n2. 3 -> 1", [(2, "0"), (3, "1")]), ("1. 5 6\n2. 6.5", [(1, "5 6"), (2, "6.5")]),
    ("1. line 2\n2. line 3: 0", None), ("`2: 0\n3: 1`", None), ("**2: 0**", None), ("1. `2: 0`\n2. `3: 1`", None),
])  # fmt: skip
def test_the_number_of_a_list_is_not_that_of_a_line(text, steps):
    assert read_steps(text) == steps


PROSE = [
    "\n", " \nx", ". So", " . So", ".. So", ", so", "; so", ": so", " \u2013 so", "\u2014 so", ",  so", ",\tso", " - so", " -- so", "  -  so",
    " - _so", " (so", "  (so", " (ordered", ", order", "`", "**", "`**.", " because", " since", " as", "  as", " AS it", "\u2190", "\u21ff", "\u2600",
    "\u27bf", "\U0001f000", "\U0001faff", "  \u2705", "\u2192 x",
]  # fmt: skip
NO_PROSE = [
    ", or 6", ", OR 6", ". 6", "; ;", ", ;", ":so", ",so", "\u2013so", " -so", "- so", " --- so", " - x", " - 6", " - abs(x)", " - xs[0]", " (or 6)", "(so",
    "because", " becausex", " assert x", " ass", "\u218f", "\u2200", "\u25ff", "\u27c0", "\U0001efff", "\U0001fb00", "`x", "* x", "..x", "'",
]  # fmt: skip


@pytest.mark.parametrize("rest", PROSE)
def test_what_follows_a_literal_as_prose(rest):
    assert forms.literal_at_start(f"5{rest}") == "5"


@pytest.mark.parametrize("rest", NO_PROSE)
def test_what_continues_a_literal(rest):
    assert forms.literal_at_start(f"5{rest}") is None


@pytest.mark.parametrize(("text", "literal"), [
    ("-5, so", "-5"), ("+5 since", "+5"), ("1e-5 since", "1e-5"), ("1+2j since", "1+2j"), ("1e-5-2e-6j since", "1e-5-2e-6j"), ("b'a' since", "b'a'"),
    ("Rb'a' since", "Rb'a'"), (".5 since", ".5"), ("-.5 since", "-.5"), ("1.5e+10, so", "1.5e+10"), ("0x1F since", "0x1F"), ("1. since", "1"),
    ("np.float64(0.5), so", "np.float64(0.5)"), ("set() since", "set()"), ("frozenset({1}), so", "frozenset({1})"), ("- 5 since", None),
])  # fmt: skip
def test_a_literal_of_several_parts_with_prose_after_it(text, literal):
    assert forms.literal_at_start(text) == literal


def is_not_prose(text: str) -> bool:
    return "since" not in text


@pytest.mark.parametrize(("text", "head"), [
    ("... since", "..."), ("-a-b+c since", "-a-b+c"), ("_f([1]) since", "_f([1])"), ("a.b since", "a.b"), ("x[1] since", None), ("9x(1) since", None),
    ("[1](x) since", None), ("abc'x' since", None), ("f.g(1)(2) since", None), ("--a since", None),
])  # fmt: skip
def test_other_values_at_the_start(text, head):
    assert forms.literal_at_start(text, is_not_prose) == head


def test_a_list_at_the_start_has_a_longest_length():
    longest = f"[{' ' * 49_998}]"
    assert forms.literal_at_start(f"{longest} since") == longest
    assert forms.literal_at_start(f"[ {longest[1:]} since") is None


TRUE_WORDS = ["yes", "y", "true", "t", "1", "taken", "holds", "executed", "reached", "run", "right", "correct"]
FALSE_WORDS = ["no", "n", "false", "f", "0", "never", "wrong", "incorrect"]


@pytest.mark.parametrize("word", TRUE_WORDS)
def test_every_word_for_true(word):
    for text in (word, f"{word.upper()}.", f"*{word}*, so", f"So {word}"):
        assert forms.truth(text) is True
    for text in (f"not {word}", f"never  {word}", f"not\n{word.upper()}."):
        assert forms.truth(text) is False
    assert forms.truth(f"x{word}") is forms.truth(f"{word}x") is forms.truth(f"not{word}") is None


@pytest.mark.parametrize("word", FALSE_WORDS)
def test_every_word_for_false(word):
    for text in (word, f"{word.upper()}.", f"*{word}*, so", f"So {word}"):
        assert forms.truth(text) is False
    for text in (f"x{word}", f"{word}x", f"not {word}", f"never {word}"):
        assert forms.truth(text) is None


@pytest.mark.parametrize(("text", "truth"), [
    ("~" * 20 + "yes", True), ("~" * 21 + "yes", None), ("- " * 20 + "yes", True), ("- " * 21 + "yes", None), ("yes" + "!" * 20, True),
    ("yes" + "!" * 21, None), ("yes, no", None), ("yes, false", None), ("no. true", None), ("no. yes", None), ("yes: No one", True),
    ("Yes. Nothing", True), ("yes. false\nx", True), ("(yes", None), ("[yes", None), ("{yes", None), (")yes", None), ("]yes", None), ("}yes", None),
    ("-yes", None), ("\u2212yes", None), ("_yes", True), ("yes_", True), ("y__es", None), ('"yes"', True), ("**ye**s", True), ("Therefore, no", False),
    ("thus, yes", True), ("hence no", False), ("also yes", None), ("a\nso no", False), ("so,yes", None), ("soyes", None), ("x, so  yes", True),
    ("a" * 493 + " so yes", True), ("a" * 494 + " so yes", None), (" " * 99 + "a" * 493 + " so yes", True),
])  # fmt: skip
def test_what_stands_around_a_truth(text, truth):
    assert forms.truth(text) is truth


@pytest.mark.parametrize(("text", "line"), [
    ("#" * 20 + "4", 4), ("#" * 21 + "4", None), ("- " * 20 + "4", 4), ("- 4", 4), ("--4", None), ("[4", None), ("{4", None), ("(4", 4),
    ("((4", None), ("]4", None), (")4", None), ("123. Line 4", 4), ("1234. Line 4", 1234), ("2 errors: line 3", 3), ("2  errors:  lines 3", 3),
    ("2 abcdefghijklmnopqrst: line 3", 3), ("2 abcdefghijklmnopqrstu: line 3", None), ("2 errors line 3", None), ("1. the line 3", 3),
    ("1. **line 3**", 3), ("1. ***line 3", 3), ("1. ****line 3", 1), ("1) line 3", 3), ("1.line 3", None), ("1. liner 3", 1), ("1. lines 3", 3),
    ("in line 4", 4), ("on line 4", 4), ("at line 4", 4), ("At `line 4`", 4), (f"in{' ' * 20}line 4", 4), (f"in{' ' * 21}line 4", None),
    ("into line 4", None), ("the  line 4", 4), ("theline 4", None), ("in the 4th line", 4), ("ln 4", 4), ("ln. 4", 4), ("l 4", 4), ("line4", 4),
    (f"line{'.' * 20}4", 4), (f"line{'.' * 21}4", None), ("line number 4", 4), ("line number: 4", 4), ("line no 4", 4), ("line numbers 4", None),
    (f"line number{' ' * 20}4", 4), (f"line number{' ' * 21}4", None), ("line not 4", None), ("line 123456789", 123456789),
    ("line 1234567890", None), ("line 4x", None), ("line 4_", None), ("line 4.5", None), ("line 4.x", 4), ("line 4. 5", 4),
    ("123456789", 123456789), ("1st line", 1), ("2nd line", 2), ("3rd  line", 3), ("4TH LINE", 4), ("4th liner", None), ("4th. line", None),
    ("4 th line", None), ("4thline", None), ("so 4", 4), ("thus, 4", 4), ("also 4", None), ("4" + "!" * 20, 4), ("4" + "!" * 21, None),
    ("a" * 495 + " so 4", 4), ("a" * 496 + " so 4", None),
])  # fmt: skip
def test_what_stands_around_the_number_of_a_line(text, line):
    assert forms.line_number(text) == line == forms.next_line(text)


@pytest.mark.parametrize("text", [
    "The end is  reached", "end is\nreached", "the  end", "end of  the  program", "end of program", "The end of the function", "end of method.",
    "the end of the script", "the end of code is reached", "the end of the test, so", "end)", "end`", "end*", "the end*)`", "the end is reached).",
    "...end",
])  # fmt: skip
def test_other_names_of_the_end(text):
    assert forms.next_line(text) == forms.THE_END


@pytest.mark.parametrize("text", [
    "theend", "end ofthe program", "the end of thecode", "the end of the program isreached", "the end_", "an end", "end.so", "the endof code",
])  # fmt: skip
def test_what_does_not_name_the_end(text):
    assert forms.next_line(text) is None


@pytest.mark.parametrize(("text", "name"), [
    ("5; type: class int", "int"), ("5; \\texttt{int}", "int"), ("5; text{int}", "int"), ("5; type", "type"), ("5; typeint", "typeint"),
    ("5; _T", "_T"), ("5; a.b.c", "a.b.c"), ("5; a..b", "a"), ("5; 5x", None), ("5; 'int'", "int"), ("5; 'text'", "text"), ("5; Class: int", "int"),
    ("5, int", "int"), ("5: int", "int"), ("5| int", "int"), ("5 int", "int"), ("5,int", "int"), ("5 , int", "int"), ("5  (int)", "int"),
    ("5 of  type int", "int"), ("5 of int", "int"), ("5 (of type int)", "int"), ("5 ((int)", None), ("5 type: int", "int"), ("5 TYPE int", "int"),
    ("5 type x y", "x"), ("5 types x", None), ("5 of types x", None), ("5 int x", None), ("5-int", None), ("5 **int**", "int"), ("5 `int`.", "int"),
    ("5 (_x1.y)`", "_x1.y"), ("5, a.b", "a.b"), ("\u2022 5; int", "int"), ("* 5\n* int", "int"), ("-\t5; int", "int"), ("  5\n   int", "int"),
    ("5\n\n int", "int"), (f"5;{' ' * 97}int", "int"), (f"5;{' ' * 100}int", None),
])  # fmt: skip
def test_the_type_of_a_state(text, name):
    assert forms.state(text) == (None if name is None else ("5", name))


def test_the_type_of_a_state_is_searched_at_the_start():
    text = "'" + ";" * 99 + "'"
    assert forms.state(f"{text}; str") == (text, "str") and forms.state(f"'{text[1:-1]};'; str") is None
    text = "'" + "a" * 49_997 + "'"
    assert forms.state(f"{text};int") == (text, "int") and forms.state(f"'a{text[1:]};int") is None
    assert forms.state("-5; int") == ("-5", "int")


@pytest.mark.parametrize("row", [
    "iteration 1: 5", "Step 1. 5", "time 1) 5", "Turn #1: 5", "#1: 5", "1 : 5", "step1: 5", "  1.  5", "1.\t5", "step  1: 5", "01: 5",
])  # fmt: skip
def test_a_number_in_front_of_a_row(row):
    assert forms.unnumbered([row]) == ["5"]
    assert forms.unnumbered([row, "2. x y"]) == ["5", "x y"] and forms.unnumbered([row, "x"]) == [row, "x"]


@pytest.mark.parametrize("row", ["1:5", "1.", "2. 5", "0. 5", "steps 1: 5", "# 1: 5", "1, 5", "1.  ", "1 5"])
def test_what_is_no_number_of_a_row(row):
    assert forms.unnumbered([row]) == [row] and forms.unnumbered([]) == []


def test_rows_have_no_bullets_and_no_commas():
    assert forms.rows_of("- a,\n\n* b,,\n\u2022 c \n-d\n  - e") == ["a", "b", "c", "-d", "e"]


@pytest.mark.parametrize(("text", "parts"), [
    ("1, (2, 3), 'a,b', ", ["1", " (2, 3)", " 'a,b'"]), ("1,,2", ["1", "", "2"]), ("", []), (" , ", [" "]), ("a", ["a"]),
    ("[1, 2], {3: 4, 5: 6} ,7", ["[1, 2]", " {3: 4, 5: 6} ", "7"]), ("1\n,2 # a, b", ["1\n", "2 # a, b"]),
])  # fmt: skip
def test_a_text_is_split_between_its_commas(text, parts):
    assert forms.split(text) == parts


def test_prose_below_the_rows_may_have_a_value_after_a_hundred_rows():
    assert forms.rows_of_values("1\n" + "x\n" * 100 + "2", 1) == ["1"]
    assert forms.rows_of_values("1\n" + "x\n" * 99 + "2", 1) is None


@pytest.mark.parametrize(("text", "values"), [
    ("{1}", None), ("{1}, {2}", ["{1}", "{2}"]), ("[1, 2] so", None), ("[1], 2", ["[1]", "2"]), ("x(1)", None),
    ("[1, 2]\n3", ["1", "2"]), ("1, 2,", ["1", "2"]), ("i = 1\ni = 2", ["1", "2"]), ("j = 1\nj = 2", None), ("'a, b', 2", ["'a, b'", "2"]),
    ("yes, no", ["yes", "no"]), ("0, 1 since", None), ("...", None), (",", None),
])  # fmt: skip
def test_other_lists_of_values(text, values):
    assert forms.values(text, "i") == values


@pytest.mark.parametrize(("text", "value"), [
    ("true", "true"), ("null", "null"), ("NULL", None), ("**yes**", "yes"), ("not taken", "not taken"), ("maybe", None), ("i = true", "true"),
    ("5, so", "5"), ("5 or", None), ("", None), ("- yes", None), ("_no_", None),
])  # fmt: skip
def test_the_value_of_a_row(text, value):
    assert forms.value_of(text, "i") == value


@pytest.mark.parametrize("between", [
    "->", " -> ", " ---------> ", " ====> ", " => ", ">", " \u21d2 ", "\u2192", " \u2014 ", " \u2013 ", " - ", ", (",
    "; [", ". ", ": ", "` *", "|", " line ", " lines ", " then ", " and ", " AND, ", ",\n", " -=-> ", " then line ",
    "), ", "], ", "\t",
])  # fmt: skip
def test_what_stands_between_numbers_of_lines(between):
    assert executed_lines(f"2{between}3") == [2, 3]


@pytest.mark.parametrize(
    "between",
    [
        " x ",
        "-",
        "\u2014",
        "\u2013",
        " lined ",
        " and",
        "and ",
        " thenx ",
        " ---------- ",
        " ----------> ",
        "..",
        " \u2026 ",
        "_",
        "/",
    ],
)
def test_what_separates_no_numbers_of_lines(between):
    assert executed_lines(f"1, 2{between}3") is None


@pytest.mark.parametrize(
    "text", ["2 the end", "2 end", "2, the  end.", "2 END", "line 2", "(2)", "2 -->", "2 =>", "Lines 2", "> 2"]
)
def test_what_stands_around_the_number_of_a_line_in_a_list(text):
    assert executed_lines(text) == [2] and executed_lines(f"{text} x") != [2, 2]


@pytest.mark.parametrize("before", [
    "line 3: ", "Line3: ", "L3: ", "l3 ", "3. ", "3) ", "3| ", "3= ", "3> ", "3 -> ", "3 => ", "3 - ", "3->", "3 :: ",
    "3:", "line  3 ", "3 >", "3 \t", "3`: ", "3** ", "3 - > ", "LINE 3:", "3.",
])  # fmt: skip
def test_what_stands_in_front_of_a_step(before):
    assert read_steps(f"{before}0") == [(3, "0")] and read_steps(f"{before}a b") == [(3, "a b")]


@pytest.mark.parametrize(
    "text", ["3-0", "1234567: 0", "3", "3: ", "x3: 0", "3x: 0", "3,0", "L 3: 0", "liner 3: 0", "3_ 0"]
)
def test_what_is_no_step(text):
    assert read_steps(text) is None


def test_the_number_of_a_line_has_at_most_six_digits():
    assert read_steps("123456: 0") == [(123456, "0")]
    assert read_steps("1. 123456: 0\n2. 4: 1") == [(123456, "0"), (4, "1")]
    assert read_steps("1. 1234567: 0\n2. 4: 1") == [(1, "1234567: 0"), (2, "4: 1")]


@pytest.mark.parametrize(
    "row",
    [
        "line 3: 0",
        "Line 3 0",
        "3: 0",
        "3 : 0",
        "3 -> 0",
        "3= 0",
        "3 => 0",
        "L3: 0",
        "l3-> 0",
        "3`: 0",
        "3** => 0",
        "LINE 3 0",
    ],
)
def test_a_step_behind_the_number_of_a_list(row):
    assert read_steps(f"1. {row}") == [(3, "0")]
    assert read_steps(f"1. {row}\n2. {row}") == [(3, "0"), (3, "0")]
    assert read_steps(f"1. {row}\n2. x") == [(1, row), (2, "x")]


@pytest.mark.parametrize(
    "row", ["lines 3: 0", "linear", "3 0", "x 3: 0", "3 - 0", "3| 0", "3. 0", "_3: 0", "LL3: 0", "3"]
)
def test_other_text_behind_the_number_of_a_list(row):
    assert read_steps(f"1. {row}\n2. 4: 1") == [(1, row), (2, "4: 1")]
