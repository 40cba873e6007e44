"""The readers of benchmarks from the files of their upstream repositories: one module per benchmark."""

from lm_eval_codemind.workshop.benchmarks.upstream import Upstream

__all__ = ["Upstream"]
