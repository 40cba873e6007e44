"""SR through real backends: the model's answers are noise, the path from prompt to sandbox and sample log is real."""

from pathlib import Path

import pytest

from lm_eval_codemind.questions import Answer
from tests.engine.conftest import Engine, each_backend, each_form

PAIRED = ["codemind_sr_sample", "codemind_sr_humaneval"]
MISLEADING = "codemind_sr_misleading_sample"
METRICS = ("r_sr", "s_sr", "pass@1_no_test", "pass@1_with_test", "code_found")


@pytest.mark.engine
@each_form
@each_backend
def test_tiny_model(engine: Engine, backend: str, chat: bool, tmp_path: Path) -> None:
    more = ["--batch_size", 1, "--use_cache", tmp_path / "cache"]
    results, samples = engine.evaluate(backend, chat, [*PAIRED, MISLEADING], 4, tmp_path / "out", *more)
    assert any(tmp_path.glob("cache*"))
    for task in PAIRED:
        engine.paired(task, ("no_test", "with_test"), METRICS, results, samples[task])
        assert results["configs"][task]["metadata"]["suite"]["hint_seed"] == 0
    assert 0.0 <= results["results"][MISLEADING]["pass@1,extract-code"] <= 1.0
    for row in (row for rows in samples.values() for row in rows):
        # The harness writes other values than text as str() gives it.
        answer = Answer.from_json(row["filtered_resps"][0][0])
        assert (answer.text is None) == (answer.outcome is None)
