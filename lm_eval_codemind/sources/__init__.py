"""Upstream benchmarks: raw files to problems, at pinned revisions."""

from lm_eval_codemind.sources.build import benchmark_digest, data_directory, load_benchmark, read_manifest
from lm_eval_codemind.sources.upstream import Upstream, UpstreamError

__all__ = [
    "Upstream",
    "UpstreamError",
    "benchmark_digest",
    "data_directory",
    "load_benchmark",
    "read_manifest",
]
