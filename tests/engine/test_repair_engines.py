"""Repair through real backends: answers are noise, the path from prompt to sandbox and sample log is real."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lm_eval_codemind.data.build import DATA_VARIABLE
from tests.engine.conftest import Engine
from tests.engine.test_ier_engines import BACKENDS
from tests.run_files import read_run

PAIRED = {"codemind_repair_sample": "steps", "codemind_repair_direct_humaneval": "direct"}
BUGGY = "codemind_ier_buggy"


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
        *("--tasks", ",".join([*PAIRED, BUGGY]), "--limit", 4, "--gen_kwargs", "max_gen_toks=32"),
        *("--batch_size", 1, "--output_path", tmp_path / "out", "--log_samples", "--confirm_run_unsafe_code"),
        *("--use_cache", tmp_path / "cache", *(["--apply_chat_template"] if chat else [])),
    )
    assert any(tmp_path.glob("cache*"))
    results, samples = read_run(tmp_path / "out")
    for task, setting in PAIRED.items():
        scores = results["results"][task]
        assert results["n-samples"][task]["effective"] == len(samples[task]) == 4
        # Both settings of two problems, so nothing is left unpaired.
        assert [row["doc"]["setting"] for row in samples[task]] == [setting, "no_test"] * 2
        for metric in ("pass@1", "pass@1_no_test", "repaired_by_test", "unchanged", "similarity_to_bug", "code_found"):
            assert 0.0 <= scores[f"{metric},extract-code"] <= 1.0
            assert scores[f"{metric}_stderr,extract-code"] >= 0.0
        # The harness logs an answer as the JSON object that its text is.
        assert all("answer" in json.loads(row["filtered_resps"][0]) for row in samples[task])
    assert 0.0 <= results["results"][BUGGY]["r_ier,strict-match"] <= 1.0
    for row in (row for rows in samples.values() for row in rows):
        prompt = row["arguments"]["gen_args_0"]["arg_0"]
        assert ("<|assistant|>" in prompt) == chat
        assert row["doc"]["prompt"] in prompt
        assert row["resps"][0][0], "the model generated nothing"
