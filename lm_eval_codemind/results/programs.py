"""What the programs of benchmarks are like, what models make of them, and how languages and families compare."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np

from lm_eval_codemind.families.table import Table, described
from lm_eval_codemind.languages import languages, measured
from lm_eval_codemind.problems import Complexity
from lm_eval_codemind.results.observations import Observation, by_model, grouped
from lm_eval_codemind.statistics import compare, spearman

Row = dict[str, Any]

# Attribute of Complexity -> its name in the paper.
MEASURES = {"cc": "CC", "loc": "LoC", "dep": "DEP", "nc": "NC", "ll": "LL"}
_QUARTILES = {"lowest": 0.0, "lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75, "highest": 1.0}
# What tells submissions to a problem apart; the problem's name comes before it.
_SUBMISSION = "_s"


def complexity(observations: Sequence[Observation]) -> Table:
    """Return the distribution of each complexity measure over the programs of each benchmark, each problem once."""
    programs: dict[str, dict[str, Complexity]] = defaultdict(dict)
    for o in observations:
        if o.complexity is not None:
            programs[o.benchmark].setdefault(o.problem_id, o.complexity)
    rows: list[Row] = []
    for benchmark, of_benchmark in programs.items():
        for attribute, measure in MEASURES.items():
            values = [value for one in of_benchmark.values() if (value := getattr(one, attribute)) is not None]
            if values:
                ends = zip(_QUARTILES, np.quantile(values, list(_QUARTILES.values())), strict=True)
                what = {"benchmark": benchmark, "measure": measure, "mean": fmean(values)}
                rows.append({**what, **{name: float(end) for name, end in ends}, "n": len(values)})
    return described("complexity", rows)


def written_programs(observations: Sequence[Observation]) -> Table:
    """Return the complexity of the programs that models wrote against that of the given ones, by paired test.

    Only answers in the language of the given program count, and only those that parse.
    """
    cells: dict[tuple[str, str, str], list[tuple[Complexity, Complexity]]] = defaultdict(list)
    for o in observations:
        # The last setting of a problem is the one with the test.
        sample = o.unit[-1]
        language = _language(o)
        # Families whose answers are programs count the responses with code.
        is_program = "code_found" in sample.scores and sample.answer.text is not None
        if not is_program or o.complexity is None or sample.doc.get("target_language", language) != language:
            continue
        written = measured(language, str(sample.answer.text))
        if written is not None:
            cells[o.view.title, o.benchmark, o.model].append((o.complexity, written))
    return compared_programs(cells)


def compared_programs(cells: Mapping[tuple[str, str, str], Sequence[tuple[Complexity, Complexity]]]) -> Table:
    """Return the comparison of pairs of a given program and a written one, by family, benchmark and model."""
    rows: list[Row] = []
    for (family, benchmark, model), pairs in cells.items():
        # Loop lengths of new programs are not measured.
        for attribute, measure in list(MEASURES.items())[:-1]:
            of_model, of_benchmark = ([float(getattr(pair[side], attribute)) for pair in pairs] for side in (1, 0))
            what = {"family": family, "benchmark": benchmark, "model": model, "measure": measure}
            means = {"written": fmean(of_model), "given": fmean(of_benchmark)}
            result = vars(compare(of_model, of_benchmark))
            rows.append({**what, **means, **{name: result[name] for name in ("difference", "low", "high", "p", "n")}})
    return described("written", rows)


def between_languages(observations: Sequence[Observation]) -> Table:
    """Return each model's scores on the same problems in two languages, by paired test.

    The programs of a problem in one language count with their mean.
    """
    cells = grouped(observations, lambda o: (o.view.title, o.benchmark.removesuffix(f"_{_language(o)}"), o.model))
    rows: list[Row] = []
    for (family, base, model), of_cell in cells.items():
        means_of = {language: _means(of_language) for language, of_language in grouped(of_cell, _language).items()}
        for first, second in combinations(sorted(means_of, key=list(languages()).index), 2):
            common = [problem for problem in means_of[first] if problem in means_of[second]]
            if common:
                scores = [[means_of[language][problem] for problem in common] for language in (first, second)]
                what = {"family": family, "benchmark": base, "model": model, "first": first, "second": second}
                means = {"first_score": fmean(scores[0]), "second_score": fmean(scores[1])}
                rows.append({**what, **means, **vars(compare(*scores))})
    return described("languages", rows)


def _language(o: Observation) -> str:
    return str(o.unit[0].doc.get("language") or "python")


def _means(observations: Sequence[Observation]) -> dict[str, float]:
    """Return the mean score of each problem over its submissions."""
    problems = grouped(observations, lambda o: o.problem_id.partition(_SUBMISSION)[0])
    return {problem: fmean(o.score for o in of_problem) for problem, of_problem in problems.items()}


def orders(observations: Sequence[Observation]) -> Table:
    """Return the rank correlation of the models' mean scores under every two families that three or more models ran."""
    from scipy import stats

    means = {
        view: {model: fmean(o.score for o in of_model) for model, of_model in by_model(of_view).items()}
        for view, of_view in grouped(observations, lambda o: o.view).items()
    }
    rows: list[Row] = []
    for (first, one), (second, other) in combinations(means.items(), 2):
        models = [model for model in one if model in other]
        if len(models) > 2:
            scores = [[means[model] for model in models] for means in (one, other)]
            result = vars(spearman(*scores))
            if len(models) == 3 and all(len(set(of_family)) > 1 for of_family in scores):
                # An interval needs more models.
                result["rho"] = float(stats.spearmanr(*scores).statistic)
            rows.append({"first": first.title, "second": second.title, **result})
    return described("orders", rows)
