"""Runtime behaviour through real backends: the answers are noise, the path from prompt to sample log is real."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from lm_eval_codemind.data.build import DATA_VARIABLE
from tests.engine.conftest import Engine
from tests.engine.test_ier_engines import BACKENDS
from tests.run_files import read_run

TASKS = ["codemind_runtime_sample", "codemind_runtime_direct_sample"]
PUBLISHED = "codemind_runtime_published_humaneval"


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
        *("--tasks", ",".join([*TASKS, PUBLISHED]), "--limit", 8, "--gen_kwargs", "max_gen_toks=32"),
        *("--num_fewshot", 0, "--batch_size", 1, "--output_path", tmp_path / "out", "--log_samples"),
        *("--confirm_run_unsafe_code", *(["--apply_chat_template"] if chat else [])),
    )
    results, samples = read_run(tmp_path / "out")
    for task in [*TASKS, PUBLISHED]:
        scores = results["results"][task]
        assert results["n-samples"][task]["effective"] == len(samples[task]) == 8
        assert 0.0 <= scores["coverage,extract-answer"] <= 1.0 and 0.0 <= scores["answered,extract-answer"] <= 1.0
        for row in samples[task]:
            prompt = row["arguments"]["gen_args_0"]["arg_0"]
            assert ("<|assistant|>" in prompt) == chat
            assert row["doc"]["prompt"] in prompt
            assert row["resps"][0][0], "the model generated nothing"
            assert "answer" in ast.literal_eval(row["filtered_resps"][0][0].replace("null", "None"))
