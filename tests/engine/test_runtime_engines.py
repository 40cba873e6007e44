"""Runtime behaviour through real backends: the answers are noise, the path from prompt to sample log is real."""

from pathlib import Path

import pytest

from lm_eval_codemind.questions import Answer
from tests.engine.conftest import Engine, each_backend, each_form

TASKS = ["codemind_runtime_sample", "codemind_runtime_direct_sample", "codemind_runtime_published_humaneval"]


@pytest.mark.engine
@each_form
@each_backend
def test_tiny_model(engine: Engine, backend: str, chat: bool, tmp_path: Path) -> None:
    more = ["--batch_size", 1, "--num_fewshot", 0]
    results, samples = engine.evaluate(backend, chat, TASKS, 8, tmp_path / "out", *more)
    for task in TASKS:
        scores = results["results"][task]
        assert results["n-samples"][task]["effective"] == len(samples[task]) == 8
        assert 0.0 <= scores["answered,extract-answer"] <= 1.0
        for row in samples[task]:
            logged = row["filtered_resps"][0][0]
            assert Answer.from_json(logged).to_json() == logged
