"""The views of results on CoCoNUT and CES."""

from collections.abc import Sequence

from lm_eval_codemind.families.view import Part, Unit, View, answer_of, listing
from lm_eval_codemind.harness.templates import numbered
from lm_eval_codemind.samples import Sample
from lm_eval_codemind.statistics import Estimate, mean
from lm_eval_codemind.studies.traces.score import collapsed, program_hard, program_mean
from lm_eval_codemind.studies.traces.task import rights_by_program

_OVER_PROGRAMS = {"mean": program_mean, "hard": program_hard, "mean_plain": program_mean, "hard_plain": program_hard}


class CoconutView(View):
    """A unit is a call of a program whose published trace is asked for."""

    reported = ("mean", "hard", "trace")
    outcomes = ("right trace", "no answer", "wrong trace")

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        if metric not in _OVER_PROGRAMS:
            return super().estimate(samples, metric)
        programs = rights_by_program(sample.scores[metric] for sample in samples)
        return mean([_OVER_PROGRAMS[metric](rights) for rights in programs])

    def content(self, sample: Sample) -> list[Part]:
        return [
            Part("Program C", "code", numbered(str(sample.doc["code"])), language="python"),
            Part("Arguments", "code", str(sample.doc["arguments"])),
            Part("Executed lines", "text", str(collapsed(sample.doc["lines"])), aside=True),
            answer_of(sample),
        ]


class CesView(View):
    """A unit is an input of a program that is annotated."""

    reported = ("output", "coherent", "trace", "right_for_the_right_reason")

    def outcome(self, unit: Unit) -> str:
        right = unit[0].scores.get("trace")
        trace = "no trace asked" if right is None else "right trace" if right else "wrong trace"
        return f"{'right' if self.solved(unit) else 'wrong'} output, {trace}"

    def content(self, sample: Sample) -> list[Part]:
        return [
            listing(sample, "Program C", "code", aside=True),
            answer_of(sample, "code", "Annotated program"),
            listing(sample, "Input I", "input"),
            Part("Output C(I)", "text", str(sample.doc["output"]), aside=True),
            Part("Stated output", "text", str(sample.answer.details.get("output") or "(none)"), aside=True),
        ]
