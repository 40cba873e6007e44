"""Everything that a run lacks is said at once, before the model is loaded."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lm_eval.tasks import manager

from lm_eval_codemind.harness import preflight
from lm_eval_codemind.languages.python import importable
from lm_eval_codemind.sandbox.java import jdk
from tests.cli import codemind, said

# A package of this name in front of the others shows whether it is imported.
_NO_TORCH = "raise AssertionError('torch was imported')\n"


def refused(*arguments: object) -> str:
    result = codemind(*arguments)
    assert result.exit_code == 1 and isinstance(result.exception, SystemExit), result.output
    return result.output.partition("Error: ")[2]


def in_a_process(code: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, **options)


@pytest.mark.proof
@pytest.mark.parametrize("program", [("lm_eval_codemind.cli", "main"), ("lm_eval.__main__", "cli_evaluate")])
def test_everything_is_said_at_once_without_torch(program, tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text(_NO_TORCH)
    # Looked for, and not imported before the model is loaded.
    (tmp_path / "transformers.py").touch()
    module, function = program
    arguments = ["run", "--model", "hf", "--model_args", "pretrained=missing,max_length=1024", "--num_fewshot", "9"]
    arguments += ["--tasks", "codemind_sr_sample", "--output_path", "/proc/results"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = in_a_process(f"from {module} import {function} as f; f()", *arguments, env=environment)
    assert done.returncode == 1, done.stderr
    assert "torch was imported" not in done.stderr and "Traceback" not in done.stderr
    message = done.stderr.partition("Error: ")[2]
    assert message.startswith("4 things are missing before the model can be loaded:")
    for line in (
        "/proc/results: results cannot be written there",
        "codemind_sr_sample: programs of the model are executed (sandboxed); add --confirm_run_unsafe_code",
        "but the context has 1024, so that no prompt fits; add --gen_kwargs max_gen_toks=256",
        "codemind_sr_sample has 2 few-shot examples; use --num_fewshot 2 or fewer",
    ):
        assert line in message


def test_packages_and_a_jdk_are_missing_at_once(built, monkeypatch):
    def no_jdk() -> Any:
        raise jdk.JavaUnavailable("programs in Java need a JDK")

    def hidden(modules: Any) -> None:
        raise importable.HiddenPackages("these packages are not visible in the sandbox")

    monkeypatch.setattr(jdk, "find", no_jdk)
    monkeypatch.setattr(importable, "require_importable", hidden)
    tasks = "codemind_repair_sample,codemind_repair_humaneval_java"
    message = refused("run", "--model", "codemind-oracle", "--tasks", tasks)
    for line in ("need a JDK", "not visible in the sandbox", "--confirm_run_unsafe_code"):
        assert message.count(line) == 1


def test_options_are_checked_and_the_second_stage_before_the_first_runs(tmp_path):
    arguments = ("run", "--model", "codemind-oracle", "--tasks", "codemind_ier_fresh_sample,codemind_ier_sample")
    message = refused(*arguments, "--num_fewshot", "7", "--metadata", '{"input_seed": "x"}')
    assert "input_seed is 'x' and must be a whole number" in message
    assert "codemind_ier_sample has 3 few-shot examples" in message
    message = refused("run", "--model", "codemind-oracle", "--tasks", "codemind_der_sample")
    assert message.count("add --confirm_run_unsafe_code") == 1 and "codemind_der_sample" in message


@pytest.mark.parametrize(("arguments", "expected"), [
    (("--model", "codemind-nul"), "--model codemind-nul: unknown; did you mean codemind-null"),
    (("--model", "local-chat-completions", "--model_args", "base_url=http://x"),
     "takes chat messages: add --apply_chat_template"),
    (("--model", "codemind-replay"), "add --model_args responses=FILE"),
    (("--model", "codemind-null", "--limit", "0"), "--limit 0: must be above 0"),
    (("--model", "codemind-null", "--num_fewshot", "-1"), "--num_fewshot -1: must be 0 or more"),
    (("--model", "codemind-null", "--metadata", "{x"), "Invalid JSON: {x"),
    (("--model", "codemind-null", "--samples", '{"codemind_ier_sample": [99]}'),
     "codemind_ier_sample has documents 0 to 23; leave out 99"),
    (("--model", "codemind-null", "--samples", '{"codemind_ier_sample": ["1"]}'), "must be a list of the numbers"),
    (("--model", "codemind-null", "--samples", '{"codemind_ier_smaple": [1]}'),
     "the run has no task codemind_ier_smaple; did you mean codemind_ier_sample"),
    (("--model", "codemind-null", "--metadata", '{"promts": "x"}'), "unknown key promts; did you mean prompts"),
    (("--model", "codemind-null", "--metadata", '{"items": "all"}'),
     "unknown key items; the tasks take prompts, thinking"),
    (("--model", "codemind-null", "--metadata", '{"benchmark": "humaneval"}'),
     "benchmark is set by the file of codemind_ier_sample; leave it out, and use codemind_ier_humaneval"),
    (("--model", "local-completions"), "has no address: add base_url=http://localhost:8000/v1/completions"),
    (("--model", "openai-completions"), "needs a key: set the environment variable OPENAI_API_KEY"),
    (("--model", "local-completions", "--model_args", "base_url=http://x", "--use_cache", "/proc/nowhere/cache"),
     "choose another --use_cache"),
])  # fmt: skip
def test_options_that_no_run_can_have(arguments, expected, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    message = refused("run", "--tasks", "codemind_ier_sample", *arguments)
    assert expected in message and len(message.strip().splitlines()) <= 2


@pytest.mark.parametrize(("model", "distribution"), [
    ("hf", "lm-eval-codemind[hf]"), ("vllm", "lm-eval-codemind[vllm]"),
    ("local-chat-completions", "lm-eval-codemind[api]"), ("anthropic-chat", "lm-eval-codemind[api]"),
    ("litellm", "lm-eval[litellm]"),
])  # fmt: skip
def test_packages_of_a_model(model, distribution, monkeypatch):
    monkeypatch.setattr(preflight, "find_spec", lambda package: None)
    message = refused("run", "--tasks", "codemind_ier_sample", "--model", model, "--model_args", "pretrained=gpt2")
    assert f"pip install '{distribution}'" in message


def test_what_the_harness_imports_is_known_for_its_models():
    """The tables name models that the harness has."""
    from lm_eval.models import MODEL_MAPPING

    other = {"azure-openai-chat-completions"}  # known when its module has been imported
    assert {*preflight._PACKAGES, *preflight._KEYS, *preflight._ADDRESSES} - other <= {*MODEL_MAPPING}


def test_everything_about_an_endpoint_is_said_at_once(tmp_path, monkeypatch):
    # Of the harness's thousands of files, which take seconds to read, it finds those of one benchmark.
    monkeypatch.setattr(manager, "__file__", str(Path(manager.__file__).parent / "gsm8k" / "manager.py"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "file").touch()
    message = refused(
        *("run", "--model", "openai-chat-completions", "--model_args", "model=m", "--num_fewshot", "9"),
        *("--tasks", "codemind_ier_sample,codemind_ier_smaple,codemind_sr_sampel"),
        *("--use_cache", tmp_path / "file" / "cache", "--metadata", '{"benchmark": "humaneval", "promts": 1}'),
        *("--samples", '{"codemind_ier_sample": [0, 99], "codemind_ier_smaple": [1]}'),
    )
    assert message.startswith("10 things are missing"), message
    for line in (
        *(
            "unknown task codemind_ier_smaple; did you mean codemind_ier_sample",
            "unknown task codemind_sr_sampel; did",
            "OPENAI_API_KEY",
        ),
        *("--apply_chat_template", "--use_cache", "benchmark is set", "promts", "no task codemind_ier_smaple"),
        *("leave out 99", "use --num_fewshot 3"),
    ):
        assert line in message


def test_a_cache_that_is_another_file(tmp_path):
    arguments = ("run", "--model", "hf", "--model_args", "pretrained=gpt2", "--tasks", "codemind_ier_sample")
    cache = tmp_path / "cache"
    path = preflight.path_for_model(
        SimpleNamespace(model="hf", model_args={"pretrained": "gpt2"}, use_cache=str(cache), seed=None)
    )
    file = tmp_path / f"{path}_rank0.db"
    file.write_text("responses, but not of ours" * 40)
    assert f"{file}: no cache of responses" in refused(*arguments, "--use_cache", cache)


@pytest.mark.parametrize(("model", "arguments", "content", "expected"), [
    *(("hf", {"max_length": 512}, None, 512), ("hf", {}, {"n_positions": 1024}, 1024)),
    *(("hf", {}, {"hidden_size": 1}, None), ("hf", {}, None, None)),
    ("vllm", {"max_model_len": "2048"}, {"max_position_embeddings": 4096}, 2048),
    ("vllm", {}, {"max_position_embeddings": 2048}, 2048),
    ("local-chat-completions", {"max_length": 512}, None, None),
])  # fmt: skip
def test_the_context_of_a_model(model, arguments, content, expected, tmp_path):
    if content is not None:
        (tmp_path / "config.json").write_text(json.dumps(content))
    assert preflight._context(model, {"pretrained": str(tmp_path), **arguments}) == expected


def test_a_list_of_the_tasks_and_free_space(tmp_path, monkeypatch):
    listed = said("run", "--tasks", "list")
    assert "|codemind_ier_sample " in listed and "Config Location" in listed
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=3_000_000))
    arguments = ("run", "--model", "codemind-null", "--tasks", "codemind_ier_sample", "--output_path", tmp_path)
    assert "3 MB are free" in refused(*arguments)


@pytest.mark.proof
def test_no_complaint_of_git_outside_of_a_repository(tmp_path):
    arguments = ("run", "--model", "codemind-null", "--tasks", "codemind_ier_sample", "--limit", "1")
    done = in_a_process("from lm_eval_codemind.cli import main; main()", *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "fatal:" not in done.stderr + done.stdout


@pytest.mark.proof
def test_the_list_is_that_of_lm_eval():
    """`lm_eval ls tasks` names the tasks that `codemind run --tasks list` names."""
    listed = said("run", "--tasks", "list")
    done = in_a_process("from lm_eval.__main__ import cli_evaluate as f; f()", "ls", "tasks")

    def rows(text: str) -> list[list[str]]:
        cells = [[cell.strip() for cell in line.split("|")] for line in text.splitlines()]
        return [row for row in cells if len(row) > 2 and row[1].startswith("codemind_")]

    assert rows(listed) == rows(done.stdout)
