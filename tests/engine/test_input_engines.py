"""Input prediction through real backends: vLLM and transformers with a tiny model."""

from __future__ import annotations

from pathlib import Path

import pytest

from lm_eval_codemind.data.build import DATA_VARIABLE
from tests.engine.conftest import Engine
from tests.engine.test_ier_engines import BACKENDS
from tests.run_files import read_run


@pytest.mark.engine
@pytest.mark.parametrize("backend", BACKENDS)
def test_tiny_model(
    engine: Engine, built_data: Path, backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    tasks = ["codemind_input_sample", "codemind_input_direct_humaneval"]
    engine.lm_eval(
        *("--model", backend, "--model_args", f"pretrained={engine.model},{BACKENDS[backend]}"),
        *("--tasks", ",".join(tasks), "--limit", 4, "--gen_kwargs", "max_gen_toks=32"),
        *("--batch_size", 4, "--output_path", tmp_path / "out", "--log_samples"),
    )
    results, samples = read_run(tmp_path / "out")
    for task in tasks:
        assert results["n-samples"][task]["effective"] == 4
        for metric in ("r_input", "as_recorded", "answered"):
            assert 0.0 <= results["results"][task][f"{metric},strict-match"] <= 1.0
        assert len(samples[task]) == 8
        for row in samples[task]:
            assert row["doc"]["prompt"] in row["arguments"]["gen_args_0"]["arg_0"]
            assert row["resps"][0][0], "the model generated nothing"
