"""Families through real inference: by vLLM and transformers with a tiny model, and by an API server.

The model's answers are noise; the path from prompt to sandbox and sample log is real. The environment is made by
utils/engine_environment.sh.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from lm_eval_codemind.cli import main
from lm_eval_codemind.data.manifest import DATA_VARIABLE
from lm_eval_codemind.families.horizon.task import load_rungs
from lm_eval_codemind.families.ier import task as ier
from lm_eval_codemind.families.translation.task import CAUSES
from lm_eval_codemind.questions import Answer
from tests.chat_server import chat_server
from tests.families.lcb_rows import built_lcb
from tests.run_files import read_run

ROOT = Path(__file__).parents[2]
DIRECTORY = Path(os.environ.get("CODEMIND_ENGINE") or ROOT / ".cache" / "engine")
BACKENDS = {"vllm": "dtype=bfloat16,max_model_len=8192,enforce_eager=True", "hf": "dtype=bfloat16"}
# A family's run by each backend, with its plain prompts and as chats.
each_backend = pytest.mark.parametrize("backend", BACKENDS)
each_form = pytest.mark.parametrize("chat", [False, True], ids=["plain", "chat"])
Rows = Sequence[dict[str, Any]]


@pytest.fixture
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment for real inference, which knows the built data; skips where it has not been made."""
    if not (DIRECTORY / "complete").is_file():
        pytest.skip(f"no engine environment at {DIRECTORY}; make it with utils/engine_environment.sh")
    monkeypatch.setenv(DATA_VARIABLE, str(request.getfixturevalue("built_data")))


def execute(program: str, *arguments: object, **variables: str) -> str:
    """Run a program of the environment, and return what it printed and logged."""
    # The environment may have been made of another clone.
    environment = {**os.environ, "VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    command = [str(part) for part in (DIRECTORY / "venv" / "bin" / program, *arguments)]
    done = subprocess.run(command, env={**environment, **variables}, capture_output=True, text=True, timeout=550)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-6000:]
    return done.stdout + done.stderr


def codemind_run(*arguments: object, **variables: str) -> str:
    """Do what ``codemind run`` does."""
    code = "import sys; from lm_eval_codemind.harness.cli import run_harness; run_harness(sys.argv[1:])"
    return execute("python", "-c", code, *arguments, **variables)


def tiny(backend: str, chat: bool, tasks: Iterable[str], limit: int, output: Path) -> list[object]:
    """Return the arguments of a run of ``limit`` documents a task by a tiny Llama of random weights."""
    model = ["--model", backend, "--model_args", f"pretrained={DIRECTORY / 'tiny-llama'},{BACKENDS[backend]}"]
    amount = ["--tasks", ",".join(tasks), "--limit", limit, "--gen_kwargs", "max_gen_toks=32"]
    logged = ["--output_path", output, "--log_samples", "--confirm_run_unsafe_code"]
    return [*model, *amount, *(["--apply_chat_template"] if chat else []), *logged]


def evaluate(
    backend: str, chat: bool, tasks: Iterable[str], limit: int, folder: Path, *more: object
) -> tuple[dict[str, Any], dict[str, Rows]]:
    """Return the results and the samples of a run by ``lm_eval``, whose prompts the model was asked as they are."""
    more = more or ("--batch_size", 1, "--use_cache", folder / "cache")
    arguments = tiny(backend, chat, tasks, limit, folder / "out")
    execute("lm_eval", *arguments, *more, "--include_path", ROOT / "tasks")
    assert "--use_cache" not in more or any(folder.glob("cache*"))
    results, samples = read_run(folder / "out")
    for row in (row for rows in samples.values() for row in rows):
        prompt = row["arguments"]["gen_args_0"]["arg_0"]
        assert ("<|assistant|>" in prompt) == chat
        assert row["doc"]["prompt"] in prompt
        assert row["resps"][0][0], "the model generated nothing"
    return results, dict(samples)


def check_scores(results: dict[str, Any], task: str, filter: str, metrics: Iterable[str], documents: int = 4) -> None:
    assert results["n-samples"][task]["effective"] == documents
    for metric in metrics:
        assert 0.0 <= results["results"][task][f"{metric},{filter}"] <= 1.0


def check_pairs(
    results: dict[str, Any], task: str, rows: Rows, settings: Sequence[str], metrics: Sequence[str]
) -> None:
    """Check a task of four documents, those of two problems under two settings, whose answers are code."""
    # Nothing is left unpaired.
    assert [row["doc"]["setting"] for row in rows] == [*settings] * 2
    check_scores(results, task, "extract-code", metrics)
    assert all(results["results"][task][f"{metric}_stderr,extract-code"] >= 0.0 for metric in metrics)


def check_outcomes(samples: dict[str, Rows], tasks: Iterable[str]) -> None:
    for row in (row for task in tasks for row in samples[task]):
        # The harness writes other values than text as str() gives it.
        answer = Answer.from_json(row["filtered_resps"][0][0])
        assert (answer.text is None) == (answer.outcome is None)


@pytest.mark.usefixtures("engine")
@each_form
@each_backend
def test_cruxeval_greedy_and_with_ten_responses_a_problem(built_data, backend, chat, tmp_path):
    sampled = "codemind_cruxeval_output_direct_08"
    tasks = ["codemind_cruxeval_output", "codemind_cruxeval_input", sampled]
    results, samples = evaluate(backend, chat, tasks, 4, tmp_path, "--batch_size", 4)
    # The first two are groups of five tasks.
    assert len(samples) == 6
    for task, rows in samples.items():
        assert len(rows) == 4
        check_scores(results, task, "extract-answer", ("pass@1", "pass@1_upstream", "answered"))
        for row in rows:
            # The prompt ends where its authors end it, also in front of a response.
            assert chat or row["arguments"]["gen_args_0"]["arg_0"].endswith(row["doc"]["prompt"][-40:])
    check_scores(results, sampled, "extract-answer", ("pass@5", "pass@5_upstream", "pass@5_stderr"))
    for row in samples[sampled]:
        assert len(row["resps"][0]) == 10 and len(set(row["resps"][0])) == 10


@pytest.mark.usefixtures("engine")
@each_form
@each_backend
def test_livecodebench_greedy_and_with_ten_responses_a_problem(shared_data, backend, chat, tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(built_lcb(shared_data, tmp_path)))
    tasks = [f"codemind_lcb_execution_{form}" for form in ("direct", "cot", "direct_02")]
    results, samples = evaluate(backend, chat, tasks, 4, tmp_path, "--batch_size", 4)
    for task in tasks:
        check_scores(results, task, "extract-answer", ("pass@1", "pass@1_upstream", "answered"))
        # The label of one of the four is not proven.
        assert sum(row["pass@1"] is None for row in samples[task]) == 1
        for row in samples[task]:
            prompt = row["arguments"]["gen_args_0"]["arg_0"]
            assert ("<|system|>" in prompt) == chat and (chat or prompt == row["doc"]["prompt"])
    check_scores(results, tasks[-1], "extract-answer", ("pass@5", "pass@5_stderr"))
    verified = CliRunner().invoke(main, ["verify", str(tmp_path / "out")])
    assert "equal (3 tasks" in verified.output, verified.output


@pytest.mark.usefixtures("engine")
@pytest.mark.timeout(1800)
@each_form
@each_backend
def test_horizon(horizon_data, backend, chat, tmp_path):
    load_rungs("cruxeval", 0)  # where it has not been built, this takes minutes
    task = "codemind_horizon"
    results, samples = evaluate(backend, chat, [task], 4, tmp_path, "--batch_size", 4)
    check_scores(results, task, "strict-match", ["r_ier", "level_1", "answered"])
    assert 16 <= results["results"][task]["horizon,strict-match"] <= 2048
    assert len(samples[task]) == 8 and {row["doc"]["level"] for row in samples[task]} == {1}
    assert "equal (1 task" in CliRunner().invoke(main, ["verify", str(tmp_path / "out")]).output


def stages(output: Path) -> list[dict[str, dict[str, dict[str, float]]]]:
    return [json.loads(path.read_text()) for path in sorted(output.rglob("results_*.json"))]


@pytest.mark.usefixtures("engine")
@each_form
@each_backend
def test_der_makes_its_second_stage_of_the_first_ones_samples(backend, chat, tmp_path):
    arguments = tiny(backend, chat, ["codemind_der_sample", "codemind_ier_sample"], 4, tmp_path / "out")
    log = codemind_run(*arguments, "--batch_size", 1, "--use_cache", tmp_path / "cache")
    first, second = stages(tmp_path / "out")
    assert set(first["results"]) == {"codemind_sr_sample", "codemind_ier_sample"}
    assert set(second["results"]) == {"codemind_der_sample"}
    # Noise passes no tests, so there is nothing to ask about.
    scores = second["results"]["codemind_der_sample"]
    assert scores["pass@1,strict-match"] == 0 and scores["s_der,strict-match"] == 0
    assert scores["r_der,strict-match"] != scores["r_der,strict-match"]
    if backend == "vllm":
        assert len(re.findall(r"Initializing a V\d LLM engine", log)) == 1


@pytest.mark.usefixtures("engine")
def test_der_by_chat_completions(tmp_path):
    with chat_server(lambda messages: "```python\ndef collatz_trace(start, limit):\n    return []\n```") as server:
        codemind_run(
            *("--model", "local-chat-completions", "--model_args", f"base_url={server.url},model=tiny"),
            *("--tasks", "codemind_der_sample", "--limit", 2, "--apply_chat_template"),
            *("--output_path", tmp_path / "out", "--log_samples", "--confirm_run_unsafe_code"),
            OPENAI_API_KEY="none",
        )
    _, second = stages(tmp_path / "out")
    assert second["results"]["codemind_der_sample"]["pass@1,strict-match"] == 0
    # Two documents of the first stage, one that stands for nothing to ask.
    assert len(server.requests) == 3


@pytest.mark.usefixtures("engine")
@each_form
@each_backend
def test_dsr(backend, chat, tmp_path):
    tasks = ["codemind_dsr_sample", "codemind_dsr_humaneval", "codemind_dsr_buggy_sample"]
    results, samples = evaluate(backend, chat, tasks, 3, tmp_path)
    for task in tasks:
        check_scores(results, task, "extract-code", ["r_dsr", "pass@1"], documents=3)
        scores = results["results"][task]
        assert scores["r_dsr,extract-code"] <= scores["pass@1,extract-code"]
        assert results["configs"][task]["metadata"]["suite"]["transform_seed"] == 0
        for row in samples[task]:
            assert row["doc"]["loc_transformed"] > row["doc"]["loc"]
            assert row["doc"]["transformed"].strip() in row["arguments"]["gen_args_0"]["arg_0"]
    check_outcomes(samples, tasks)


@pytest.mark.usefixtures("engine")
@each_form
@each_backend
def test_ier(backend, chat, tmp_path):
    tasks = ["codemind_ier_sample", "codemind_ier_humaneval", "codemind_ier_unrolled_sample"]
    metrics = {**dict.fromkeys(tasks, "r_ier"), "codemind_ier_fresh_sample": "r_ier_fresh"}
    results, samples = evaluate(backend, chat, metrics, 4, tmp_path, "--batch_size", 4)
    for task, metric in metrics.items():
        check_scores(results, task, "strict-match", [metric])
        assert len(samples[task]) == 8


def test_ier_by_chat_completions(tmp_path):
    documents = {row["prompt"]: row for row in ier.dataset(benchmark="sample", setting="steps")["test"]}

    def answer(messages: list[dict[str, str]]) -> str:
        return f"Let me see.\n\n{documents[messages[-1]['content']]['target']}\nDone."

    with chat_server(answer) as server:
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
        assert (request["temperature"], request["max_tokens"]) == (0.0, 2048)
        assert "\n### Problem\n" in request["stop"]


STRICT, EXTRACT = ("strict-match", "flexible-extract"), ("extract-answer",)
# Task -> its filters, and metrics that every response has.
SHORT = {
    "codemind_input_sample": (STRICT, ("r_input", "as_recorded", "answered")),
    "codemind_input_direct_humaneval": (STRICT, ("r_input", "as_recorded", "answered")),
    "codemind_trace_lines_sample": (EXTRACT, ("trace", "prefix", "output", "answered")),
    "codemind_trace_states_sample": (EXTRACT, ("trace", "prefix", "output", "answered")),
    "codemind_verdict_sample": (EXTRACT, ("verdict", "verdict_pair", "answered")),
    "codemind_locate_sample": (EXTRACT, ("locate", "line", "answered")),
    "codemind_re2_output": (EXTRACT, ("accuracy", "answered")),
    "codemind_re2_branch": (EXTRACT, ("accuracy", "answered")),
}


@pytest.mark.usefixtures("engine")
@each_backend
def test_families_with_short_answers(backend, tmp_path):
    results, samples = evaluate(backend, False, SHORT, 4, tmp_path, "--batch_size", 4)
    for task, (filters, metrics) in SHORT.items():
        check_scores(results, task, filters[0], metrics)
        assert len(samples[task]) == 4 * len(filters)


@pytest.mark.usefixtures("engine", "java")
@each_form
@each_backend
def test_repair(backend, chat, tmp_path):
    paired = {
        "codemind_repair_sample": ("steps", "no_test_steps"),
        "codemind_repair_direct_humaneval": ("direct", "no_test"),
        "codemind_repair_humaneval_java": ("steps", "no_test_steps"),
    }
    metrics = ("pass@1", "pass@1_no_test", "repaired_by_test", "unchanged", "similarity_to_bug", "code_found")
    results, samples = evaluate(backend, chat, [*paired, "codemind_ier_buggy"], 4, tmp_path)
    for task, settings in paired.items():
        check_pairs(results, task, samples[task], settings, metrics)
    check_outcomes(samples, paired)
    assert 0.0 <= results["results"]["codemind_ier_buggy"]["r_ier,strict-match"] <= 1.0


@pytest.mark.usefixtures("engine")
@each_form
@each_backend
def test_runtime_behaviour(backend, chat, tmp_path):
    tasks = ["codemind_runtime_sample", "codemind_runtime_direct_sample", "codemind_runtime_published_humaneval"]
    results, samples = evaluate(backend, chat, tasks, 8, tmp_path, "--batch_size", 1, "--num_fewshot", 0)
    for task in tasks:
        check_scores(results, task, "extract-answer", ["answered"], documents=8)
        assert len(samples[task]) == 8
        for row in samples[task]:
            logged = row["filtered_resps"][0][0]
            assert Answer.from_json(logged).to_json() == logged


@pytest.mark.usefixtures("engine")
@each_form
@each_backend
def test_runtime_behaviour_with_one_request_a_program(backend, chat, tmp_path):
    """It sends a document for each program, and no answer of noise is in the form."""
    task = "codemind_runtime_together_sample"
    results, samples = evaluate(backend, chat, [task], 24, tmp_path, "--batch_size", 1)
    check_scores(results, task, "extract-answer", ["answered", "complete"], documents=24)
    rows = samples[task]
    assert len(rows) == len({row["doc"]["problem_id"] for row in rows}) == 24
    assert {Answer.from_json(row["filtered_resps"][0][0]).reading for row in rows} <= {"no_answer", "malformed"}


WITH_AND_WITHOUT_TEST = ("r_sr", "s_sr", "pass@1_no_test", "pass@1_with_test", "code_found")


@pytest.mark.usefixtures("engine")
@each_form
@each_backend
def test_sr(backend, chat, tmp_path):
    paired, misleading = ["codemind_sr_sample", "codemind_sr_humaneval"], "codemind_sr_misleading_sample"
    results, samples = evaluate(backend, chat, [*paired, misleading], 4, tmp_path)
    for task in paired:
        check_pairs(results, task, samples[task], ("no_test", "with_test"), WITH_AND_WITHOUT_TEST)
        assert results["configs"][task]["metadata"]["suite"]["hint_seed"] == 0
    assert 0.0 <= results["results"][misleading]["pass@1,extract-code"] <= 1.0
    check_outcomes(samples, samples)


@pytest.mark.usefixtures("engine", "java")
@each_form
@each_backend
def test_translation(backend, chat, tmp_path):
    paired = {
        "codemind_translation_sample_java_python": ("java", "python"),
        "codemind_translation_sample_python_java": ("python", "java"),
    }
    misleading = "codemind_translation_misleading_sample_java_python"
    results, samples = evaluate(backend, chat, [*paired, misleading], 4, tmp_path)
    for task, (source, target) in paired.items():
        metrics = (*WITH_AND_WITHOUT_TEST, "gained", *CAUSES)
        check_pairs(results, task, samples[task], ("no_test", "with_test"), metrics)
        suite = results["configs"][task]["metadata"]["suite"]
        assert (suite["source_language"], suite["target_language"]) == (source, target)
    assert 0.0 <= results["results"][misleading]["pass@1,extract-code"] <= 1.0
    check_outcomes(samples, samples)
