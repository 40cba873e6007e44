"""Answers in the forms that recorded responses have."""

from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.families.verdict import task as verdict
from lm_eval_codemind.studies.traces import ces
from lm_eval_codemind.studies.traces import task as trace_published
from tests.answers.questions import question

SHAPES = read_yaml(Path(__file__).with_name("recorded_shapes.yaml"))
PROGRAM = "for i in range(2): ## [STATE]i=[0, 1][/STATE]\n    pass"
LINES = ["def total(n):", "    if n == 0:", "        return 0", "    else:", "        return n"]
QUESTION = question()


def read(kind: str, text: str, *values: Any) -> Any:
    """Return what an answer of a kind is read as."""
    if kind == "lines":
        text_of_answer = trace_published.COCONUT.read(text, QUESTION, trace_published.FILTER).text
        return None if text_of_answer is None else trace_published.lines_of(text_of_answer)
    if kind == "verdicts":
        return {"yes": True, "no": False, None: None}[verdict.VERDICT.read(text, QUESTION, verdict.FILTER).text]
    if kind == "places":
        # CES asks for the line's text, and bug location for its number.
        return verdict.LOCATE.read(ces.numbered(text, "\n".join(LINES)), QUESTION, verdict.FILTER).details.get("line")
    if kind == "outlines":
        response = text.replace("PROGRAM", PROGRAM)
        return [bool(ces.read_marks(ces.annotated_code(response))), ces.stated_output(response)]
    right = trace_published._states if kind == "states" else trace_published._same_list
    return right(text, *values)


@pytest.mark.parametrize(
    ("kind", "expected", "rest"), [(kind, first, rest) for kind, shapes in SHAPES.items() for first, *rest in shapes]
)
def test_shapes(kind, expected, rest):
    *values, text = rest
    assert read(kind, text, *values) == expected
