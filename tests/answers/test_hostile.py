# ruff: noqa: E501
"""Every reader takes time in proportion to the length of a response, whatever the response is."""

import time
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.families import families
from lm_eval_codemind.families.execution.flow import BRANCH_REASONING, LOOP_REASONING
from lm_eval_codemind.families.execution.trace import TRACE
from lm_eval_codemind.families.ier.published import PUBLISHED_IER
from lm_eval_codemind.families.ier.task import FLEXIBLE, IER
from lm_eval_codemind.families.published.prompts import FORM
from lm_eval_codemind.families.runtime.task import RUNTIME
from lm_eval_codemind.families.together.task import TOGETHER
from lm_eval_codemind.families.verdict.task import LOCATE, VERDICT
from lm_eval_codemind.family import Family
from lm_eval_codemind.questions import Answer
from lm_eval_codemind.studies.re2.published.rules import read_branches, read_loops, read_value, same_output
from lm_eval_codemind.studies.re2.published.task import PUBLISHED_RE2
from lm_eval_codemind.studies.re2.task import RE2
from lm_eval_codemind.studies.re2.values import read_lines, value_at_start
from lm_eval_codemind.studies.reval.task import DIRECT, PUBLISHED_RUNTIME
from lm_eval_codemind.studies.traces.task import CES, COCONUT
from tests.answers.questions import question

READERS = [(IER, "steps", FLEXIBLE, "output")] + [
    (family, setting, family.filters[0], mark)
    for family, settings, mark in (
        (IER, "steps", "output"), (PUBLISHED_IER, "steps", "output"), (RUNTIME, "coverage state path output", "answer"),
        (TOGETHER, "", "answer1"),
        (PUBLISHED_RUNTIME, "state", "ANSWER"), (VERDICT, "buggy", "answer"), (LOCATE, "buggy", "answer"),
        (LOOP_REASONING, "loops", "answer"), (BRANCH_REASONING, "branches", "answer"), (TRACE, "lines states", "trace"),
        (RE2, "output loop branch", "answer"), (PUBLISHED_RE2, "output loop branch", "ANSWER"),
        (CES, "", "OUTPUT"), (COCONUT, "", "answer"),
    )
    for setting in settings.split() or [""]
]  # fmt: skip
IDS = [f"{type(family).__name__} {setting} {filter}" for family, setting, filter, _ in READERS]
PIECES = [
    "<think>", "</think>", "\n<think>", "[THOUGHT]\n", "<|channel|>analysis<|message|>", "<|channel|>final", "<|a|>", "</s> ", "analysis",
    "<output>", "</output>", "<answer>", "</answer>", "<answer>1</answer>", " and </answer>", "x <answer> and </answer> ", "[ANSWER]", "[/ANSWER]",
    "<<<Output>>>", "[END-OF-RESPONSE]", "[", "(", "{", "]", "[]", "[1, ", "(1, 2), ", "{'a': ", "'", '"', "'a' ", "\\", "`", "```\n", "```",
    "**", "__", "$", "\\boxed{", "\\boxed{1} ", "<code>", "\u2212", "\u200b", " ", "\n", "\t", "a ", "a; ", "5; int\n", "; ", "line 3 ", "3: 0\n",
    "1. Line 2\n", "2, ", "2 -> ", "- ", "-", "1", "1 ", ".", "..", "e", "1e", "Answer: ", "Answer:\n", "the answer is ", "is ", "no bugs ", "not ",
    "the the ", "value of y is ", "y = ", "f(", "f(x) == ", '{"output": ', "### Problem\n", "x" * 997 + "\n", "I don't ", "[STATE]x=[1][/STATE] ",
    "3 x ## [BRANCH]taken=[Y]",
]  # fmt: skip


FIELDS = {
    "variable": "y",
    "outputs": ["5", "6"],
    "output": "[1, 2]",
    "program": "x = 1\ny = 2",
    "line": 1,
    FORM: DIRECT,
    "entry_point": "f",
    "complexity": None,
    "questions": [
        {"setting": setting, "item": setting, "variable": "y", "outputs": ["5", "6"], "line": 1}
        for setting in ("state", "coverage", "path", "output")
    ],
}


def reader(family: Family, setting: str, filter: str, mark: str) -> Callable[[str], Answer]:
    asked = question(setting, code="for y in range(3):\n    pass", **FIELDS)
    opens, closes = ("[{}]", "[/{}]") if mark.isupper() else ("<{}>", "</{}>")
    frame = f"{opens.format(mark)}\n%s\n{closes.format(mark)}"

    def read(text: str) -> Answer:
        family.read(text, asked, filter)
        return family.read(frame % text, asked, filter)

    return read


def seconds(read: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    read(text)
    return time.process_time() - began


def assert_linear(read: Callable[[str], object], piece: str) -> None:
    """Assert that 100,000 characters take a fifth of a second, or at most 12 times what 20,000 take.

    A reader whose time grows with the square of the length takes 25 times as long. Other programs on the machine
    disturb a measurement, so there are five attempts.
    """
    short, long = (piece * (size // len(piece)) for size in (20_000, 100_000))
    assert any((taken := seconds(read, long)) < 0.2 or taken < 12 * seconds(read, short) + 0.2 for _ in range(5)), piece


@pytest.mark.proof
@pytest.mark.parametrize("one", READERS, ids=IDS)
def test_time_is_in_proportion_to_length(one):
    read = reader(*one)
    for piece in PIECES:
        assert_linear(read, piece)


@pytest.mark.proof
@pytest.mark.parametrize(
    "parse", [read_loops, read_branches, read_lines, read_value, value_at_start, partial(same_output, label=["1"])]
)
def test_parsers_of_re2_take_time_in_proportion_to_length(parse):
    for piece in PIECES:
        assert_linear(parse, piece)


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=12), st.sampled_from(READERS))
def test_every_text_is_read_somehow(pieces, one):
    answer = reader(*one)("".join(pieces))
    assert answer.reading in ("read", "no_answer", "malformed", "unfinished")
    assert Answer.from_json(answer.to_json()) == answer


def test_every_family_with_marks_is_here():
    others = {"SpecificationReasoning", "SemanticsReasoning", "Repair", "Translation", "InputPrediction", "Re2Input"}
    # Their readers have tests in tests/families/test_cruxeval.py.
    others |= {"CruxevalOutput", "CruxevalInput", "LcbExecution"}
    # These read programs and inputs like the families they replicate, or whose questions they ask.
    others |= {"PublishedSpecificationReasoning", "PublishedSemanticsReasoning", "OwnInput"}
    kinds = {type(family) for family, *_ in READERS}
    missing = [name for name, family in families().items() if not any(isinstance(family, kind) for kind in kinds)]
    assert {type(families()[name]).__name__ for name in missing} <= others | {"PublishedRe2Input", "DependentReasoning"}
