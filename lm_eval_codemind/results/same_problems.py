"""Families that ask about another family's problems in a changed form: both on the same problems."""

from __future__ import annotations

from collections.abc import Sequence

from lm_eval_codemind.catalogue import same_problems
from lm_eval_codemind.results.observations import Facts
from lm_eval_codemind.results.tables import Column, Table
from lm_eval_codemind.scores.statistics import compare, mean
from lm_eval_codemind.views import View, views

_ALL = "all"


def on_same_problems(facts: Sequence[Facts]) -> Table:
    """Return each model's score under a family beside that under the one its problems come from, by benchmark.

    Only problems that the model was asked about under both count. A pair that a model did not run gives no row.
    """
    rows = []
    for view in views().values():
        other = views().get(view.beside)
        if other is None:
            continue
        for model in dict.fromkeys(o.model for o in facts):
            first, second = (_scores(facts, model, each) for each in (view, other))
            common = [key for key in first if key in second]
            for benchmark in [*dict.fromkeys(key[0] for key in common), _ALL]:
                keys = [key for key in common if benchmark in (_ALL, key[0])]
                if not keys:
                    continue
                changed, same = [first[key] for key in keys], [second[key] for key in keys]
                result = compare(changed, same)
                metrics = (view.metric, mean(changed).value, f"{other.metric}_same", mean(same).value)
                paired = (result.difference, result.low, result.high, result.p, result.test, result.n)
                rows.append((view.title, benchmark, model, *metrics, *paired))
    return Table(
        "same_problems",
        "The same problems in another form",
        "The score under a family that changes another's problems, beside the score of the same model under that other "
        "family on the same problems. Difference: the first minus the second, with its 95% interval (paired "
        "bootstrap) and the p value of no difference (McNemar's exact test for verdicts, else paired bootstrap).",
        (
            Column("family", "Family"),
            Column("benchmark", "Benchmark"),
            Column("model", "Model"),
            Column("metric", "Metric"),
            Column("score", "Score", "percent"),
            Column("metric_same", "Beside"),
            Column("score_same", "Score of it", "percent"),
            Column("difference", "Difference", "percent"),
            Column("low", "95% from", "percent"),
            Column("high", "to", "percent"),
            Column("p", "p", "p"),
            Column("test", "Test"),
            Column("n", "n", "count"),
        ),
        tuple(rows),
    )


def _scores(facts: Sequence[Facts], model: str, view: View) -> dict[tuple[str, str], float]:
    """Return a model's scores under a family by benchmark and name of the problem."""
    return {(same_problems(o.benchmark), o.problem_id): o.score for o in facts if o.model == model and o.view == view}
