"""The benchmarks: one module each, and access to their upstream repositories at pinned revisions."""

from lm_eval_codemind.benchmarks.benchmark import Benchmark
from lm_eval_codemind.benchmarks.registry import (
    benchmarks,
    fixed_form,
    get_benchmark,
    labelled_form,
    limits_of,
    same_problems,
    twin_of,
)
from lm_eval_codemind.benchmarks.upstream import Upstream, UpstreamError

__all__ = [
    "Benchmark",
    "Upstream",
    "UpstreamError",
    "benchmarks",
    "fixed_form",
    "get_benchmark",
    "labelled_form",
    "limits_of",
    "same_problems",
    "twin_of",
]
