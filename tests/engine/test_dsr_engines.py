"""DSR through real backends: the model's answers are noise, the path from prompt to sandbox and sample log is real."""

from __future__ import annotations

from pathlib import Path

import pytest

from lm_eval_codemind.data.build import DATA_VARIABLE
from lm_eval_codemind.questions import Answer
from tests.engine.conftest import Engine
from tests.engine.test_ier_engines import BACKENDS
from tests.run_files import read_run

TASKS = ["codemind_dsr_sample", "codemind_dsr_humaneval"]


@pytest.mark.engine
@pytest.mark.parametrize("chat", [False, True], ids=["plain", "chat"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_tiny_model(
    engine: Engine,
    built_data: Path,
    backend: str,
    chat: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    engine.lm_eval(
        *("--model", backend, "--model_args", f"pretrained={engine.model},{BACKENDS[backend]}"),
        *("--tasks", ",".join(TASKS), "--limit", 3, "--gen_kwargs", "max_gen_toks=32"),
        *("--batch_size", 1, "--output_path", tmp_path / "out", "--log_samples", "--confirm_run_unsafe_code"),
        *("--use_cache", tmp_path / "cache", *(["--apply_chat_template"] if chat else [])),
    )
    results, samples = read_run(tmp_path / "out")
    for task in TASKS:
        scores = results["results"][task]
        assert results["n-samples"][task]["effective"] == 3
        assert 0.0 <= scores["r_dsr,extract-code"] <= scores["pass@1,extract-code"] <= 1.0
        assert results["configs"][task]["metadata"]["suite"]["transform_seed"] == 0
        for row in samples[task]:
            assert row["doc"]["loc_transformed"] > row["doc"]["loc"]
            assert row["doc"]["transformed"].strip() in row["arguments"]["gen_args_0"]["arg_0"]
            # The harness writes what is no text as str() gives it.
            answer = Answer.from_json(row["filtered_resps"][0][0])
            assert (answer.found is None) == (answer.outcome is None)
