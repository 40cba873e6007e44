"""The readers of benchmarks from the files of their upstream repositories: one module per benchmark."""

from lm_eval_codemind.data.benchmarks.upstream import MissingFilesError, Upstream, UpstreamError

__all__ = ["MissingFilesError", "Upstream", "UpstreamError"]
