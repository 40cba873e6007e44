"""RE2-Bench's rules, with the faults that they have."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.studies.re2.published import rules as re2

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("abc "),
    lambda inner: st.lists(inner, min_size=1) | st.dictionaries(st.text("abc"), inner, min_size=1),
)


@given(VALUES)
def test_every_value_equals_itself(value: Any) -> None:
    assert re2.same_output(value, value)


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
def test_comparison_of_outputs(answer: Any, label: Any, right: bool) -> None:
    assert re2.same_output(answer, label) is right


@pytest.mark.parametrize(("text", "value"), [
    ('{"output": 1}', 1), ('```json\n{"output": [1, null]}\n```', [1, None]),
    ('{\n    "output": XXX,\n    "b": 2}', "XXX"), ('{\n    "output": pi*w_0**2/l\n}', "pi*w_0**2/l"),
    ('{"output": [1., 2.]}', "[1., 2.]"),
    ('{"self": {}, "args": {"n": 3}}', {"self": {}, "args": {"n": 3}}), ("nothing", "nothing"),
])  # fmt: skip
def test_reading_of_values(text: str, value: Any) -> None:
    assert re2.read_value(text) == value


def test_inputs_are_read_as_dates_and_containers() -> None:
    assert re2.same_input({"day": "2024-01-02"}, {"day": "datetime.datetime(2024, 1, 2)"})
    assert re2.same_input("[1, 2]", [1, 2])
    assert not re2.same_input("2024-99-99", "2024-01-02")
    assert re2.argument('say "hi"\n') == "'say \"hi\"\\n'" and re2.argument([1]) == "[1]"


def test_loops_and_branches() -> None:
    text = "3 for c in t: ## [STATE]c=['#', '2'][/STATE] [STATE]t=[(1, 2), (1, 2)][/STATE]\n"
    text += "5 while x: ## [STATE]x=??[/STATE]"
    loops = re2.read_loops(text)
    assert re2.same_loops(loops, {"3": {"c": ["#", "2"], "t": [[1, 2], [1, 2]]}})
    assert not re2.same_loops(loops, {"5": {"x": [1]}}) and not re2.same_loops(loops, {"4": {}, "3": {"d": []}})
    assert re2.same_loops({}, {})
    branches = re2.read_branches("4 if x: ## [BRANCH]taken=['Y', N, y][/BRANCH]\n7 if y: ## [BRANCH]taken=??[/BRANCH]")
    assert branches == {"4": [True, False, True]}
    assert re2.same_branches(branches, {"4": [True, False, True]}) and not re2.same_branches(branches, {"7": [True]})
    assert re2.marked("[ANSWER] a", "ANSWER") == "a" and re2.marked("a", "ANSWER") is None
