"""The data set: built from upstream with proven labels, stored, and loaded."""

from lm_eval_codemind.data.load import (
    benchmark_digests,
    data_directory,
    load_benchmark,
    load_bug,
    load_problem,
    load_side,
    read_manifest,
)

__all__ = [
    "benchmark_digests",
    "data_directory",
    "load_benchmark",
    "load_bug",
    "load_problem",
    "load_side",
    "read_manifest",
]
