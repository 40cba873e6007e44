"""The analyses of the paper, and some more, as tables."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from statistics import fmean
from typing import Any

from lm_eval_codemind.data.difficulties import difficulties
from lm_eval_codemind.families.table import Table, corrected, described, interval
from lm_eval_codemind.families.view import View, is_number
from lm_eval_codemind.families.views import views
from lm_eval_codemind.languages import CONSTRUCTS, OUTPUT_TYPES
from lm_eval_codemind.questions import Key
from lm_eval_codemind.results.association import spearman_of_groups
from lm_eval_codemind.results.associations import associations, on_same_problems, output_predictions, overlap
from lm_eval_codemind.results.observations import ALL, Observation, by_model, by_problem, by_view, distinct, grouped
from lm_eval_codemind.results.programs import MEASURES, between_languages, complexity, orders, written_programs
from lm_eval_codemind.results.ranking import ranks
from lm_eval_codemind.results.runs import Group, Run
from lm_eval_codemind.statistics import (
    Comparison,
    Estimate,
    adjusted_mean,
    compare_all,
    mean,
    problems_needed,
    proportion,
    smallest_difference,
    spearman,
    weighted_mean,
)

Row = dict[str, Any]

# Upper ends of the bins of loop length; the last bin is open.
LOOP_BINS: tuple[tuple[str, int, float], ...] = (
    ("0", 0, 0),
    ("1 to 5", 1, 5),
    ("6 to 10", 6, 10),
    ("11 to 20", 11, 20),
    ("21 to 50", 21, 50),
    ("51 to 100", 51, 100),
    ("over 100", 101, math.inf),
)

# Columns that sort problems into categories, and the name of such a category.
PROPERTIES = {"construct": "{}", "iterations": "loop iterations: {}", "type": "output type: {}"}


def analyses(runs: Sequence[Run], observations: Sequence[Observation]) -> list[Table]:
    """Return all tables that the runs give; analyses without data are left out."""
    scores, compared = summary(runs), comparisons(observations)
    tables = [
        overall(runs, scores),
        ranks(compared, observations),
        scores,
        adjusted(runs),
        correlations(observations),
        described("constructs", _means(observations, "construct", CONSTRUCTS)),
        described("loop_length", _means(observations, "iterations", [name for name, _, _ in LOOP_BINS])),
        by_output_type(observations),
        overlap(observations),
        associations(observations),
        output_predictions(observations),
        compared,
        *findings(observations),
        on_same_problems(observations),
        between_languages(observations),
        orders(observations),
        complexity(observations),
        written_programs(observations),
        hardest(observations),
    ]
    return [table for table in tables if table.rows]


def summary(runs: Sequence[Run], every: bool = True) -> Table:
    """Return each metric of each model on each task, as the harness reports it, with an interval from the samples.

    The interval is Wilson's for rates and the bootstrap's over problems for other scores. It is made of all samples
    that the score is averaged over, also of those whose other half is missing.

    Args:
        runs: The runs.
        every: Whether all metrics are wanted, or only those to report.
    """
    rows = []
    for view in views().values():
        for run in runs:
            for task, of in run.known_tasks:
                for name in view.metrics(task) if of.name == view.name else ():
                    if not every and name not in view.reported:
                        continue
                    estimate = view.estimate(task.scored_samples, name)
                    rows.append(
                        {
                            "family": view.title,
                            "task": task.task,
                            "model": run.label,
                            "metric": name,
                            "value": task.main_metrics[name].value,
                            "low": estimate.low,
                            "high": estimate.high,
                            "baseline": view.baseline(task.task, name),
                            "n": estimate.n,
                            "effective": task.effective,
                            "original": task.original,
                        }
                    )
    return described("summary", rows)


def overall(runs: Sequence[Run], scores: Table) -> Table:
    """Return the metrics to report of each group that the harness ran, and of the tasks that are in no group.

    ``scores`` is the :func:`summary` of the runs.
    """
    rows: list[Row] = []
    tasks_of: dict[tuple[str, str, str], dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for row in scores.rows:
        tasks_of[row["family"], row["metric"], row["model"]][row["task"]] = row
    groups_of: dict[str, list[Group]] = defaultdict(list)
    for run in runs:
        groups_of[run.label] += run.groups
    for view in views().values():
        for metric, model in product(view.reported, groups_of):
            tasks = tasks_of[view.title, metric, model]
            parts = [
                (group.name, group.metrics[metric], [tasks[task] for task in group.tasks])
                for group in groups_of[model]
                if metric in group.metrics and set(group.tasks) <= tasks.keys()
            ]
            in_groups = {row["task"] for _, _, members in parts for row in members}
            parts += [(task, row["value"], [row]) for task, row in tasks.items() if task not in in_groups]
            for name, value, members in parts:
                estimate, baseline = _of_group([row for row in members if not math.isnan(row["value"])])
                # The harness may weigh tasks otherwise; then the interval is not known.
                known = math.isclose(estimate.value, value, abs_tol=1e-12)
                rows.append(
                    {
                        "family": view.title,
                        "metric": metric,
                        "group": name,
                        "model": model,
                        "value": value,
                        "low": estimate.low if known else math.nan,
                        "high": estimate.high if known else math.nan,
                        "baseline": baseline,
                        "tasks": len(members),
                    }
                )
    return described("overall", [row for row in rows if not math.isnan(row["value"])])


def adjusted(runs: Sequence[Run]) -> Table:
    """Return, for each task of which a part was answered, the score of all its questions that difficulty predicts.

    A task has a row if it asks one question about each problem, and all their difficulties are known. A short form has
    none: its score is an estimate already.
    """
    rows = []
    for run in runs:
        for task, view in run.known_tasks:
            known = difficulties(view.family.asks_for, task.benchmark)
            samples = [sample for sample in task.scored_samples if sample.key.problem_id in known]
            if len(known) != task.suite.get("questions") or not 0 < len(samples) < len(known) or "short" in task.suite:
                continue
            mean_difficulty = fmean(wrong for wrong, *_ in known.values())
            for metric in view.reported:
                pairs = [
                    (sample.scores[metric], known[sample.key.problem_id][0])
                    for sample in samples
                    if is_number(sample.scores.get(metric))
                ]
                if pairs:
                    scores, of_scored = zip(*pairs, strict=True)
                    estimate = adjusted_mean(scores, of_scored, mean_difficulty, len(known))
                    what = {"task": task.task, "model": run.label, "metric": metric, "value": fmean(scores)}
                    counts = {"effective": len(scores), "original": len(known)}
                    rows.append({**what, **interval(estimate, "adjusted"), **counts})
    return described("adjusted", rows)


def correlations(observations: Sequence[Observation]) -> Table:
    """Return Spearman's rho of each complexity measure of each program with each score.

    The p values of one family, benchmark, model, program and score are corrected for the number of measures by Holm's
    method.
    """
    rows = []
    for view, where, cell in _cells(observations):
        for program, score in product(view.programs, view.scores):
            block: list[Row] = []
            for key, short in MEASURES.items():
                pairs = [
                    (value, o.scores[score], o.solved)
                    for o in cell
                    if (measures := o.programs[program]) and (value := getattr(measures, key)) is not None
                ]
                if not pairs:
                    continue
                values, scores, solved = (list(column) for column in zip(*pairs, strict=True))
                grouped = spearman_of_groups(values, solved).rho
                what = {**where, "score_name": score, "program": program, "measure": short}
                block.append({**what, **vars(spearman(values, scores)), "rho_grouped": grouped})
            rows += corrected(block)
    return described("correlations", rows)


def _means(observations: Sequence[Observation], column: str, names: Sequence[str]) -> list[Row]:
    """Return the mean scores of the problems in each of the named categories, by a column of :data:`PROPERTIES`."""
    rows = []
    for view, where, cell in _cells(observations):
        members: dict[str, list[Observation]] = defaultdict(list)
        for o in cell:
            for name in _categories(o)[column]:
                members[name].append(o)
        for score, category in product(view.scores, names):
            scores = [o.scores[score] for o in members[category]]
            if scores:
                what = {**where, "score_name": score, column: category}
                rows.append({**what, **interval(mean(scores), "score"), "n": len(scores)})
    return rows


def properties(o: Observation) -> list[str]:
    """Return the categories that a problem is in, by :data:`PROPERTIES`."""
    return [PROPERTIES[column].format(name) for column, names in _categories(o).items() for name in names]


def _categories(o: Observation) -> dict[str, Sequence[str]]:
    length = o.complexity.ll if o.complexity else None
    return {
        "construct": o.complexity.constructs if o.complexity else (),
        "iterations": [name for name, low, high in LOOP_BINS if length is not None and low <= length <= high],
        "type": [o.types[0]] if o.types else [],
    }


def by_output_type(observations: Sequence[Observation]) -> Table:
    """Return the shares of predicted outputs with the right type and with the right value, by type."""
    rows = []
    for _, where, cell in _cells(observations):
        for name in OUTPUT_TYPES:
            matches = [o.types for o in cell if o.types is not None and o.types[0] == name]
            if matches:
                types = proportion(sum(predicted == true for true, predicted, _ in matches), len(matches))
                values = proportion(sum(right for _, _, right in matches), len(matches))
                shares = interval(types, "type_match", "type_low", "type_high")
                shares |= interval(values, "value_match", "value_low", "value_high")
                rows.append({**where, "type": name, **shares, "n": len(matches)})
    return described("output_types", rows)


def comparisons(observations: Sequence[Observation], by_benchmark: bool = True) -> Table:
    """Return the paired comparison of every two models on the problems both ran, by family, score and benchmark.

    Questions about one problem are no independent ones: see :func:`by_problem`. The p values of one family, score and
    benchmark are corrected for the number of pairs of models by Holm's method.

    Args:
        observations: Those of the models.
        by_benchmark: Whether each benchmark has rows, besides those of all benchmarks together.
    """
    cells: dict[tuple[View, str], dict[str, dict[Key, Observation]]] = defaultdict(dict)
    for view, where, cell in _cells(observations):
        if by_benchmark or where["benchmark"] == ALL:
            cells[view, where["benchmark"]][where["model"]] = {o.key: o for o in cell}
    rows = []
    for (view, benchmark), models in cells.items():
        clustered = any(len({key[:2] for key in of_model}) < len(of_model) for of_model in models.values())
        for score in view.scores:
            block, pairs = [], []
            for (first, one), (second, other) in combinations(models.items(), 2):
                common = [key for key in one if key in other]
                if not common:
                    continue
                scores = [[of[key].scores[score] for key in common] for of in (one, other)]
                what = {"family": view.title, "score_name": score, "benchmark": benchmark}
                means = {"first_score": fmean(scores[0]), "second_score": fmean(scores[1])}
                if clustered:
                    scores = [by_problem([of[key] for key in common], score) for of in (one, other)]
                block.append({**what, "first": first, "second": second, **means})
                pairs.append((scores[0], scores[1]))
            results = zip(block, pairs, compare_all(pairs), strict=True)
            rows += corrected([{**row, **vars(one), **_power(*pair, one, len(pairs))} for row, pair, one in results])
    return described("comparisons", rows)


def _power(first: Sequence[float], second: Sequence[float], result: Comparison, tests: int) -> Row:
    """Return what difference the problems of a comparison show, and how many problems would show the one found."""
    discordance = fmean((one - other) ** 2 for one, other in zip(first, second, strict=True))
    return {
        "detectable": smallest_difference(discordance, result.n, tests),
        "needed": problems_needed(discordance, result.difference, tests),
    }


def hardest(observations: Sequence[Observation]) -> Table:
    """Return the problems of each family, those that fewest of the models solve first, then by their mean S score."""
    rows: list[Row] = []
    for view, of_view in by_view(observations):
        block: list[Row] = []
        for (benchmark, problem_id), group in grouped(of_view, lambda o: (o.benchmark, o.key.within_task())).items():
            complexity = group[0].complexity
            block.append(
                {
                    "family": view.title,
                    "benchmark": benchmark,
                    "problem_id": problem_id,
                    "score": sum(o.score for o in group) / len(group),
                    "solved": sum(o.solved for o in group),
                    "models": len(group),
                    "ties": 0,
                    "cc": complexity.cc if complexity else math.nan,
                    "loc": complexity.loc if complexity else math.nan,
                    "constructs": ", ".join(complexity.constructs) if complexity else "",
                }
            )
        ties = Counter(map(_hardness, block))
        rows += [{**row, "ties": ties[_hardness(row)] - 1} for row in sorted(block, key=_hardest_first)]
    return described("problems", rows)


def _hardness(row: Row) -> tuple[float, float]:
    return row["solved"] / row["models"], row["score"]


def _hardest_first(row: Row) -> tuple[Any, ...]:
    # Of equally hard problems those that most models tried come first, then those with the simplest program.
    size = [math.inf if math.isnan(row[name]) else row[name] for name in ("cc", "loc")]
    return *_hardness(row), -row["models"], *size, natural(row["problem_id"])


def natural(name: str) -> list[tuple[bool, int, str]]:
    """Return a key that sorts names as readers do: ``HumanEval_2`` comes before ``HumanEval_10``."""
    return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", name)]


def findings(observations: Sequence[Observation]) -> list[Table]:
    """Return the tables that only one family has, made by the families themselves."""
    tables: list[Table] = []
    for view, of_view in by_view(observations):
        tables += view.findings({model: [o.unit for o in of_model] for model, of_model in by_model(of_view).items()})
    return [table for table in tables if table.rows]


def _cells(observations: Sequence[Observation]) -> Iterator[tuple[View, Row, list[Observation]]]:
    """Yield the observations by family, benchmark and model, those of all benchmarks of a family together first."""
    models = distinct(o.model for o in observations)
    for view, of_view in by_view(observations):
        for benchmark, cell in {ALL: of_view, **grouped(of_view, lambda o: o.benchmark)}.items():
            of_model = by_model(cell)
            for model in models:
                if model in of_model:
                    yield view, {"family": view.title, "benchmark": benchmark, "model": model}, of_model[model]


def _of_group(rows: Sequence[Mapping[str, Any]]) -> tuple[Estimate, float]:
    """Return the weighted mean of some tasks' scores, and that of their baselines.

    A task weighs as much as its metric is averaged over, as in the harness's group.
    """
    weights = [row["n"] or row["effective"] for row in rows]
    estimate = weighted_mean([Estimate(row["value"], row["low"], row["high"], row["n"]) for row in rows], weights)
    baselines = [Estimate(row["baseline"], math.nan, math.nan, 0) for row in rows]
    return estimate, weighted_mean(baselines, weights).value
