"""The view of results by level of state."""

from collections.abc import Iterable, Mapping, Sequence

from lm_eval_codemind.data.facts.horizon import BOUNDS, PER_LEVEL
from lm_eval_codemind.families.horizon.score import State, horizon
from lm_eval_codemind.families.horizon.task import HORIZON_METRIC, LEVELS
from lm_eval_codemind.families.ier.view import ExecutionView
from lm_eval_codemind.families.table import Table, described
from lm_eval_codemind.families.view import Unit
from lm_eval_codemind.samples import Sample, TaskRun
from lm_eval_codemind.statistics import Estimate, mean

TASK = "codemind_horizon"


class HorizonView(ExecutionView):
    """IER's view, with a table and a figure by level."""

    reported = ("r_ier", *LEVELS)

    def metrics(self, task: TaskRun) -> tuple[str, ...]:
        """Return the shares. The horizon, in characters, has a table of its own."""
        return tuple(name for name in super().metrics(task) if name != HORIZON_METRIC)

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        if metric != HORIZON_METRIC:
            return super().estimate(samples, metric)
        return _horizon(self.units(samples))

    def reasons_against(self, task: TaskRun) -> list[str]:
        """Return why results may not be submitted: if a part of the questions was asked."""
        asked = task.suite["horizon"]["per_level"]
        return [] if asked == PER_LEVEL else [f"not the default settings: per_level is {asked}"]

    def cited(self, samples: Iterable[Sample]) -> list[str]:
        estimate = _horizon(self.units(list(samples)))
        value, low, high = map(State, (estimate.value, estimate.low, estimate.high))
        return [f"horizon {value} characters of state (95% interval {low} to {high})"]

    def findings(self, models: Mapping[str, Sequence[Unit]]) -> list[Table]:
        """Return the horizon of each model, and its scores level by level."""
        horizons, levels = [], []
        for model, units in models.items():
            estimate = _horizon(units)
            numbers = {"horizon": estimate.value, "low": estimate.low, "high": estimate.high}
            numbers["baseline"] = self.baseline(TASK, HORIZON_METRIC)
            states = {name: State(number) for name, number in numbers.items()}
            horizons.append({"model": model, **states, "n": estimate.n})
            for level, (name, bound) in enumerate(zip(LEVELS, BOUNDS, strict=True), start=1):
                at_level = [unit for unit in units if unit[0].doc["level"] == level]
                share = mean([self.unit_scores(unit)["S_IER"] for unit in at_level])
                tokens = [unit[0].answer.details.get("tokens") for unit in at_level]
                known = [number for number in tokens if number is not None]
                lengths = [len(text) for unit in at_level for texts in unit[0].responses for text in texts]
                levels.append(
                    {
                        "model": model,
                        "state": f"{bound:,}",
                        "value": share.value,
                        "low": share.low,
                        "high": share.high,
                        "baseline": self.baseline(TASK, name),
                        "tokens": sum(known) / len(known) if known and len(known) == len(tokens) else float("nan"),
                        "characters": sum(lengths) / len(lengths) if lengths else float("nan"),
                        "n": share.n,
                    }
                )
        return [described("horizon", horizons), described("horizon_levels", levels)]


def _horizon(units: Sequence[Unit]) -> Estimate:
    states = [unit[0].doc["state"] for unit in units]
    return horizon(states, [float(unit[0].scores["r_ier"]) for unit in units])
