"""How far can a model follow an execution? IER on new programs, level by level of the state that they write."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lm_eval_codemind.data import benchmark_digests, load_benchmark, making
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.data.facts.horizon import BOUNDS, PER_LEVEL, VERSION, Rung, Rungs, dumped, loaded, share_of
from lm_eval_codemind.data.stored import stored
from lm_eval_codemind.families.horizon import score as scores
from lm_eval_codemind.families.ier.task import ExecutionReasoning
from lm_eval_codemind.family import Variant, whole_number
from lm_eval_codemind.harness.aggregations import Aggregation
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.problems import Problem, digest
from lm_eval_codemind.questions import Answer, Question

HORIZON_METRIC = "horizon"
LEVELS = tuple(f"level_{level}" for level in range(1, len(BOUNDS) + 1))
# The licences of the programs, since they are no benchmark's.
LICENCE = "facebookresearch/cruxeval: MIT; reasoning-gym, CodeI/O data: Apache-2.0"

_VIEW = "lm_eval_codemind.families.horizon.view:HorizonView"


class HorizonReasoning(ExecutionReasoning):
    """IER on the programs of a seed. Each question knows its level and its state."""

    variants = (Variant("horizon", "Horizon", _VIEW),)
    options = ("horizon_seed", "per_level")
    separate_seeds = ("horizon_seed",)

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the programs of the seed."""
        seed, per_level = _chosen(options)
        return list(share_of(load_rungs(benchmark.name, seed).problems, per_level))

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        """Add the seed, the digest of its programs, and those that are left out, by name."""
        seed, per_level = _chosen(options)
        rungs = load_rungs(benchmark.name, seed)
        suite["horizon"] = {
            "horizon_seed": seed,
            "per_level": per_level,
            "programs_sha256": digest(dumped(rungs).encode()),
            "left_out": rungs.left_out,
        }
        suite["licence"] = LICENCE

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        assert isinstance(problem, Rung)
        measures = {name: getattr(problem, name) for name in ("level", "state", "steps", "links")}
        for question in super().questions(problem, setting):
            yield dataclasses.replace(question, fields={**question.fields, **measures})

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the answer as IER reads it, with the tokens of the response where the endpoint reports them."""
        answer = super().read(response, question, filter)
        tokens = getattr(response, "tokens", None)
        if tokens is not None:
            answer.details["tokens"] = tokens
        return answer

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document. It has a number for its own level only."""
        right = means["r_ier"]
        levels = {name: right if number == question["level"] else None for number, name in enumerate(LEVELS, start=1)}
        return {**means, **levels, HORIZON_METRIC: {"state": question["state"], "right": right}, **pass_at_k}


def _chosen(options: Mapping[str, Any]) -> tuple[int, int]:
    """Return the seed, and the number of questions a level."""
    return whole_number(options, "horizon_seed", 0, 0), whole_number(options, "per_level", PER_LEVEL, 2, PER_LEVEL)


def load_rungs(benchmark: str, seed: int) -> Rungs:
    """Return the programs of a seed. They are built and proven on first use, and stored in the data directory.

    Args:
        benchmark: The one whose functions chains are made of.

    Raises:
        MissingExtra: If they have to be built, and the extra ``horizon`` is not installed.
        IsolationUnavailable: If they have to be built, and this machine cannot execute programs safely.
    """
    data = benchmark_digests(benchmark)[benchmark][:12]
    template = (HorizonReasoning.templates / "function.txt").read_text(encoding="utf-8")
    return stored(
        f"horizon/{data}-{VERSION}-{seed}.json.gz",
        loaded,
        lambda: making.horizon(load_benchmark(benchmark), seed, template),
        dumped,
    )


# -- aggregations


def _points(records: Sequence[Mapping[str, float]]) -> tuple[list[float], list[float]]:
    return [record["state"] for record in records], [record["right"] for record in records]


def _horizon(points: tuple[list[float], list[float]]) -> float:
    return scores.horizon(*points).value


def _error(points: tuple[list[float], list[float]]) -> float:
    known = scores.reaches_the_ends(points[0])
    return float(scores.horizon_of(scores.draws_of(*points)).std()) if known else float("nan")


horizon = Aggregation(_points, _horizon, _error, size=lambda points: len(points[0]))

HORIZON = HorizonReasoning()
dataset, process_results, strict_match, flexible_extract = Hooks(HORIZON).functions
