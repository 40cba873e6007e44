"""DER through real backends: one engine start for both stages, and the second stage made of the first one's samples."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.engine.conftest import ROOT, ChatServer, Engine, each_backend, each_form

TASK = "codemind_der_sample"


def run(engine: Engine, *arguments: object, **more: str) -> str:
    """Do what ``codemind run`` does, in the engines' environment, and return what it printed and logged."""
    code = "import sys; from lm_eval_codemind.harness.cli import run_harness; run_harness(sys.argv[1:])"
    command = [engine.directory / "venv" / "bin" / "python", "-c", code, *arguments]
    environment = {**os.environ, "VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT), **more}
    done = subprocess.run([str(part) for part in command], env=environment, capture_output=True, text=True, timeout=550)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-6000:]
    return done.stdout + done.stderr


def stages(output: Path) -> list[dict[str, dict[str, dict[str, float]]]]:
    return [json.loads(path.read_text()) for path in sorted(output.rglob("results_*.json"))]


@pytest.mark.engine
@each_form
@each_backend
def test_tiny_model(engine: Engine, backend: str, chat: bool, tmp_path: Path) -> None:
    logged = ["--output_path", tmp_path / "out", "--log_samples", "--confirm_run_unsafe_code"]
    more = [*logged, "--batch_size", 1, "--use_cache", tmp_path / "cache"]
    log = run(engine, *engine.arguments(backend, chat, [TASK, "codemind_ier_sample"], 4, *more))
    first, second = stages(tmp_path / "out")
    assert set(first["results"]) == {"codemind_sr_sample", "codemind_ier_sample"}
    assert set(second["results"]) == {TASK}
    # Noise passes no tests, so there is nothing to ask about.
    scores = second["results"][TASK]
    assert scores["pass@1,strict-match"] == 0 and scores["s_der,strict-match"] == 0
    assert scores["r_der,strict-match"] != scores["r_der,strict-match"]
    if backend == "vllm":
        assert len(re.findall(r"Initializing a V\d LLM engine", log)) == 1


@pytest.mark.engine
def test_chat_completions(engine: Engine, serve_chat: object, tmp_path: Path) -> None:
    program = "```python\ndef collatz_trace(start, limit):\n    return []\n```"
    server = serve_chat(lambda messages: program)  # type: ignore[operator]
    assert isinstance(server, ChatServer)
    run(
        engine,
        *("--model", "local-chat-completions", "--model_args", f"base_url={server.url},model=tiny"),
        *("--tasks", TASK, "--limit", 2, "--apply_chat_template", "--output_path", tmp_path / "out"),
        *("--log_samples", "--confirm_run_unsafe_code"),
        OPENAI_API_KEY="none",
    )
    _, second = stages(tmp_path / "out")
    assert second["results"][TASK]["pass@1,strict-match"] == 0
    # Two documents of the first stage, one that stands for nothing to ask.
    assert len(server.requests) == 3
