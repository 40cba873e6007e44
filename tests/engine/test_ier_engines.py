"""IER through real backends: vLLM and transformers with a tiny model, and an API server."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from lm_eval_codemind.cli import main
from lm_eval_codemind.families.ier import task as ier
from tests.engine.conftest import ChatServer, Engine, each_backend, each_form
from tests.run_files import read_run

TASKS = {
    "codemind_ier_sample": "r_ier",
    "codemind_ier_humaneval": "r_ier",
    "codemind_ier_unrolled_sample": "r_ier",
    "codemind_ier_fresh_sample": "r_ier_fresh",
}


@pytest.mark.engine
@each_form
@each_backend
def test_tiny_model(engine: Engine, backend: str, chat: bool, tmp_path: Path) -> None:
    results, samples = engine.evaluate(backend, chat, TASKS, 4, tmp_path / "out", "--batch_size", 4)
    for task, metric in TASKS.items():
        assert results["n-samples"][task]["effective"] == 4
        assert 0.0 <= results["results"][task][f"{metric},strict-match"] <= 1.0
        assert len(samples[task]) == 8


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
