"""The view of results on traces: the program, and the steps with the first wrong one marked."""

from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_codemind.families.trace import LINES, RIGHT_REASON, by_response, matching
from lm_eval_codemind.prompts.templates import numbered
from lm_eval_codemind.questions import Question
from lm_eval_codemind.questions.samples import Sample
from lm_eval_codemind.scores.statistics import Estimate, bootstrap
from lm_eval_codemind.views.flow import compared, where_wrong
from lm_eval_codemind.views.view import Part, Unit, View, exchange


class TraceView(View):
    """A unit is the execution of a program on its input."""

    reported = ("trace", "prefix", "output", RIGHT_REASON, "lucky")

    def outcome(self, unit: Unit) -> str:
        (sample,) = unit
        output = f"{'right' if self.predicts(unit) else 'wrong'} output"
        if self.solved(unit):
            return f"right trace, {output}"
        if sample.answer.found is None:
            return f"no trace, {output}"
        return f"{where_wrong(_matches(sample), len(sample.doc['lines']), 'step')}, {output}"

    def predicts(self, unit: Unit) -> bool | None:
        return bool(unit[0].scores.get("output", 0) >= 1)

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        """Return a metric with its interval; of a share of right outputs that of a bootstrap over problems."""
        if metric != RIGHT_REASON:
            return super().estimate(samples, metric)
        rows = []
        for sample in samples:
            record = sample.scores.get(metric)
            if isinstance(record, Mapping):
                traces, outputs, _ = by_response([record])
                rows.append((sum(t * o for t, o in zip(traces, outputs, strict=True)), sum(outputs)))
        return bootstrap([row for row in rows if row[1]], lambda means: means[..., 0] / means[..., 1])

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        details = sample.answer.details
        return [
            Part("Program C", "code", numbered(str(sample.doc["code"]))),
            Part("Input I", "code", str(sample.doc["input"])),
            compared("Steps", _steps(sample, sample.doc), _steps(sample, details), _matches(sample)),
            Part("Label C(I)", "text", str(sample.doc["output"]) or "(empty)", aside=True),
            Part("Answer", "text", str(details.get("output") or "(none)"), aside=True),
            *exchange(sample),
        ]


def _matches(sample: Sample) -> list[bool]:
    return matching(Question.from_document(sample.doc), sample.answer)


def _steps(sample: Sample, fields: Mapping[str, Any]) -> list[str]:
    """Return the steps in a document, or in an answer, as texts: with the source of the line for lines."""
    lines, values = fields.get("lines", ()), fields.get("values", ())
    if sample.key.setting != LINES:
        return [f"{line}: {value}" for line, value in zip(lines, values, strict=True)]
    code = [""] + [text.strip()[:25] for text in str(sample.doc["code"]).split("\n")]
    return [f"{line} {code[line]}" if line < len(code) else str(line) for line in lines]
