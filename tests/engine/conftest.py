"""What the runs of real inference need: the environment made by utils/engine_environment.sh, and an API server."""

import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.data.manifest import DATA_VARIABLE
from tests.chat_server import Answers, ChatServer, chat_server
from tests.run_files import read_run

ROOT = Path(__file__).parents[2]
DIRECTORY = Path(os.environ.get("CODEMIND_ENGINE") or ROOT / ".cache" / "engine")

BACKENDS = {
    "vllm": "dtype=bfloat16,max_model_len=8192,enforce_eager=True",
    "hf": "dtype=bfloat16",
}
# A family's run by each backend, with its plain prompts and as chats.
each_backend = pytest.mark.parametrize("backend", BACKENDS)
each_form = pytest.mark.parametrize("chat", [False, True], ids=["plain", "chat"])


@dataclass(frozen=True)
class Engine:
    """The environment with vLLM, transformers and a tiny Llama of random weights.

    Attributes:
        directory: What utils/engine_environment.sh made.
    """

    directory: Path

    @property
    def model(self) -> Path:
        """The directory of the model."""
        return self.directory / "tiny-llama"

    def lm_eval(self, *arguments: object) -> str:
        """Run ``lm_eval ARGUMENTS`` there, with this checkout's tasks, and return its output."""
        command = [self.directory / "venv" / "bin" / "lm_eval", *arguments, "--include_path", ROOT / "tasks"]
        environment = {**os.environ, "VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1"}
        done = subprocess.run(
            [str(part) for part in command], env=environment, capture_output=True, text=True, timeout=550
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-6000:]
        return done.stdout

    def arguments(self, backend: str, chat: bool, tasks: Iterable[str], limit: int, *more: object) -> list[object]:
        """Return the arguments of a run of ``limit`` documents a task by the tiny model, with short responses."""
        model = ["--model", backend, "--model_args", f"pretrained={self.model},{BACKENDS[backend]}"]
        amount = ["--tasks", ",".join(tasks), "--limit", limit, "--gen_kwargs", "max_gen_toks=32"]
        return [*model, *amount, *(["--apply_chat_template"] if chat else []), *more]

    def paired(
        self,
        task: str,
        settings: Sequence[str],
        metrics: Iterable[str],
        results: Mapping[str, Any],
        rows: Sequence[Any],
    ) -> None:
        """Check a task of four documents, those of two problems under two settings, whose answers are code."""
        scores = results["results"][task]
        assert results["n-samples"][task]["effective"] == len(rows) == 4
        # Nothing is left unpaired.
        assert [row["doc"]["setting"] for row in rows] == [*settings] * 2
        for metric in metrics:
            assert 0.0 <= scores[f"{metric},extract-code"] <= 1.0
            assert scores[f"{metric}_stderr,extract-code"] >= 0.0

    def evaluate(
        self, backend: str, chat: bool, tasks: Iterable[str], limit: int, output: Path, *more: object
    ) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
        """Return the results and the samples of such a run, whose prompts the model was asked as they are."""
        logged = ["--output_path", output, "--log_samples", "--confirm_run_unsafe_code"]
        self.lm_eval(*self.arguments(backend, chat, tasks, limit, *logged, *more))
        results, samples = read_run(output)
        for row in (row for rows in samples.values() for row in rows):
            prompt = row["arguments"]["gen_args_0"]["arg_0"]
            assert ("<|assistant|>" in prompt) == chat
            assert row["doc"]["prompt"] in prompt
            assert row["resps"][0][0], "the model generated nothing"
        return results, samples


@pytest.fixture
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """The environment for real inference, which knows the built data; skips where it has not been made."""
    if not (DIRECTORY / "complete").is_file():
        pytest.skip(f"no engine environment at {DIRECTORY}; make it with utils/engine_environment.sh")
    monkeypatch.setenv(DATA_VARIABLE, str(request.getfixturevalue("built_data")))
    return Engine(DIRECTORY)


@pytest.fixture
def serve_chat() -> Iterator[Callable[[Answers], ChatServer]]:
    """A function that starts a server which answers the messages of each request by a given function."""
    with ExitStack() as running:
        yield lambda answer: running.enter_context(chat_server(answer))
