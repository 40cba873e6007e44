"""The views of results of translation."""

from collections.abc import Sequence

from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.families.pairs_view import both_programs, difference, exchanges
from lm_eval_codemind.families.sr.score import s_sr
from lm_eval_codemind.families.sr.view import MisleadingView, SpecificationView
from lm_eval_codemind.families.translation.task import cause, target_language
from lm_eval_codemind.families.view import Part, Unit, View, answer_of, listing, outcome_of
from lm_eval_codemind.languages import get_language
from lm_eval_codemind.questions import Answer
from lm_eval_codemind.samples import Sample, TaskRun
from lm_eval_codemind.statistics import Estimate, ratio


class _Translated(View):
    """A view whose row of the leaderboard has both languages, and the benchmark's name without its language."""

    def leaderboard_row(self, task: TaskRun, benchmark: Benchmark) -> dict[str, str]:
        row = super().leaderboard_row(task, benchmark)
        source, target = (get_language(name).title for name in (benchmark.language, target_language(benchmark)))
        dataset = benchmark.title.removesuffix(source).strip()
        return {**row, "Dataset": dataset, "Gtask": "translate", "src": source, "tgt": target}


class TranslationView(_Translated, SpecificationView):
    """Original, test, both translations and what differs between them."""

    reported = ("pass@1_no_test", "pass@1_with_test", "pass@1_no_test_suite", "pass@1_with_test_suite")

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        if metric == "gained":
            pairs = [self.passed(unit) for unit in self.units(samples)]
            return ratio([(s_sr(*pair), 1 - pair[0]) for pair in pairs if pair[0] < 1])
        return super().estimate(samples, metric)

    def outcome(self, unit: Unit) -> str:
        """Return the outcome of a problem; where neither translation passes, why the one with the test fails."""
        outcome = super().outcome(unit)
        return f"neither: {_failure(unit[1].answer)}" if outcome == "neither passes" else outcome

    def parts(self, unit: Unit) -> list[Part]:
        without, with_test = unit
        return [
            listing(without, "Original", "code"),
            Part("Test t", "text", str(with_test.doc.get("test", ""))),
            *both_programs(unit, str(without.doc.get("target_language", ""))),
            difference(unit),
            *exchanges(unit),
        ]


class MisleadingTranslationView(_Translated, MisleadingView):
    """One translation per program, written with a test that contradicts the program."""

    def outcome(self, unit: Unit) -> str:
        outcome = super().outcome(unit)
        return outcome if self.solved(unit) else f"{outcome}: {_failure(unit[0].answer)}"

    def content(self, sample: Sample) -> list[Part]:
        return [
            listing(sample, "Original", "code"),
            Part("Misleading test", "text", str(sample.doc.get("test", ""))),
            answer_of(sample, "code", "Code", str(sample.doc.get("target_language", ""))),
            outcome_of(sample),
        ]


def _failure(answer: Answer) -> str:
    return cause(answer).replace("_", " ") or ("no code" if answer.text is None else "")
