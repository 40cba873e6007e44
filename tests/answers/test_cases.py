"""Responses that models gave, or might give, in which something other than the answer could be taken for it."""

import json
from typing import Any

from lm_eval_codemind.answers.blocks import Marks, blocks
from lm_eval_codemind.answers.thinking import without_thinking
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.families.execution import flow, trace
from lm_eval_codemind.families.execution.flow import LOOP_REASONING
from lm_eval_codemind.families.ier import task as ier
from lm_eval_codemind.families.input import task as input_task
from lm_eval_codemind.families.runtime import task as runtime
from lm_eval_codemind.families.verdict import task as verdict
from lm_eval_codemind.questions import Question
from lm_eval_codemind.studies.re2 import task as re2
from lm_eval_codemind.studies.re2.published.task import FILTER
from tests.answers.questions import question

SKIPPED_KINDS = {"wrong label", "wrong test"}
# The word of a judgement is bare. "Far from right" states it in a phrase, and is malformed, never "right".
PHRASES = {"y7"}
CODE_KINDS = {"demo block chosen", "excerpt chosen", "fence info string", "wrapped code", "original quoted after"}


FIELDS = {"variable": "y", "outputs": ["5"], "item": "", "code": "x = 1", "line": 1, "program": "x"}


def state_is_right(response: str, value: str, type_name: str) -> bool:
    asked = question("state", **FIELDS, value=value, type_name=type_name)
    return runtime.RUNTIME.right(asked, runtime.RUNTIME.read(response, asked, runtime.FILTER))


def output_is_right(response: str, output: str, filter: str) -> bool:
    asked = question("steps", **FIELDS, output=output)
    return bool(ier.IER.score(asked, ier.IER.read(response, asked, filter))["r_ier"])


def test_the_cases(shared_data):
    wrong = []
    with (shared_data / "cases" / "answers.jsonl").open(encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    for case in cases:
        task, response, right = case["task"], case["response"], case["right"]
        if case["kind"] in SKIPPED_KINDS | CODE_KINDS or task == "sr":
            continue
        expected = None if case["id"] in PHRASES else case["expected_answer_or_code"]
        if task == "verdict":
            said: Any = verdict.VERDICT.read(response, question(**FIELDS), verdict.FILTER).text
        elif task == "locate":
            said, expected = verdict.LOCATE.read(response, question(**FIELDS), verdict.FILTER).details["line"], right
        elif task == "runtime path":
            said = runtime.RUNTIME.read(response, question("path", **FIELDS), runtime.FILTER).details["line"]
        elif task == "runtime state":
            negative = "label -5" in response
            value, name = ("'a; b'", "str") if expected == "'a; b'" else ("-5" if negative else "5", "int")
            said, expected = state_is_right(response, value, name), True
        elif task == "trace":
            said = trace.TraceReasoning().read(response, question("lines", **FIELDS), flow.FILTER).details["lines"]
        elif task.startswith("ier"):
            filter = ier.FLEXIBLE if "flexible" in task else ier.STRICT
            said, expected = output_is_right(response, expected, filter), True
        elif task.startswith("re2"):
            marks = Marks.named("output", "input")
            text = without_thinking(response, marks)
            block = None if text is None else next(blocks(text, marks), None)
            said, expected = block and json.loads(block).get("output", json.loads(block)), json.loads(expected)
            asked = question("output", **FIELDS, label="5")
            if expected == 5:
                assert re2.RE2.right(asked, re2.RE2.read(response, asked, FILTER))
        else:
            raise AssertionError(task)
        if said != expected:
            wrong.append((case["id"], said, expected))
    assert not wrong
    assert len(cases) >= 40 and LOOP_REASONING


def read_as(case: dict[str, Any]) -> Any:
    """Return what a response of a case is read as, in the words of its right reading; None for code."""
    family, response, label = case["family"], case["response"], str(case["label"])
    if family.startswith("ier"):
        return output_is_right(response, label, ier.FLEXIBLE if "flexible" in family else ier.STRICT)
    if family == "verdict":
        return verdict.VERDICT.read(response, question(**FIELDS), verdict.FILTER).text
    if family == "locate":
        return verdict.LOCATE.read(response, question(**FIELDS), verdict.FILTER).details.get("line")
    if family.startswith("runtime"):
        asked = question(family.split()[1], **FIELDS)
        answer = runtime.RUNTIME.read(response, asked, runtime.FILTER)
        if family == "runtime state":
            return state_is_right(response, *label.split("; "))
        return answer.details.get("line", answer.text)
    if family == "trace states":
        asked = question("states", **{**FIELDS, "code": "\nfor y in x:\n    pass"})
        steps = trace.TraceReasoning().read(response, asked, FILTER).details
        return [list(pair) in case["label"] for pair in zip(steps["lines"], steps["values"], strict=True)]
    if family == "loops":
        asked = question("loops", code="for i in x:\n    pass", line=1)
        return LOOP_REASONING.read(response, asked, flow.FILTER).details.get("values") == case["label"]
    if family == "input, script":
        asked = next(Question.about(one, "", {}) for one in load_benchmark("sample") if one.kind == "script")
        return input_task.INPUT_PREDICTION.read(response, asked, ier.STRICT).program
    assert family in ("sr", "sr/repair"), family
    return None


def test_the_newer_cases(shared_data):
    with (shared_data / "cases" / "answers-5.jsonl").open(encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    read = {case["name"]: read_as(case) for case in cases if not case["family"].startswith("sr")}
    right = {case["name"]: case["right"] for case in cases if case["name"] in read}
    assert {name: value for name, value in read.items() if value != right[name]} == {}
    assert len(cases) >= 40
