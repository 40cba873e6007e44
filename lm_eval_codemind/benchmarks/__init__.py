"""The benchmarks: one module each, and access to their upstream repositories at pinned revisions."""

from lm_eval_codemind.benchmarks.registry import BENCHMARKS, Benchmark, get_benchmark
from lm_eval_codemind.benchmarks.upstream import Upstream, UpstreamError

__all__ = ["BENCHMARKS", "Benchmark", "Upstream", "UpstreamError", "get_benchmark"]
