"""The view of results on REval's own questions."""

from collections.abc import Mapping, Sequence
from math import nan
from statistics import fmean, stdev
from typing import Any

from lm_eval_codemind.families.runtime.items import COVERAGE, OUTPUT, PATH, STATE, items
from lm_eval_codemind.families.runtime.score import score
from lm_eval_codemind.families.runtime.view import RuntimeView, items_of
from lm_eval_codemind.families.table import Table, described
from lm_eval_codemind.families.view import Unit
from lm_eval_codemind.samples import Sample


class PublishedRuntimeView(RuntimeView):
    """REval asks all four questions about each line, so that its items have a consistency."""

    scores = ("IC", "coverage", "state", "path", "output")
    reported = ("ic",)

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        """Return the samples program by program; programs of which no item has all its answers are left out."""
        return [unit for unit in super().units(samples) if items_of(unit, "ic")]

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        """Return the means over the program's items; of outputs over its inputs."""
        answered = items_of(unit, "ic")
        means = {name: score(name, answered) for name in (COVERAGE, STATE, PATH)}
        return {"IC": score("ic", answered), **means, "output": score("output", items_of(unit, OUTPUT))}

    def findings(self, models: Mapping[str, Sequence[Unit]]) -> list[Table]:
        """Return REval's average of the four accuracies and the consistency, each with its deviation over repeats."""
        rows = []
        for model, units in models.items():
            samples = [sample for unit in units for sample in unit]
            repeats = [_repeat(samples, number) for number in range(min(map(_responses, samples)))]
            averages = [fmean(values[:4]) for values in repeats]
            row = {"model": model, "average": fmean(averages), "average_sd": _deviation(averages)}
            consistencies = [values[4] for values in repeats]
            row |= {"ic": fmean(consistencies), "ic_sd": _deviation(consistencies), "repeats": len(repeats)}
            rows.append(row)
        return [described("reval_average", rows)]


def _records(sample: Sample) -> dict[str, Mapping[str, Any]]:
    return {metric: record for metric, record in sample.scores.items() if isinstance(record, Mapping)}


def _responses(sample: Sample) -> int:
    return min((len(record["right"]) for record in _records(sample).values()), default=0)


def _repeat(samples: Sequence[Sample], number: int) -> list[float]:
    """Return the accuracies of the four kinds of questions and the consistency in one of the repeats, in percent."""
    values = []
    for metric in (COVERAGE, STATE, PATH, OUTPUT, "ic"):
        records = [record for sample in samples if (record := _records(sample).get(metric))]
        of_repeat = [
            {**record, **{name: record[name][number : number + 1] for name in ("right", "said_executed")}}
            for record in records
        ]
        values.append(100 * score(metric, items(of_repeat, metric)))
    return values


def _deviation(values: Sequence[float]) -> float:
    return stdev(values) if len(values) > 1 else nan
