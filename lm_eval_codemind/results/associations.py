"""Do the tasks measure different things? For every pair of families that ran on common problems (RQ5 and RQ6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from lm_eval_codemind.catalogue import same_problems
from lm_eval_codemind.results.observations import Facts
from lm_eval_codemind.results.tables import Column, Table
from lm_eval_codemind.scores.association import associate
from lm_eval_codemind.scores.statistics import compare, holm
from lm_eval_codemind.views import views

# Benchmark (that others count with) and name of a problem.
ProblemKey = tuple[str, str]

# Of every table about two families.
_COUNTED = (
    Column("model", "Model"),
    Column("first", "First"),
    Column("second", "Second"),
    Column("both", "Both", "count"),
    Column("first_only", "First only", "count"),
    Column("second_only", "Second only", "count"),
    Column("neither", "Neither", "count"),
)


def solved_by_family(facts: Sequence[Facts], model: str) -> dict[str, dict[ProblemKey, bool]]:
    """Return which problems a model solves under each of the families that it ran: title -> problem -> solved.

    A problem with several questions is solved where all of them are.
    """
    found: dict[str, dict[ProblemKey, bool]] = {}
    for o in facts:
        if o.model == model:
            of_family = found.setdefault(o.view.title, {})
            key = (same_problems(o.benchmark), o.problem_id)
            of_family[key] = of_family.get(key, True) and o.solved
    order = [view.title for view in views().values()]
    return {title: found[title] for title in sorted(found, key=order.index)}


def associations(facts: Sequence[Facts]) -> Table:
    """Return how solving problems under one family goes together with solving them under another, model by model.

    Every ordered pair of families has a row, since the conditional rates have a direction. The p values of a model,
    one for each unordered pair, are corrected by Holm's method.
    """
    rows = []
    for model in dict.fromkeys(o.model for o in facts):
        solved = solved_by_family(facts, model)
        pairs = [pair for pair in combinations(solved, 2) if _common(solved, *pair)]
        found = {pair: associate(*_verdicts(solved, *pair)) for pair in pairs}
        corrected = dict(zip(pairs, holm([found[pair].p for pair in pairs]), strict=True))
        for pair in pairs:
            for first, second in (pair, pair[::-1]):
                result = found[pair] if (first, second) == pair else associate(*_verdicts(solved, first, second))
                rows.append(
                    (
                        model,
                        first,
                        second,
                        result.both,
                        result.first_only,
                        result.second_only,
                        result.neither,
                        result.phi.value,
                        result.phi.low,
                        result.phi.high,
                        result.odds_ratio,
                        result.p,
                        corrected[pair],
                        result.given_right.value,
                        result.given_wrong.value,
                        result.difference.value,
                        result.difference.low,
                        result.difference.high,
                        result.n,
                    )
                )
    return Table(
        "associations",
        "Does solving a problem under one task go together with solving it under another?",
        "Problems that both families asked about, by whether the model solves them; phi with a bootstrap interval, the "
        "odds ratio with Fisher's exact test, and the share solved under the second family among those solved and not "
        "solved under the first, with the difference's interval (Newcombe). Corrected: Holm, over a model's pairs of "
        "families. All of this is association: problems that are easy are easy in many ways. Not asked: "
        + (", ".join(_missing(facts)) or "nothing")
        + ".",
        (
            *_COUNTED,
            Column("phi", "phi", "number"),
            Column("phi_low", "95% from", "number"),
            Column("phi_high", "to", "number"),
            Column("odds_ratio", "Odds ratio", "number"),
            Column("p", "p", "p"),
            Column("p_corrected", "p corrected", "p"),
            Column("given_right", "Second, if first right", "percent"),
            Column("given_wrong", "Second, if first wrong", "percent"),
            Column("difference", "Difference", "percent"),
            Column("low", "95% from", "percent"),
            Column("high", "to", "percent"),
            Column("n", "n", "count"),
        ),
        tuple(rows),
    )


def output_predictions(facts: Sequence[Facts]) -> Table:
    """Return how predicting outputs goes under every two families that ask for them, on the programs of both (RQ7).

    A program, which in a benchmark of methods is a class, counts as solved where all its outputs are predicted right.
    The test is McNemar's, of no difference between the two families; the p values of a model are corrected by Holm's
    method.
    """
    rows = []
    for model in dict.fromkeys(o.model for o in facts):
        solved: dict[str, dict[ProblemKey, bool]] = {}
        for o in facts:
            if o.model == model and o.predicts is not None:
                of_family = solved.setdefault(o.view.title, {})
                key = (same_problems(o.benchmark), o.problem_id.partition("@")[0])
                of_family[key] = of_family.get(key, True) and o.predicts
        pairs = [pair for pair in combinations(solved, 2) if _common(solved, *pair)]
        tested = []
        for first, second in pairs:
            one, other = _verdicts(solved, first, second)
            counts = [list(zip(one, other, strict=True)).count(pair) for pair in _OUTCOMES]
            tested.append((counts, compare([float(v) for v in one], [float(v) for v in other])))
        corrected = holm([result.p for _, result in tested])
        for (first, second), (counts, result), p in zip(pairs, tested, corrected, strict=True):
            rows.append(
                (model, first, second, *counts, result.difference, result.low, result.high, result.p, p, result.n)
            )
    return Table(
        "outputs",
        "Outputs predicted under one task and under another",
        "Programs that both families ask about, by whether the model predicts all their outputs; the difference of the "
        "shares with its 95% interval (paired bootstrap), and McNemar's exact test. Corrected: Holm, over a model's "
        "pairs of families. The inputs may differ: families that ask for several outputs of a program are harder.",
        (
            *_COUNTED,
            Column("difference", "Difference", "percent"),
            Column("low", "95% from", "percent"),
            Column("high", "to", "percent"),
            Column("p", "p", "p"),
            Column("p_corrected", "p corrected", "p"),
            Column("n", "n", "count"),
        ),
        tuple(rows),
    )


_OUTCOMES = ((True, True), (True, False), (False, True), (False, False))


def _common(solved: Mapping[str, Mapping[ProblemKey, bool]], first: str, second: str) -> list[ProblemKey]:
    return [key for key in solved[first] if key in solved[second]]


def _verdicts(
    solved: Mapping[str, Mapping[ProblemKey, bool]], first: str, second: str
) -> tuple[list[bool], list[bool]]:
    common = _common(solved, first, second)
    return [solved[first][key] for key in common], [solved[second][key] for key in common]


def _missing(facts: Sequence[Facts]) -> list[str]:
    """Return the families of the overlap analysis that no run has, by title."""
    there = {o.view.title for o in facts}
    return [view.title for view in views().values() if view.variant.in_overlap and view.title not in there]
