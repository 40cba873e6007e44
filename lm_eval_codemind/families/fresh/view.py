"""The view of results on published and fresh inputs."""

from collections.abc import Mapping, Sequence
from typing import Any

from more_itertools import map_reduce

from lm_eval_codemind.families.fresh.task import GAP, ORIGINAL, R_FRESH, R_ORIGINAL, SCORES, by_problem
from lm_eval_codemind.families.ier.view import ExecutionView
from lm_eval_codemind.families.table import Table, described
from lm_eval_codemind.families.view import Part, Unit, answer_of, exchange, listing, output_of
from lm_eval_codemind.questions import Key
from lm_eval_codemind.samples import Sample
from lm_eval_codemind.statistics import Estimate, bootstrap, compare

_ALL = "all"


class FreshView(ExecutionView):
    """A unit is a problem: its sample on the original input, then those on fresh ones."""

    scores = ("S_fresh", "S_original")
    reported = (R_FRESH, GAP)

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        """Return the samples problem by problem, the original input first; incomplete problems are left out."""
        scored = (sample for sample in samples if GAP in sample.scores)
        problems = map_reduce(scored, lambda sample: (sample.key.benchmark, sample.key.problem_id))
        sorted_units = (tuple(sorted(of, key=lambda sample: sample.key.item != ORIGINAL)) for of in problems.values())
        return [unit for unit in sorted_units if len(unit) > 1 and unit[0].key.item == ORIGINAL]

    def unit_key(self, unit: Unit) -> Key:
        return unit[0].key._replace(setting="", item="")

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        original, *fresh = (_right(sample) for sample in unit)
        return {"S_fresh": SCORES[R_FRESH](original, fresh), "S_original": original}

    def outcome(self, unit: Unit) -> str:
        original, *fresh = (_right(sample) >= 1 for sample in unit)
        if original:
            return (
                "correct on all" if all(fresh) else "correct on some" if any(fresh) else "correct on the original only"
            )
        return "correct on fresh only" if any(fresh) else "correct on none"

    def type_match(self, unit: Unit) -> tuple[str, str | None, bool] | None:
        return None

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        """Return a metric with the interval of a bootstrap over problems."""
        if metric not in SCORES:
            return super().estimate(samples, metric)
        pairs = by_problem(_record(sample) for unit in self.units(samples) for sample in unit).values()
        lowest = -1.0 if metric == GAP else 0.0
        return bootstrap([(SCORES[metric](*pair),) for pair in pairs], lambda means: means[..., 0], lowest)

    def findings(self, models: Mapping[str, Sequence[Unit]]) -> list[Table]:
        """Return the gap of each model by benchmark, and the problems that it knows on the original input only."""
        gaps, remembered = [], []
        for model, units in models.items():
            for benchmark in [*dict.fromkeys(unit[0].key.benchmark for unit in units), _ALL]:
                own = [unit for unit in units if benchmark in (_ALL, unit[0].key.benchmark)]
                original, fresh = ([self.unit_scores(unit)[name] for unit in own] for name in ("S_original", "S_fresh"))
                gap = compare(original, fresh)
                only = [unit for unit in own if self.outcome(unit) == "correct on the original only"]
                gaps.append(
                    {
                        "model": model,
                        "benchmark": benchmark,
                        R_ORIGINAL: sum(original) / gap.n,
                        R_FRESH: sum(fresh) / gap.n,
                        GAP: gap.difference,
                        "low": gap.low,
                        "high": gap.high,
                        "p": gap.p,
                        "original_only": len(only),
                        "n": gap.n,
                    }
                )
                if only and benchmark != _ALL:
                    names = ", ".join(unit[0].key.problem_id for unit in only)
                    remembered.append({"model": model, "benchmark": benchmark, "problems": names})
        return [described("contamination_gap", gaps), described("original_only", remembered)]

    def parts(self, unit: Unit) -> list[Part]:
        parts = [listing(unit[0], "Program C", "code")]
        for sample in unit:
            name = sample.key.item.replace("_", " ")
            parts += [
                listing(sample, f"Input I, {name}", "input"),
                output_of(sample, f"Label C(I), {name}"),
                answer_of(sample, title=f"Answer, {name}"),
            ]
        return parts + [part for sample in unit for part in exchange(sample, f" ({sample.key.item})")]


def _record(sample: Sample) -> dict[str, Any]:
    record: Any = sample.scores[GAP]
    return {**record, "problem_id": f"{sample.key.benchmark}/{record['problem_id']}"}


def _right(sample: Sample) -> float:
    return float(sample.scores[GAP]["right"])
