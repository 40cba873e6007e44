"""Comparison of the shipped proof with what execution gives here and now."""

from __future__ import annotations

from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sources import avatar, classeval, cruxeval, humaneval, published
from lm_eval_codemind.sources.build import SOURCES
from lm_eval_codemind.sources.labels import Proof, load_proofs
from lm_eval_codemind.sources.prove import prove_labels
from lm_eval_codemind.sources.upstream import Upstream

# The benchmarks whose labels are proven.
PROVEN = (humaneval.NAME, cruxeval.NAME, classeval.NAME, avatar.NAME)


def execute_benchmark(name: str, upstream: Upstream, workers: int = 1) -> dict[str, Proof]:
    """Return what executing every problem of a benchmark proves, by problem id.

    Raises:
        UpstreamError: if upstream's data is missing or is not what it must be.
        MissingExtra: if packages that the programs import are not installed.
    """
    problems = SOURCES[name].read(upstream)
    own: dict[str, Problem] = {problem.problem_id: problem for problem in published.read(upstream, name)}
    return prove_labels(problems, own, workers)


def verify_benchmark(name: str, upstream: Upstream, workers: int = 1) -> dict[str, str]:
    """Return the problems for which execution does not give the shipped proof, with both, by problem id.

    Raises:
        UpstreamError: if upstream's data is missing or is not what it must be.
        MissingExtra: if packages that the programs import are not installed.
    """
    shipped, found = load_proofs(name), execute_benchmark(name, upstream, workers)
    differing = {problem_id for problem_id in shipped | found if shipped.get(problem_id) != found.get(problem_id)}
    return {
        problem_id: f"shipped {shipped.get(problem_id)}, execution gives {found.get(problem_id)}"
        for problem_id in sorted(differing)
    }
