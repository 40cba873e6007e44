"""The data set: built from upstream with proven labels, stored, and loaded."""

from lm_eval_codemind.data.load import benchmark_digests, load_benchmark, load_bug, load_problem, load_side

__all__ = ["benchmark_digests", "load_benchmark", "load_bug", "load_problem", "load_side"]
