"""The data set: benchmarks read from upstream, proven labels applied, built, stored and loaded."""

from lm_eval_codemind.data.build import (
    benchmark_digests,
    data_directory,
    load_benchmark,
    load_problem,
    read_manifest,
)

__all__ = ["benchmark_digests", "data_directory", "load_benchmark", "load_problem", "read_manifest"]
