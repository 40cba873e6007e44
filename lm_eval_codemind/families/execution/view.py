"""The views of results on executions: loops, branches and traces, with the first wrong value or step marked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from lm_eval_codemind.families.execution import flow, trace
from lm_eval_codemind.families.execution.score import right_steps
from lm_eval_codemind.families.view import Part, Unit, View, output_of
from lm_eval_codemind.harness.templates import numbered
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.samples import Sample
from lm_eval_codemind.statistics import Estimate, bootstrap

_NOTHING = "(nothing)"


class FlowView(View):
    """A unit is one loop, or one condition, of a program on its input."""

    def outcome(self, unit: Unit) -> str:
        (sample,) = unit
        if self.solved(unit):
            return "all values correct"
        if sample.answer.text is None:
            return "no answer"
        return _where_wrong(_matches(flow.matching, sample), len(sample.doc["values"]), "value")

    def content(self, sample: Sample) -> list[Part]:
        answers = sample.answer.details.get("values", ())
        return [
            Part("Program C", "code", numbered(str(sample.doc["code"]))),
            Part("Input I", "code", str(sample.doc["input"])),
            _compared(f"Line {sample.doc['line']}", sample.doc["values"], answers, _matches(flow.matching, sample)),
        ]


class TraceView(View):
    """A unit is the execution of a program on its input."""

    reported = ("trace", "output", trace.RIGHT_REASON)

    def outcome(self, unit: Unit) -> str:
        (sample,) = unit
        output = f"{'correct' if self.predicts(unit) else 'incorrect'} output"
        if self.solved(unit):
            return f"correct trace, {output}"
        if sample.answer.text is None:
            return f"no trace, {output}"
        return f"{_where_wrong(_matches(trace.matching, sample), len(sample.doc['lines']), 'step')}, {output}"

    def predicts(self, unit: Unit) -> bool | None:
        return bool(unit[0].scores.get("output", 0) >= 1)

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        """Return a metric with its interval; of a share of right outputs that of a bootstrap over problems.

        The size of that share is the number of right outputs, by which the harness weighs a task in a group.
        """
        if metric != trace.RIGHT_REASON:
            return super().estimate(samples, metric)
        rows = []
        for sample in samples:
            record = sample.scores.get(metric)
            if isinstance(record, Mapping):
                traces, outputs, _ = trace.by_response([record])
                rows.append((sum(t * o for t, o in zip(traces, outputs, strict=True)), sum(outputs)))
        estimate = bootstrap([row for row in rows if row[1]], lambda means: means[..., 0] / means[..., 1])
        return replace(estimate, n=int(sum(outputs for _, outputs in rows)))

    def content(self, sample: Sample) -> list[Part]:
        details = sample.answer.details
        return [
            Part("Program C", "code", numbered(str(sample.doc["code"]))),
            Part("Input I", "code", str(sample.doc["input"])),
            _compared("Steps", _steps(sample, sample.doc), _steps(sample, details), _matches(trace.matching, sample)),
            output_of(sample),
            Part("Answer", "text", str(details.get("output") or "(none)"), aside=True),
        ]


def _where_wrong(matches: Sequence[bool], steps: int, name: str) -> str:
    """Return a text about the first error of an answer that is not right, to a question about so many steps."""
    right = right_steps(matches)
    if right == len(matches):
        return f"ends too early, all {name}s correct"
    if right >= steps:
        return f"goes on after the last {name}"
    return "incorrect later" if right else f"first {name} incorrect"


def _compared(title: str, labels: Sequence[str], answers: Sequence[str], matches: Sequence[bool]) -> Part:
    """Return a part with the labels and the answers next to each other, and a mark at the first difference."""
    first = right_steps(matches)
    rows = []
    for number, (label, answer) in enumerate(zip_longest(labels, answers, fillvalue=_NOTHING)):
        mark = "<- first error" if number == first else ""
        rows.append(f"{number + 1:>3}  {label:<30}  {answer:<30}  {mark}".rstrip())
    return Part(title, "text", "\n".join([f"     {'correct':<30}  answer", *rows]))


def _matches(matching: Callable[[Question, Answer], list[bool]], sample: Sample) -> list[bool]:
    return matching(Question.from_document(sample.doc), sample.answer)


def _steps(sample: Sample, fields: Mapping[str, Any]) -> list[str]:
    """Return the steps in a document, or in an answer, as texts: with the source of the line for lines."""
    lines, values = fields.get("lines", ()), fields.get("values", ())
    if sample.key.setting != trace.LINES:
        return [f"{line}: {value}" for line, value in zip(lines, values, strict=True)]
    code = [""] + [text.strip()[:25] for text in str(sample.doc["code"]).split("\n")]
    return [f"{line} {code[line]}" if line < len(code) else str(line) for line in lines]
