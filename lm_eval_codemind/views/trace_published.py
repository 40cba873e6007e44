"""The view of published traces: each program with the executed lines and those of the answer."""

from collections.abc import Sequence

from lm_eval_codemind.families.trace_published import rights_by_program
from lm_eval_codemind.prompts.templates import numbered
from lm_eval_codemind.questions.samples import Sample
from lm_eval_codemind.scores.statistics import Estimate, mean
from lm_eval_codemind.scores.trace_published import collapsed, program_hard, program_mean
from lm_eval_codemind.views.view import Part, Unit, View, answer_of, exchange, listing

_OVER_PROGRAMS = {"mean": program_mean, "hard": program_hard, "mean_plain": program_mean, "hard_plain": program_hard}


class CoconutView(View):
    """A unit is a call."""

    reported = ("mean", "hard", "trace")

    def outcome(self, unit: Unit) -> str:
        if self.solved(unit):
            return "right trace"
        return "no answer" if unit[0].answer.found is None else "wrong trace"

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        if metric not in _OVER_PROGRAMS:
            return super().estimate(samples, metric)
        programs = rights_by_program(sample.scores[metric] for sample in samples)
        return mean([_OVER_PROGRAMS[metric](rights) for rights in programs])

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        return [
            Part("Program C", "code", numbered(str(sample.doc["code"])), language="python"),
            Part("Arguments", "code", str(sample.doc["arguments"])),
            Part("Executed lines", "text", str(collapsed(sample.doc["lines"])), aside=True),
            answer_of(sample),
            *exchange(sample),
        ]


class CesView(View):
    """A unit is an input."""

    reported = ("output", "coherent", "trace", "right_for_the_right_reason")

    def outcome(self, unit: Unit) -> str:
        right = unit[0].scores.get("trace")
        trace = "no trace asked" if right is None else "right trace" if right else "wrong trace"
        return f"{'right' if self.solved(unit) else 'wrong'} output, {trace}"

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        return [
            listing(sample, "Program C", "code", aside=True),
            answer_of(sample, "code", "Annotated program"),
            listing(sample, "Input I", "input"),
            Part("Output C(I)", "text", str(sample.doc["output"]), aside=True),
            Part("Stated output", "text", str(sample.answer.details.get("output") or "(none)"), aside=True),
            *exchange(sample),
        ]
