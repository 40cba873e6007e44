"""RE2-Bench: answers in the shapes that models use, and the published rules with the faults that they have."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.studies.re2 import task as re2
from lm_eval_codemind.studies.re2 import values
from lm_eval_codemind.studies.re2.published import rules
from lm_eval_codemind.studies.re2.published.task import FILTER
from tests.answers.questions import question

QUESTIONS = {setting: question(setting) for setting in ("output", "loop")}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab "),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text("abc"), inner),
)


@given(VALUES)
def test_a_value_equals_itself_and_its_python_text(value):
    assert values.same_plain(value, value)
    assert values.same_plain(values.read_value(repr(value)), value)


SHAPES = read_yaml(Path(__file__).with_name("re2_shapes.yaml"))


@pytest.mark.parametrize(("answer", "label", "same"), [
    ("[1, 2]", [1, 2], True), ("(1, 2)", [1, 2], True), ("[1]", [1, 2], False), ("true", True, True),
    ("1", True, False), ("null", None, True), ('{"1": [true, null]}', {"1": [True, None]}, True),
    ("{'a': null}", {"a": None}, True), ("{1: 2}", {"1": 2}, True),
    ("[[1.0, 2.0], [3.0, 4.0]]", "array([[1., 2.],\n       [3., 4.]])", True), ("[-1, 2]", "array([1, 2])", False),
    ("array([1, 2], dtype=int8)", "array([1, 2])", True),
    ("[[1.5, 0.2], [1.6, 0.2]]", "[[1.5 0.2]\n [1.6 0.2]]", True), ('"x + y"', "x + y", True), ("x + y", "x + y", True),
    ("(-1-2j)", "(-1-2j)", True), ("{1, 2}", "{2, 1}", True), ("XXX", 1, False), ("nan", None, True),
    ("NaN", None, True), ("null", float("nan"), True), ("1.5", None, False), ("[1.5]", [2.5], False), ("", "", True),
])  # fmt: skip
def test_values_are_compared_as_json_shows_them(answer, label, same):
    assert values.same_plain(values.read_value(answer), label) is same


@pytest.mark.parametrize(("text", "lines"), [
    ("line 3: i = [2, 1]", {"3": {"i": [2, 1]}}),
    ("line 3: i = ['a', 'b']\nline 3: j = [(1, 2)]", {"3": {"i": ["a", "b"], "j": [(1, 2)]}}),
    ("- Line 12: [Y, N]", {"12": {"": ["Y", "N"]}}), ("3: i = []", {"3": {"i": []}}),
    ("line 3: i = [1]\n\nline 5: [true] (once)\n\nThe loop ends.", {"3": {"i": [1]}, "5": {"": [True]}}),
    ("3 `i`: [1]", {"3": {"i": [1]}}),
    ("line 9: x = [MPQ(1,2), {0: 1, 2: 3}]", {"9": {"x": ["MPQ(1,2)", {0: 1, 2: 3}]}}), ("line 9: x = ??", None),
    ("line 3: i = [1, 2", None), ("line 3: i = [1, 2][0]", None), ("The lists:\nline 3: i = [1]", None),
    ("line 3: i = [1]\nand\nline 4: j = [2]", None), ("line 3: i = [1]\nline 4: j = 2", None),
    ("\ufeffline 3: i = [1]", None), ("I do not know.", None), ("", None),
])  # fmt: skip
def test_lists_are_read_as_a_whole(text, lines):
    assert values.read_lines(text) == lines


def test_the_first_difference():
    assert values.first_difference([1, 2], [1, 2]) is None
    assert values.first_difference([1, 2], [1, 3, 4]) == 1
    assert values.first_difference([1], [1, 2]) == 1
    assert values.first_difference([1, 2], [1]) == 1
    assert values.first_difference([3], ["3"]) is None and values.first_difference(["3"], [3]) == 0
    assert values.first_difference([["x", "y"]], ["[x, y]"]) is None


@pytest.mark.parametrize(
    ("kind", "expected", "response"), [(kind, *shape) for kind, shapes in SHAPES.items() for shape in shapes]
)
def test_recorded_shapes(kind, expected, response):
    setting, form = {"values": ("output", values.read_value), "lines": ("loop", values.read_lines)}[kind]
    answer = re2.RE2.read(response, QUESTIONS[setting], FILTER)
    assert repr(None if answer.text is None else form(answer.text)) == expected
    assert (answer.reading == "read") is (answer.text is not None)


@pytest.mark.parametrize(("setting", "block", "text"), [
    ("output", "\ufeff[1, null]\u200b", "[1, null]"), ("output", "Output: `{'a': true}`", "{'a': true}"),
    ("output", '{"a": [1]}, because x is 3', '{"a": [1]}'),
    ("output", "```json\nnull\n```\nThe list is empty.", "null"), ("output", "```json\n-1", "-1"),
    ("output", "...", None), ("output", "[1, 2", None), ("output", "about 5", None),
    ("loop", "\ufeffline 3: i = [1]", "line 3: i = [1]"),
    ("loop", "```\nline 3: i = [1]\nline 4: [2]\n```", "line 3: i = [1]\nline 4: [2]"),
    ("loop", "**line 3: i = [1]**", "**line 3: i = [1]**"), ("loop", "line 3: i = [1", None),
])  # fmt: skip
def test_the_text_that_was_parsed_is_the_answer(setting, block, text):
    answer = re2.RE2.read(f"<answer>{block}</answer>", QUESTIONS[setting], FILTER)
    assert answer.text == text and answer.reading == ("malformed" if text is None else "read")


def test_words_of_json_in_strings_stay():
    value = values.read_value("{'a': 'is true, not null', 'b': null, 'c': false}")
    assert value == {"a": "is true, not null", "b": None, "c": False}


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("abc "),
    lambda inner: st.lists(inner, min_size=1) | st.dictionaries(st.text("abc"), inner, min_size=1),
)


@given(PLAIN)
def test_every_value_equals_itself_by_the_published_rules(value):
    assert rules.same_output(value, value)


@pytest.mark.parametrize(("answer", "label", "right"), [
    ("2 ", "2", True), ("2", 2, True), (2, "2", False), (True, 1, False),
    ([1, 2], [1, 2, 3], True),  # the start of a list
    ([1, 2, 3, 4], [1, 2, 3], False), ([], [1], False), ([], [], True), ([0], [], False),
    ("array([-1, 2])", "array([1, 2])", True),  # a sign that is lost
    ("array([-1.5])", "array([1.5])", False),
    ([[1.0, 2.0], [3.0, None]], "array([[1., 2.],\n       [3., nan]])", True), ("[<A x>, 'b', 1]", "['b']", False),
    ("[<A>, 'b']", "[<C>, 'b']", True),  # text in lists that is ignored
    ("{1, 2}", "{2, 1}", True), ("{'a': 1}", {"a": 1}, True), ("[True, False]", [True, False], True),
    ("array([1, 23", [1.0, 23.0], True), ("(1,2)", "(1, 2)", False), ("{1,2", "{1,2", True), ("{1,2", "{2,1", False),
    ("[1.5, nan]", [1.5, None], True), ("[[1, 2]\n [3, 4]]", [[1.0, 2.0], [3.0, 4.0]], True),
    ("['a', True]", ["a", True], True), ("[True, False]", [True, True], False), ({"a": 1, "b": 2}, {"a": 1}, False),
    ({}, {"a": 1}, False), ("__import__('os').getcwd()", 1, False),
])  # fmt: skip
def test_comparison_of_outputs(answer, label, right):
    assert rules.same_output(answer, label) is right


@pytest.mark.parametrize(("text", "value"), [
    ('{"output": 1}', 1), ('```json\n{"output": [1, null]}\n```', [1, None]),
    ('{\n    "output": XXX,\n    "b": 2}', "XXX"), ('{\n    "output": pi*w_0**2/l\n}', "pi*w_0**2/l"),
    ('{"output": [1., 2.]}', "[1., 2.]"),
    ('{"self": {}, "args": {"n": 3}}', {"self": {}, "args": {"n": 3}}), ("nothing", "nothing"),
])  # fmt: skip
def test_reading_of_values(text, value):
    assert rules.read_value(text) == value


def test_inputs_are_read_as_dates_and_containers():
    assert rules.same_input({"day": "2024-01-02"}, {"day": "datetime.datetime(2024, 1, 2)"})
    assert rules.same_input("[1, 2]", [1, 2])
    assert not rules.same_input("2024-99-99", "2024-01-02")
    assert rules.argument('say "hi"\n') == "'say \"hi\"\\n'" and rules.argument([1]) == "[1]"


def test_loops_and_branches():
    text = "3 for c in t: ## [STATE]c=['#', '2'][/STATE] [STATE]t=[(1, 2), (1, 2)][/STATE]\n"
    text += "5 while x: ## [STATE]x=??[/STATE]"
    loops = rules.read_loops(text)
    assert rules.same_loops(loops, {"3": {"c": ["#", "2"], "t": [[1, 2], [1, 2]]}})
    assert not rules.same_loops(loops, {"5": {"x": [1]}}) and not rules.same_loops(loops, {"4": {}, "3": {"d": []}})
    assert rules.same_loops({}, {})
    branches = rules.read_branches(
        "4 if x: ## [BRANCH]taken=['Y', N, y][/BRANCH]\n7 if y: ## [BRANCH]taken=??[/BRANCH]"
    )
    assert branches == {"4": [True, False, True]}
    assert rules.same_branches(branches, {"4": [True, False, True]}) and not rules.same_branches(
        branches, {"7": [True]}
    )
    assert rules.marked("[ANSWER] a", "ANSWER") == "a" and rules.marked("a", "ANSWER") is None
