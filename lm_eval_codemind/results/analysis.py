"""The analyses of the paper, and some more, as tables computed from what was observed."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import TypeVar

from lm_eval_codemind.languages import CONSTRUCTS, OUTPUT_TYPES
from lm_eval_codemind.questions import Key
from lm_eval_codemind.questions.samples import Sample
from lm_eval_codemind.results.associations import ProblemKey, associations, output_predictions, solved_by_family
from lm_eval_codemind.results.observations import Facts, Observation
from lm_eval_codemind.results.runs import Run
from lm_eval_codemind.results.same_problems import on_same_problems
from lm_eval_codemind.results.tables import Column, Table
from lm_eval_codemind.scores.association import spearman_of_groups
from lm_eval_codemind.scores.statistics import compare, holm, mean, proportion, spearman
from lm_eval_codemind.views import Unit, View, views

ALL = "all"

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

# Attribute of Complexity -> its name in the paper and in words.
MEASURES: dict[str, tuple[str, str]] = {
    "cc": ("CC", "cyclomatic complexity"),
    "loc": ("LoC", "lines of code"),
    "dep": ("DEP", "dependencies"),
    "nc": ("NC", "nested constructs"),
    "ll": ("LL", "loop length"),
}

_FAMILY = Column("family", "Family")
_SCORE = Column("score_name", "Score")
_BENCHMARK = Column("benchmark", "Benchmark")
_MODEL = Column("model", "Model")
_N = Column("n", "n", "count")
_LOW, _HIGH = Column("low", "95% from", "percent"), Column("high", "to", "percent")

_T = TypeVar("_T")
Cell = tuple[View, str, str]


def analyses(runs: Sequence[Run], observations: Sequence[Observation]) -> list[Table]:
    """Return all tables that the runs give; analyses without data are left out."""
    facts = [observation.facts for observation in observations]
    tables = [
        summary(runs, observations),
        correlations(facts),
        by_construct(facts),
        by_loop_length(facts),
        by_output_type(facts),
        overlap(facts),
        associations(facts),
        output_predictions(facts),
        comparisons(facts),
        *findings(observations),
        on_same_problems(facts),
        hardest(facts),
    ]
    return [table for table in tables if table.rows]


def summary(runs: Sequence[Run], observations: Sequence[Observation]) -> Table:
    """Return each model's R score on each task, as the harness reports it, with an interval from the samples.

    The interval is Wilson's for rates and the bootstrap's over problems for other scores.
    """
    samples: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for observation in observations:
        samples[observation.facts.model, observation.facts.task].extend(observation.unit)
    rows = []
    for view in views().values():
        for run in runs:
            for task, of in run.known_tasks:
                if of != view:
                    continue
                for name in view.metrics(task):
                    if name not in task.main_metrics:
                        continue
                    estimate = view.estimate(samples[run.label, task.task], name)
                    rows.append(
                        (
                            view.title,
                            task.task,
                            run.label,
                            name,
                            task.main_metrics[name].value,
                            estimate.low,
                            estimate.high,
                            view.baseline(task.task, name),
                            task.effective,
                            task.original,
                        )
                    )
    return Table(
        "summary",
        "Scores",
        "Scores as the harness reports them; 95% intervals over problems (Wilson for rates, bootstrap for the rest). "
        "Baseline: the best score of answers that need no execution.",
        (
            _FAMILY,
            Column("task", "Task"),
            _MODEL,
            Column("metric", "Metric"),
            Column("value", "Score", "percent"),
            _LOW,
            _HIGH,
            Column("baseline", "Baseline", "percent"),
            Column("effective", "Documents", "count"),
            Column("original", "of", "count"),
        ),
        tuple(rows),
    )


def correlations(facts: Sequence[Facts]) -> Table:
    """Return Spearman's rho of each complexity measure of each program with each score.

    The p values of one family, benchmark, model, program and score are corrected for the number of measures by Holm's
    method.
    """
    rows = []
    for (view, benchmark, model), cell in _cells(facts):
        for program, score in product(view.programs, view.scores):
            block = []
            for key, (short, _) in MEASURES.items():
                found = [
                    (value, o.scores[score], o.solved)
                    for o in cell
                    if (program_of := o.programs[program]) and (value := getattr(program_of, key)) is not None
                ]
                values = [value for value, _, _ in found]
                by_value = spearman_of_groups(values, [solved for _, _, solved in found])
                block.append((short, spearman(values, [of for _, of, _ in found]), by_value.rho))
            for (short, result, grouped), corrected in zip(block, holm([one.p for _, one, _ in block]), strict=True):
                if result.n:
                    what = (view.title, score, benchmark, model, program, short)
                    rows.append((*what, result.rho, result.low, result.high, result.p, corrected, grouped, result.n))
    return Table(
        "correlations",
        "Complexity against the scores",
        "Spearman's rank correlation of each measure of the program with the score of the problem, with its 95% "
        "interval (Bonett and Wright); below 0: the more complex, the lower the score. Corrected: Holm, over the "
        "measures. Grouped: the paper's own form and another quantity: it correlates a "
        "value with the success rate of all problems that have it (the ten smallest values). "
        + "; ".join(f"{short}: {title}" for short, title in MEASURES.values())
        + ".",
        (
            _FAMILY,
            _SCORE,
            _BENCHMARK,
            _MODEL,
            Column("program", "Program"),
            Column("measure", "Measure"),
            Column("rho", "rho", "number"),
            Column("low", "95% from", "number"),
            Column("high", "to", "number"),
            Column("p", "p", "p"),
            Column("p_corrected", "p corrected", "p"),
            Column("rho_grouped", "rho, grouped by value", "number"),
            _N,
        ),
        tuple(rows),
    )


def by_construct(facts: Sequence[Facts]) -> Table:
    """Return the mean scores of the problems whose program has a construct, by construct tag."""
    return _means(
        facts,
        "constructs",
        "Success by construct",
        "Mean score of the problems whose program uses a construct; a program counts under each construct it uses, "
        "and under basic where it uses none.",
        Column("construct", "Construct"),
        CONSTRUCTS,
        lambda o: o.complexity.constructs if o.complexity else (),
    )


def by_loop_length(facts: Sequence[Facts]) -> Table:
    """Return the mean scores of the problems by the number of loop iterations that their program makes."""

    def bins(o: Facts) -> tuple[str, ...]:
        length = o.complexity.ll if o.complexity else None
        return () if length is None else tuple(name for name, low, high in LOOP_BINS if low <= length <= high)

    return _means(
        facts,
        "loop_length",
        "Success by loop length",
        "Mean score of the problems by LL, the loop iterations that the program makes on its input.",
        Column("iterations", "Loop iterations"),
        [name for name, _, _ in LOOP_BINS],
        bins,
    )


def by_output_type(facts: Sequence[Facts]) -> Table:
    """Return how often the predicted output has the type of the true one, and its value, by that type."""
    rows = []
    for (view, benchmark, model), cell in _cells(facts):
        for name in OUTPUT_TYPES:
            matches = [o.types for o in cell if o.types is not None and o.types[0] == name]
            if matches:
                types = proportion(sum(predicted == true for true, predicted, _ in matches), len(matches))
                values = proportion(sum(right for _, _, right in matches), len(matches))
                rows.append(
                    (
                        view.title,
                        benchmark,
                        model,
                        name,
                        types.value,
                        types.low,
                        types.high,
                        values.value,
                        values.low,
                        values.high,
                        len(matches),
                    )
                )
    return Table(
        "output_types",
        "Type match and value match by output type",
        "Share of problems whose predicted output has the type of the true one, and its value, by the type of the "
        "true output, with 95% intervals (Wilson).",
        (
            _FAMILY,
            _BENCHMARK,
            _MODEL,
            Column("type", "Output type"),
            Column("type_match", "Type match", "percent"),
            Column("type_low", "95% from", "percent"),
            Column("type_high", "to", "percent"),
            Column("value_match", "Value match", "percent"),
            Column("value_low", "95% from", "percent"),
            Column("value_high", "to", "percent"),
            _N,
        ),
        tuple(rows),
    )


def overlap(facts: Sequence[Facts]) -> Table:
    """Return, for each set of families, how many problems a model solves in exactly these of the families it ran.

    Only problems that all the families of a benchmark have in common are counted. Problems of the smallest set, at
    most ten, are named.
    """
    rows = []
    for model in _unique(o.model for o in facts):
        in_overlap = [o for o in facts if o.view.variant.in_overlap]
        verdicts: dict[ProblemKey, dict[str, bool]] = defaultdict(dict)
        for title, of_family in solved_by_family(in_overlap, model).items():
            for problem, solved in of_family.items():
                verdicts[problem][title] = solved
        for benchmark in [*_unique(b for b, _ in verdicts), ALL]:
            problems = {key: found for key, found in verdicts.items() if benchmark in (ALL, key[0])}
            names_here = [f.title for f in views().values() if any(f.title in found for found in problems.values())]
            common = {key[1]: found for key, found in problems.items() if len(found) == len(names_here)}
            if len(names_here) < 2 or not common:
                continue
            for size in range(len(names_here) + 1):
                for chosen in combinations(names_here, size):
                    names = [name for name, found in common.items() if {f for f in found if found[f]} == set(chosen)]
                    share = proportion(len(names), len(common))
                    rows.append(
                        (
                            benchmark,
                            model,
                            " + ".join(chosen) or "none",
                            len(names),
                            share.value,
                            share.low,
                            share.high,
                            len(common),
                            ", ".join(names[:10]),
                        )
                    )
    return Table(
        "overlap",
        "Problems solved under each set of tasks",
        "Problems that the families have in common, by the set of families under which the model solves them: what "
        "one family alone finds out shows in the rows with a single name.",
        (
            _BENCHMARK,
            _MODEL,
            Column("solved_under", "Solved under exactly"),
            Column("problems", "Problems", "count"),
            Column("share", "Share", "percent"),
            _LOW,
            _HIGH,
            _N,
            Column("examples", "Such as"),
        ),
        tuple(rows),
    )


def comparisons(facts: Sequence[Facts]) -> Table:
    """Return the paired comparison of every two models on the problems both ran, by family, score and benchmark.

    The p values of one family, score and benchmark are corrected for the number of pairs of models by Holm's method.
    """
    rows = []
    models = _unique(o.model for o in facts)
    for view in views().values():
        of_family = [o for o in facts if o.view == view]
        for benchmark in [*_unique(o.benchmark for o in of_family), ALL]:
            by_model: dict[str, dict[Key, Facts]] = {model: {} for model in models}
            for o in of_family:
                if benchmark in (ALL, o.benchmark):
                    by_model[o.model][o.key] = o
            for score in view.scores:
                block = []
                for first, second in combinations(models, 2):
                    one, other = by_model[first], by_model[second]
                    common = [key for key in one if key in other]
                    if common:
                        scores = [[of[key].scores[score] for key in common] for of in (one, other)]
                        block.append((first, second, compare(scores[0], scores[1])))
                for (first, second, result), corrected in zip(
                    block, holm([result.p for *_, result in block]), strict=True
                ):
                    what = (view.title, score, benchmark, first, second)
                    test = (result.p, corrected, result.test, result.n)
                    rows.append((*what, result.difference, result.low, result.high, *test))
    return Table(
        "comparisons",
        "Models compared",
        "Mean score of the first model minus that of the second on the problems that both ran, with its 95% "
        "interval (paired bootstrap) and the p value of no difference (McNemar's exact test for verdicts, else paired "
        "bootstrap). Corrected: Holm, over the pairs of models.",
        (
            _FAMILY,
            _SCORE,
            _BENCHMARK,
            Column("first", "First"),
            Column("second", "Second"),
            Column("difference", "Difference", "percent"),
            _LOW,
            _HIGH,
            Column("p", "p", "p"),
            Column("p_corrected", "p corrected", "p"),
            Column("test", "Test"),
            _N,
        ),
        tuple(rows),
    )


def hardest(facts: Sequence[Facts]) -> Table:
    """Return the problems of each family, those that fewest of the models solve first, then by their mean S score."""
    rows = []
    for view in views().values():
        of_family = [o for o in facts if o.view == view]
        for (benchmark, problem_id), group in _group(of_family, lambda o: (o.benchmark, o.key.within_task())).items():
            complexity = group[0].complexity
            rows.append(
                (
                    view.title,
                    benchmark,
                    problem_id,
                    sum(o.score for o in group) / len(group),
                    sum(o.solved for o in group),
                    len(group),
                    complexity.cc if complexity else math.nan,
                    complexity.loc if complexity else math.nan,
                    ", ".join(complexity.constructs) if complexity else "",
                )
            )
    # Of equally hard problems those that most models tried come first, then those with the simplest program.
    order = [view.title for view in views().values()]
    rows.sort(
        key=lambda r: (order.index(r[0]), r[4] / r[5], r[3], -r[5], _last(r[6]), _last(r[7]), r[2]),
    )
    return Table(
        "problems",
        "Problems, the hardest first",
        "Those that the smallest share of the models solves come first, then those with the lowest mean S score over "
        "the models, then those with the simplest program.",
        (
            _FAMILY,
            _BENCHMARK,
            Column("problem_id", "Problem"),
            Column("score", "Mean score", "percent"),
            Column("solved", "Solved by", "count"),
            Column("models", "of", "count"),
            Column("cc", "CC", "count"),
            Column("loc", "LoC", "count"),
            Column("constructs", "Constructs"),
        ),
        tuple(rows),
    )


def findings(observations: Sequence[Observation]) -> list[Table]:
    """Return the tables that only one family has, made by the families themselves."""
    tables = []
    for view in views().values():
        units: dict[str, list[Unit]] = defaultdict(list)
        for observation in observations:
            if observation.facts.view == view:
                units[observation.facts.model].append(observation.unit)
        for found in view.findings(units) if units else ():
            columns = tuple(Column(*column) for column in found.columns)
            tables.append(Table(found.name, found.title, found.note, columns, found.rows))
    return tables


def _means(
    facts: Sequence[Facts],
    name: str,
    title: str,
    note: str,
    column: Column,
    categories: Sequence[str],
    of: Callable[[Facts], Sequence[str]],
) -> Table:
    rows = []
    for (view, benchmark, model), cell in _cells(facts):
        for score, category in product(view.scores, categories):
            scores = [o.scores[score] for o in cell if category in of(o)]
            if scores:
                result = mean(scores)
                what = (view.title, score, benchmark, model, category)
                rows.append((*what, result.value, result.low, result.high, result.n))
    columns = (_FAMILY, _SCORE, _BENCHMARK, _MODEL, column, Column("score", "Mean", "percent"), _LOW, _HIGH, _N)
    return Table(name, title, note + " 95% intervals: Wilson for verdicts, else bootstrap.", columns, tuple(rows))


def _cells(facts: Sequence[Facts]) -> Iterator[tuple[Cell, list[Facts]]]:
    """Yield the facts by family, benchmark and model, those of all benchmarks of a family together first."""
    models = _unique(o.model for o in facts)
    for view in views().values():
        of_family = [o for o in facts if o.view == view]
        benchmarks = _unique(o.benchmark for o in of_family)
        for benchmark in [ALL, *benchmarks]:
            for model in models:
                cell = [o for o in of_family if o.model == model and benchmark in (ALL, o.benchmark)]
                if cell:
                    yield (view, benchmark, model), cell


def _group(items: Iterable[_T], key: Callable[[_T], tuple[str, str]]) -> dict[tuple[str, str], list[_T]]:
    groups: dict[tuple[str, str], list[_T]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return dict(groups)


def _unique(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))


def _last(value: float) -> float:
    return math.inf if math.isnan(value) else value
