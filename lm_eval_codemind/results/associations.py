"""Families compared on the problems that they have in common (RQ5 to RQ7)."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from statistics import fmean

from lm_eval_codemind.data.catalogue import same_problems
from lm_eval_codemind.families.table import Table, corrected, described, interval
from lm_eval_codemind.families.views import views
from lm_eval_codemind.results.association import associate, counted
from lm_eval_codemind.results.observations import ALL, Observation, by_model, by_view, distinct
from lm_eval_codemind.statistics import compare, proportion

# Benchmark (that others count with) and name of a problem.
ProblemKey = tuple[str, str]
Verdicts = Mapping[str, Mapping[ProblemKey, bool]]


def overlap(observations: Sequence[Observation]) -> Table:
    """Return, for each set of families, how many problems a model solves in exactly these of the families it ran.

    Only problems that all the families of a benchmark have in common are counted. Problems of the smallest set, at
    most ten, are named.
    """
    rows = []
    for model, of_model in by_model(observations).items():
        verdicts: dict[ProblemKey, dict[str, bool]] = defaultdict(dict)
        for title, of_family in _solved([o for o in of_model if o.view.variant.in_overlap]).items():
            for problem, solved in of_family.items():
                verdicts[problem][title] = solved
        for benchmark in [*distinct(b for b, _ in verdicts), ALL]:
            problems = {key: of for key, of in verdicts.items() if benchmark in (ALL, key[0])}
            families = [view.title for view in views().values() if any(view.title in of for of in problems.values())]
            common = {key[1]: of for key, of in problems.items() if len(of) == len(families)}
            if len(families) < 2 or not common:
                continue
            for size in range(len(families) + 1):
                for subset in combinations(families, size):
                    names = [name for name, of in common.items() if {title for title in of if of[title]} == set(subset)]
                    what = {"benchmark": benchmark, "model": model, "solved_under": " + ".join(subset) or "none"}
                    share = interval(proportion(len(names), len(common)), "share")
                    counts = {"problems": len(names), **share, "n": len(common)}
                    rows.append({**what, **counts, "examples": ", ".join(names[:10])})
    return described("overlap", rows)


def associations(observations: Sequence[Observation]) -> Table:
    """Return the association between solving problems under one family and under another, model by model.

    Every ordered pair of families has a row, since the conditional rates have a direction. The p values of a model,
    one for each unordered pair, are corrected by Holm's method.
    """
    rows = []
    for model, of_model in by_model(observations).items():
        solved = _solved(of_model)
        pairs = []
        for pair in combinations(solved, 2):
            for first, second in (pair, pair[::-1]):
                verdicts = _verdicts(solved, first, second)
                if not verdicts[0]:
                    continue
                result = associate(*verdicts)
                pairs.append(
                    {
                        "model": model,
                        "first": first,
                        "second": second,
                        **counted(*verdicts),
                        **interval(result.phi, "phi", "phi_low", "phi_high"),
                        "p": result.p,
                        "given_right": result.given_right,
                        "given_wrong": result.given_wrong,
                        "n": len(verdicts[0]),
                    }
                )
        # Both directions of a pair have the same p value, which is one test.
        for forwards, backwards in zip(corrected(pairs[::2]), pairs[1::2], strict=True):
            rows += [forwards, {**forwards, **backwards, "p": forwards["p"]}]
    titles = {o.view.title for o in observations}
    missing = [view.title for view in views().values() if view.variant.in_overlap and view.title not in titles]
    return described("associations", rows, missing=", ".join(missing) or "nothing")


def output_predictions(observations: Sequence[Observation]) -> Table:
    """Return the association between every two families that ask for outputs, on the programs of both (RQ7).

    A program, which in a benchmark of methods is a class, counts as solved where all its outputs are predicted right.
    The test is McNemar's, of no difference between the two families; the p values of a model are corrected by Holm's
    method.
    """
    rows = []
    for model, of_model in by_model(observations).items():
        solved = _solved(
            [o for o in of_model if o.predicts is not None],
            lambda o: (o.problem_id.partition("@")[0], bool(o.predicts)),
        )
        pairs = []
        for first, second in combinations(solved, 2):
            verdicts = _verdicts(solved, first, second)
            if verdicts[0]:
                families = {"model": model, "first": first, "second": second}
                pairs.append({**families, **counted(*verdicts), **vars(compare(*verdicts))})
        rows += corrected(pairs)
    return described("outputs", rows)


def on_same_problems(observations: Sequence[Observation]) -> Table:
    """Return each model's score under a family and under the family whose problems it changes, by benchmark.

    Only problems that the model was asked about under both count. A pair that a model did not run gives no row.
    """
    rows = []
    scores: dict[tuple[str, str], dict[ProblemKey, float]] = defaultdict(dict)
    for o in observations:
        scores[o.model, o.view.name][same_problems(o.benchmark), o.problem_id] = o.score
    for view in views().values():
        other = views().get(view.variant.changes)
        if other is None:
            continue
        for model in distinct(o.model for o in observations):
            first, second = (scores.get((model, each.name), {}) for each in (view, other))
            common = [key for key in first if key in second]
            for benchmark in [*distinct(key[0] for key in common), ALL]:
                keys = [key for key in common if benchmark in (ALL, key[0])]
                if not keys:
                    continue
                changed, same = [first[key] for key in keys], [second[key] for key in keys]
                what = {"family": view.title, "benchmark": benchmark, "model": model}
                metrics = {"metric": view.metric, "score": fmean(changed)}
                metrics |= {"metric_same": f"{other.metric}_same", "score_same": fmean(same)}
                rows.append({**what, **metrics, **vars(compare(changed, same))})
    return described("same_problems", rows)


def _solved(
    observations: Sequence[Observation],
    verdict: Callable[[Observation], tuple[str, bool]] = lambda o: (o.problem_id, o.solved),
) -> dict[str, dict[ProblemKey, bool]]:
    """Return the title of a family -> problem -> whether a model solves all its questions, from its observations.

    ``verdict`` returns the name of the problem that a question counts for, and whether the question is solved.
    """
    verdicts: dict[str, dict[ProblemKey, bool]] = defaultdict(dict)
    for view, of_view in by_view(observations):
        of_family = verdicts[view.title]
        for o in of_view:
            name, solved = verdict(o)
            key = (same_problems(o.benchmark), name)
            of_family[key] = of_family.get(key, True) and solved
    return verdicts


def _verdicts(solved: Verdicts, first: str, second: str) -> tuple[list[bool], list[bool]]:
    """Return the verdicts of two families on the problems that they have in common."""
    common = [key for key in solved[first] if key in solved[second]]
    return [solved[first][key] for key in common], [solved[second][key] for key in common]
