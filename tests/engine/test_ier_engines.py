"""IER through real backends: vLLM and transformers with a tiny model, and an API server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from lm_eval_codemind.cli import main
from lm_eval_codemind.data.build import DATA_VARIABLE
from lm_eval_codemind.families import ier
from tests.engine.conftest import ChatServer, Engine
from tests.run_files import read_run

BACKENDS = {
    "vllm": "dtype=bfloat16,max_model_len=8192,enforce_eager=True",
    "hf": "dtype=bfloat16",
}


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
    tasks = ["codemind_ier_sample", "codemind_ier_humaneval"]
    engine.lm_eval(
        *("--model", backend, "--model_args", f"pretrained={engine.model},{BACKENDS[backend]}"),
        *("--tasks", ",".join(tasks), "--limit", 4, "--gen_kwargs", "max_gen_toks=32"),
        *("--batch_size", 4, "--output_path", tmp_path / "out", "--log_samples"),
        *(["--apply_chat_template"] if chat else []),
    )
    results, samples = read_run(tmp_path / "out")
    for task in tasks:
        assert results["n-samples"][task]["effective"] == 4
        assert 0.0 <= results["results"][task]["r_ier,strict-match"] <= 1.0
        assert len(samples[task]) == 8
        for row in samples[task]:
            prompt = row["arguments"]["gen_args_0"]["arg_0"]
            assert ("<|assistant|>" in prompt) == chat
            assert row["doc"]["prompt"] in prompt
            assert row["resps"][0][0], "the model generated nothing"


def test_chat_completions(serve_chat: Callable[..., ChatServer], tmp_path: Path) -> None:
    documents = {row["prompt"]: row for row in ier.dataset(benchmark="sample", setting="steps")["test"]}

    def answer(messages: list[dict[str, str]]) -> str:
        return f"Let me see.\n\n{documents[messages[-1]['content']]['target']}\nDone."

    server = serve_chat(answer)
    arguments = [
        *("run", "--model", "local-chat-completions", "--apply_chat_template"),
        *("--model_args", f"model=tiny,base_url={server.url},num_concurrent=2,tokenizer_backend=None"),
        *("--tasks", "codemind_ier_sample", "--output_path", str(tmp_path), "--log_samples"),
    ]
    CliRunner().invoke(main, arguments, catch_exceptions=False)
    results, _ = read_run(tmp_path)
    scores = results["results"]["codemind_ier_sample"]
    assert scores["r_ier,strict-match"] == scores["r_ier,flexible-extract"] == scores["answered,strict-match"] == 1.0
    assert len(server.requests) == 24
    for request in server.requests:
        assert [message["role"] for message in request["messages"]] == ["user", "assistant"] * 3 + ["user"]
        assert request["temperature"] == 0.0
        assert request["max_tokens"] == 2048
        assert "\n### Problem\n" in request["stop"]
