"""The view of DER results: the model's programs and the benchmark's programs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import gt
from statistics import fmean
from typing import Any

from more_itertools import map_reduce

from lm_eval_codemind.data.catalogue import Benchmark, benchmarks
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families.der import score as scores
from lm_eval_codemind.families.der.task import INPUT_SEED, Record, passes_by_problem, s_der_by_problem
from lm_eval_codemind.families.ier.view import ExecutionView
from lm_eval_codemind.families.table import Table, described, interval
from lm_eval_codemind.families.view import Part, Unit, answer_of, listing, output_of
from lm_eval_codemind.families.views import views
from lm_eval_codemind.questions import Key
from lm_eval_codemind.samples import Sample, TaskRun
from lm_eval_codemind.statistics import Estimate, mean, ratio


class DependentView(ExecutionView):
    """A unit is the model's programs that solve a problem: each with the benchmark's program, input, output, answer."""

    scores = ("S_DER",)
    outcomes = ("understands its program", "no answer", "incorrect output")
    reported = ("r_der", "s_der", "pass@1", "pass@1_suite")
    board = {"RDER": "r_der", "Pass1": "pass@1"}
    programs = {"C": ("complexity", "code"), "reference": ("reference_complexity", "reference")}

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        asked = [unit[0] for unit in super().units(samples) if _record(unit[0])["right"] is not None]
        return [tuple(unit) for unit in map_reduce(asked, lambda sample: sample.key.problem_id).values()]

    def unit_key(self, unit: Unit) -> Key:
        return super().unit_key(unit)._replace(item="")

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        """Return the share of the programs whose output is predicted right."""
        return {self.scores[0]: fmean(_record(sample)["right"] for sample in unit)}

    def type_match(self, unit: Unit) -> tuple[str, str | None, bool] | None:
        """Return the types of the outputs of the first program."""
        return super().type_match(unit[:1])

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        """Return a metric with its interval over problems; its size is the number of programs."""
        records = [_record(sample) for sample in samples if self.metric in sample.scores]
        counts = {"pass@1": "passed", "pass@1_suite": "passed_suite"}
        if metric == "s_der":
            rows = s_der_by_problem(records)
        elif metric in counts:
            rows = passes_by_problem(records, counts[metric])
        else:
            field = {"r_der": "right", "r_ier_same": "ier_same", "answered": "answered"}.get(metric, "")
            known = [record for record in records if record.get(field) is not None]
            by_problem = map_reduce(known, lambda record: record["problem_id"], lambda record: float(record[field]))
            rows = [(sum(values), len(values), 1) for values in by_problem.values()]
        problems = [(total, size) for total, size, number in rows for _ in range(round(number))]
        return replace(ratio(problems), n=sum(size for _, size in problems))

    def leaderboard_row(self, task: TaskRun, benchmark: Benchmark) -> dict[str, str]:
        """Return the row of the task that the programs come from, with the languages of a translation."""
        recorded = task.suite.get("first_stage") or {}
        row = super().leaderboard_row(task, benchmark)
        if recorded.get("family") not in views() or recorded.get("benchmark") not in benchmarks():
            return row
        first = views()[recorded["family"]].leaderboard_row(task, benchmarks()[recorded["benchmark"]])
        return {**first, "Task": row["Task"]}

    def reasons_against(self, task: TaskRun) -> list[str]:
        """Return why results may not be submitted: if the first stage was limited, or left nothing to ask."""
        recorded = task.suite.get("first_stage") or {}
        reasons = []
        if recorded.get("questions") != recorded.get("of"):
            reasons.append(
                f"the first stage is incomplete: {recorded.get('questions')} of {recorded.get('of')} problems"
            )
        if recorded.get("input_seed") != INPUT_SEED:
            reasons.append(f"not the default settings: input_seed is {recorded.get('input_seed')}")
        return reasons

    def findings(self, models: Mapping[str, Sequence[Unit]]) -> list[Table]:
        """Return R'_DER of several models, and how complex their programs and the benchmark's are."""
        return [_common(models), _complexity(models)]

    def parts(self, unit: Unit) -> list[Part]:
        return [part for sample in unit for part in super(DependentView, self).parts((sample,))]

    def content(self, sample: Sample) -> list[Part]:
        about = {None: "", 1.0: "its output on this input was predicted", 0.0: "its output was not predicted"}
        return [
            listing(sample, "The model's program", "code", aside=True),
            # After a translation this is the benchmark's program in the target language, if there is one.
            listing(sample, "The benchmark's program", "reference", True, about.get(sample.doc.get("ier_same"), "")),
            listing(sample, "Input I", "input"),
            output_of(sample, "Output of the model's program"),
            answer_of(sample),
        ]


def _record(sample: Sample) -> Record:
    record: Any = sample.scores["r_der"]
    if not isinstance(record, Mapping):
        raise UserError(f"{sample.key.within_task()}: its r_der is {record!r}, not a record; run the task again")
    return record


# -- tables over several runs


def _common(models: Mapping[str, Sequence[Unit]]) -> Table:
    rows = []
    for benchmark in dict.fromkeys(unit[0].key.benchmark for units in models.values() for unit in units):
        every = {model: _by_problem(units, benchmark) for model, units in models.items()}
        solved = {model: problems for model, problems in every.items() if problems}
        if len(solved) < 2:
            continue
        common, n = scores.r_der_common(solved)
        for model, rights in common.items():
            rows.append(
                {
                    "benchmark": benchmark,
                    "model": model,
                    **interval(mean(rights), "value"),
                    "value": scores.r_der(rights),
                    "own": scores.r_der(list(solved[model].values())),
                    "n": n,
                }
            )
    return described("r_der_common", rows)


def _by_problem(units: Sequence[Unit], benchmark: str) -> dict[Any, float]:
    samples = (sample for unit in units for sample in unit if sample.key.benchmark == benchmark)
    rights = map_reduce(
        samples, lambda sample: sample.key.problem_id, lambda sample: float(_record(sample)["right"]), scores.r_der
    )
    return dict(rights)


def _complexity(models: Mapping[str, Sequence[Unit]]) -> Table:
    rows = []
    columns = ("complexity", "reference_complexity")
    for model, units in models.items():
        for benchmark in dict.fromkeys(unit[0].key.benchmark for unit in units):
            docs = [sample.doc for unit in units for sample in unit if sample.key.benchmark == benchmark]
            docs = [doc for doc in docs if all(doc.get(column) for column in columns)]
            for name, title in (("cc", "CC"), ("loc", "LoC"), ("dep", "DEP"), ("nc", "NC")) if docs else ():
                own, reference = ([float(doc[column][name]) for doc in docs] for column in columns)
                rows.append(
                    {
                        "benchmark": benchmark,
                        "model": model,
                        "measure": title,
                        "own": scores.r_der(own),
                        "reference": scores.r_der(reference),
                        "more": sum(map(gt, own, reference)) / len(docs),
                        "n": len(docs),
                    }
                )
    return described("der_complexity", rows)
