"""How each benchmark is read from the files of its upstream repositories: one module a benchmark."""

from lm_eval_codemind.benchmarks.upstream import Upstream, UpstreamError

__all__ = ["Upstream", "UpstreamError"]
