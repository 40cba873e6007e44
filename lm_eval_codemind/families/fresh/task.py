"""IER on fresh inputs: questions about each program with its published input and with inputs generated from a seed."""

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from more_itertools import map_reduce

from lm_eval_codemind.data import benchmark_digests, load_benchmark, making
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.data.facts.fresh import SHIPPED_SEED, VERSION, Fresh, from_records, load_records, records_of
from lm_eval_codemind.data.stored import stored
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families.ier import score as scores
from lm_eval_codemind.families.ier.task import DIRECT, ExecutionReasoning
from lm_eval_codemind.family import Variant, whole_number
from lm_eval_codemind.harness.aggregations import Aggregation, mean_of
from lm_eval_codemind.harness.hooks import Hooks, require_runnable
from lm_eval_codemind.problems import Case, Problem
from lm_eval_codemind.questions import Question

ORIGINAL, FRESH = "original", "fresh"
R_FRESH, R_ORIGINAL, GAP = "r_ier_fresh", "r_ier_original", "contamination_gap"

_VIEW = "lm_eval_codemind.families.fresh.view:FreshView"

# One document's part of its problem's scores: `problem_id`, `item` and `right`, the share of right responses.
Record = Mapping[str, Any]


class FreshReasoning(ExecutionReasoning):
    """IER on a problem's published input (item ``original``) and on fresh inputs (items ``fresh_1`` and so on).

    A problem without a fresh input that is as hard as its own input has no questions.
    """

    variants = (
        Variant("ier_fresh", "IER fresh", _VIEW),
        Variant("ier_fresh_direct", "IER fresh direct", _VIEW, DIRECT, submittable=False),
    )
    options = ("input_seed", "fresh_inputs")
    separate_seeds = ("input_seed",)
    metric = R_FRESH

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems that have fresh inputs. The fresh inputs become their cases."""
        fresh = load_fresh(benchmark.name, *_chosen(options))
        return [
            dataclasses.replace(problem, cases=tuple(Case(run.input, run.output or "") for run in runs))
            for problem in super().problems(benchmark, options)
            if (runs := fresh[problem.problem_id].runs)
        ]

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        """Add the fresh inputs of the questions, and the problems without fresh inputs, by reason."""
        seed, count = _chosen(options)
        fresh = load_fresh(benchmark.name, seed, count)
        without = [problem_id for problem_id in fresh if fresh[problem_id].reason]
        left_out = dict(map_reduce(without, lambda problem_id: fresh[problem_id].reason))
        suite["fresh"] = {"input_seed": seed, "fresh_inputs": count, "left_out": left_out}

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        own = Case(problem.input, problem.output or "")
        for number, case in enumerate((own, *problem.cases)):
            (question,) = super().questions(dataclasses.replace(problem, input=case.input, output=case.output), setting)
            item = f"{FRESH}_{number}" if number else ORIGINAL
            yield dataclasses.replace(question, key=question.key._replace(item=item))

    def only_evaluates(self, question: Question) -> bool:
        """Whether the question is about the published input."""
        return question.key.item == ORIGINAL

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document. A score belongs to a problem, so each value here is a record."""
        key = question.key
        record = {"problem_id": key.problem_id, "item": key.item, "right": means["r_ier"]}
        return {"answered": means["answered"], **dict.fromkeys(SCORES, record), **pass_at_k}


def _chosen(options: Mapping[str, Any]) -> tuple[int, int]:
    """Return the seed and the number of fresh inputs per problem."""
    return whole_number(options, "input_seed", SHIPPED_SEED, 0), whole_number(options, "fresh_inputs", 1, 1)


def load_fresh(benchmark: str, seed: int, count: int) -> dict[str, Fresh]:
    """Return the fresh inputs of a benchmark's problems, by problem id; excluded problems have no entry.

    The package contains the inputs of :data:`SHIPPED_SEED`. Inputs of other seeds are generated and proven by execution
    on first use, and stored in the data directory, or in the user's cache if that cannot be written. Some problems
    have fewer than ``count``.

    Raises:
        UserError: If the benchmark has no Python programs, a packaged input belongs to another program, or a package
            that the programs import is not installed.
        IsolationUnavailable: If programs must be executed and this machine cannot execute them safely.
    """
    problems = [problem for problem in load_benchmark(benchmark) if problem.category != "excluded"]
    if any(problem.language != "python" for problem in problems):
        raise UserError(f"{benchmark}: fresh inputs are made for programs in Python; choose another benchmark")
    packaged = load_records(benchmark)
    if seed == SHIPPED_SEED and count == 1 and packaged:
        return from_records(packaged, problems)
    data = benchmark_digests(benchmark)[benchmark][:12]

    def make() -> dict[str, Fresh]:
        require_runnable(problems)
        return making.fresh(problems, seed, count)

    return stored(
        f"fresh/{benchmark}-{data}-{VERSION}-{seed}-{count}.json.gz",
        lambda text: from_records(json.loads(text), problems),
        make,
        lambda fresh: json.dumps(records_of(fresh, problems), separators=(",", ":")),
    )


# -- aggregations


def by_problem(records: Iterable[Record]) -> dict[str, tuple[float, list[float]]]:
    """Return a problem's score on its original input and on its fresh inputs, by problem id, for complete problems."""
    problems: dict[str, dict[str, float]] = {}
    for record in records:
        problems.setdefault(record["problem_id"], {})[record["item"]] = record["right"]
    return {
        problem_id: (rights[ORIGINAL], [right for item, right in rights.items() if item != ORIGINAL])
        for problem_id, rights in problems.items()
        if ORIGINAL in rights and len(rights) > 1
    }


SCORES: Mapping[str, Callable[[float, Sequence[float]], float]] = {
    R_FRESH: lambda original, fresh: scores.r_fresh(fresh),
    R_ORIGINAL: lambda original, fresh: original,
    GAP: scores.contamination_gap,
}


def _mean_of(metric: str) -> Aggregation:
    """Return an aggregation: a score's mean over problems. Questions about one program are one observation."""
    return mean_of(lambda records: [SCORES[metric](*pair) for pair in by_problem(records).values()])


r_ier_fresh, r_ier_original, contamination_gap = _mean_of(R_FRESH), _mean_of(R_ORIGINAL), _mean_of(GAP)

FRESH_IER = FreshReasoning()
dataset, process_results, strict_match, flexible_extract = Hooks(FRESH_IER).functions
