"""Families with short answers through real backends: vLLM and transformers with a tiny model."""

from pathlib import Path

import pytest

from tests.engine.conftest import Engine, each_backend

# Task -> its filters, and metrics that every response has.
TASKS = {
    "codemind_input_sample": (("strict-match", "flexible-extract"), ("r_input", "as_recorded", "answered")),
    "codemind_input_direct_humaneval": (("strict-match", "flexible-extract"), ("r_input", "as_recorded", "answered")),
    "codemind_trace_lines_sample": (("extract-answer",), ("trace", "prefix", "output", "answered")),
    "codemind_trace_states_sample": (("extract-answer",), ("trace", "prefix", "output", "answered")),
    "codemind_verdict_sample": (("extract-answer",), ("verdict", "verdict_pair", "answered")),
    "codemind_locate_sample": (("extract-answer",), ("locate", "locate_near", "answered")),
    "codemind_re2_output": (("extract-answer",), ("accuracy", "answered")),
    "codemind_re2_branch": (("extract-answer",), ("accuracy", "answered")),
}


@pytest.mark.engine
@each_backend
def test_tiny_model(engine: Engine, backend: str, tmp_path: Path) -> None:
    results, samples = engine.evaluate(backend, False, TASKS, 4, tmp_path / "out", "--batch_size", 4)
    for task, (filters, metrics) in TASKS.items():
        assert results["n-samples"][task]["effective"] == 4
        for metric in metrics:
            assert 0.0 <= results["results"][task][f"{metric},{filters[0]}"] <= 1.0
        assert len(samples[task]) == 4 * len(filters)
