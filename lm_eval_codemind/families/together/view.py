"""The view of results on runtime behaviour with one request a program."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lm_eval_codemind.families.runtime.task import RUNTIME
from lm_eval_codemind.families.runtime.view import RuntimeView
from lm_eval_codemind.families.together.task import answers_of
from lm_eval_codemind.families.view import Part, Unit, exchange
from lm_eval_codemind.samples import Sample

# The metrics of a request, not of one of its questions.
_OF_REQUESTS = ("answered", "complete")


class TogetherView(RuntimeView):
    """A unit is a program. Each of its questions is a sample of its own, like those of ``codemind_runtime``."""

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        """Return the questions of each sample that has scores."""
        return [tuple(separated(sample)) for sample in samples if _OF_REQUESTS[0] in sample.scores]

    def parts(self, unit: Unit) -> list[Part]:
        return [*self.programs_with_answers(unit), *exchange(unit[0])]


def separated(sample: Sample) -> list[Sample]:
    """Return a sample for each question of a request; the first has the scores of the request as well."""
    answers = [answers_of(answer) for answer in sample.answers]
    of_request = {name: sample.scores[name] for name in _OF_REQUESTS}
    return [
        replace(
            sample,
            doc={**sample.doc, **columns},
            answers=tuple(of_repeat[number] for of_repeat in answers),
            scores={**_records(sample, columns), **(of_request if number == 0 else {})},
        )
        for number, columns in enumerate(sample.doc["questions"])
    ]


def _records(sample: Sample, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the records of a question by metric."""
    place = [columns[name] for name in ("setting", "run", "line")]
    return {
        metric: record
        for metric in RUNTIME.joint_metrics
        for record in sample.scores[metric]
        if [record[name] for name in ("setting", "run", "line")] == place
    }
