"""The data set: benchmarks read from upstream, proven labels applied, built, stored and loaded."""

from lm_eval_codemind.data.build import benchmark_digest, data_directory, load_benchmark, read_manifest

__all__ = ["benchmark_digest", "data_directory", "load_benchmark", "read_manifest"]
