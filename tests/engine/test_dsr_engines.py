"""DSR through real backends: the model's answers are noise, the path from prompt to sandbox and sample log is real."""

from pathlib import Path

import pytest

from lm_eval_codemind.questions import Answer
from tests.engine.conftest import Engine, each_backend, each_form

TASKS = ["codemind_dsr_sample", "codemind_dsr_humaneval", "codemind_dsr_buggy_sample"]


@pytest.mark.engine
@each_form
@each_backend
def test_tiny_model(engine: Engine, backend: str, chat: bool, tmp_path: Path) -> None:
    more = ["--batch_size", 1, "--use_cache", tmp_path / "cache"]
    results, samples = engine.evaluate(backend, chat, TASKS, 3, tmp_path / "out", *more)
    for task in TASKS:
        scores = results["results"][task]
        assert results["n-samples"][task]["effective"] == 3
        assert 0.0 <= scores["r_dsr,extract-code"] <= scores["pass@1,extract-code"] <= 1.0
        assert results["configs"][task]["metadata"]["suite"]["transform_seed"] == 0
        for row in samples[task]:
            assert row["doc"]["loc_transformed"] > row["doc"]["loc"]
            assert row["doc"]["transformed"].strip() in row["arguments"]["gen_args_0"]["arg_0"]
            # The harness writes other values than text as str() gives it.
            answer = Answer.from_json(row["filtered_resps"][0][0])
            assert (answer.text is None) == (answer.outcome is None)
