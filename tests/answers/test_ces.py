"""CES's rules: annotated programs, and lines."""

import pytest

from lm_eval_codemind.studies.traces import ces

PROGRAM = "import math\n\ndef f(x):\n    while x:\n        x -= 1\n    return x"
ANNOTATED = """def f(x):
    while x:  ## [CONDITION](x)=[True, False][/CONDITION][BRANCH](x)=[Y][/BRANCH]
        x -= 1  ## [STATE]x=[0][/STATE]
    return x"""


def test_the_marks_of_an_annotated_program():
    marks = ces.read_marks(ANNOTATED)
    assert marks == {1: {"(x)": "[Y]"}, 2: {"x": "[0]"}}
    assert ces.read_marks("x = '## [STATE]y=1[/STATE]'  ## [STATE]x=2[/STATE]") == {0: {"x": "2"}}
    assert ces.read_marks("[STATE]y=1[/STATE]") == {}


def test_marks_are_on_the_lines_of_the_program():
    assert ces.on_lines_of(ANNOTATED, PROGRAM) == {3: {"(x)": "[Y]"}, 4: {"x": "[0]"}}
    assert ces.on_lines_of("y = 2  ## [STATE]y=[2][/STATE]\n" + ANNOTATED, PROGRAM).keys() == {3, 4}
    twice = "x = 1  ## [STATE]x=[1][/STATE]\nx = 1  ## [STATE]x=[2][/STATE]"
    assert ces.on_lines_of(twice, "x = 1\n\nx = 1") == {0: {"x": "[1]"}, 2: {"x": "[2]"}}


def test_a_program_is_laid_out_as_the_other():
    assert ces.laid_out_as(ANNOTATED, PROGRAM) == "\n\n" + ANNOTATED
    assert ces.laid_out_as("", PROGRAM) == "" and ces.laid_out_as(PROGRAM, PROGRAM) == PROGRAM


@pytest.mark.parametrize(("text", "line"), [
    ("return x", "6"), ("  x -= 1", "5"), ("`x -= 1`", "5"), ("y\nwhile x:\nreturn x", "4"), ("x", "x"), ("", ""),
])  # fmt: skip
def test_the_line_with_a_text(text, line):
    assert ces.numbered(text, PROGRAM) == line


def test_a_text_of_several_lines_names_none():
    assert ces.numbered("x", "x\nx") == "x" and ces.numbered("x\ny", "x\nx\ny") == "3"


@pytest.mark.parametrize(("text", "values", "nested", "same"), [
    ("[1, 2]", [1, 2], False, True), ("[1, ..., 3]", [1, 2, 3], False, True), ("[1, ..., 4]", [1, 2, 3], False, False),
    ("[0, ..., 3]", [1, 2, 3], False, False), ("[...]", [], False, False), ("1", [1], False, True),
    ("[1]", [1, 2], False, False), (None, [], False, False), ("[]", [], False, True), ("[5]", [], True, True),
    ("[1, 2]", [[1, 2], [1, 2]], True, True), ("[1, ..., 3]", [[1, 2, 3]], True, True),
    ("[1, 2]", [[1, 2], [1, 2]], False, False), ("[1, 3]", [[1, 2]], True, False), ("x", ["x"], True, True),
    ("[2]", [1, 2], True, False),
])  # fmt: skip
def test_values(text, values, nested, same):
    assert ces.same_values(text, values, nested) is same


@pytest.mark.parametrize(("response", "code", "output"), [
    ("[ANSWER]\nx\n[/ANSWER]\n[OUTPUT]1[/OUTPUT]", "x\n", "1"),
    ("[ANSWER]\n[PYTHON]\nx\n[/PYTHON]\n[/ANSWER]", "x\n", None), ("```python\nx\n```\n[OUTPUT]\n1\n2", "x\n", "1\n2"),
    ("[ANSWER]\nx", "x", None), ("x", "", None), ("<think>[ANSWER]x[/ANSWER]", "", None), ("[OUTPUT][/OUTPUT]", "", ""),
])  # fmt: skip
def test_parts_of_a_response(response, code, output):
    assert ces.annotated_code(response) == code and ces.stated_output(response) == output
