"""The benchmark's own repository on the Hub: ``eval.yaml`` and the data set's card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# The Hub asks for the framework's name; https://huggingface.co/docs/hub/eval-results
FRAMEWORK = "lm-evaluation-harness"
SPLIT = "test"


def eval_yaml(tasks: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of ``eval.yaml``, which declares the data set as a benchmark with its tasks.

    Args:
        tasks: Name of each task -> the benchmark it runs on, which is the data set's configuration.
    """
    return {
        "name": "CodeMind",
        "description": (
            "Code reasoning of language models: predicting what a program computes (IER), using a test in a "
            "specification (SR) and simplifying a tangled program (DSR). Run with lm-eval-codemind."
        ),
        "evaluation_framework": FRAMEWORK,
        "tasks": [{"id": task, "config": benchmark, "split": SPLIT} for task, benchmark in tasks.items()],
    }
