"""Input prediction through real backends: vLLM and transformers with a tiny model."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.conftest import Engine, each_backend

TASKS = ["codemind_input_sample", "codemind_input_direct_humaneval"]


@pytest.mark.engine
@each_backend
def test_tiny_model(engine: Engine, backend: str, tmp_path: Path) -> None:
    results, samples = engine.evaluate(backend, False, TASKS, 4, tmp_path / "out", "--batch_size", 4)
    for task in TASKS:
        assert results["n-samples"][task]["effective"] == 4
        for metric in ("r_input", "as_recorded", "answered"):
            assert 0.0 <= results["results"][task][f"{metric},strict-match"] <= 1.0
        assert len(samples[task]) == 8
