"""Everything that a run lacks is said at once, before the model is loaded."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lm_eval.config.evaluate_config import EvaluatorConfig
from lm_eval.tasks import manager

from lm_eval_codemind.harness import preflight, response_cache
from lm_eval_codemind.harness.location import task_directory, task_manager
from lm_eval_codemind.harness.state import state
from lm_eval_codemind.languages.python import importable
from lm_eval_codemind.sandbox.java import jdk
from tests.cli import codemind, said

IER = task_directory() / "ier" / "codemind_ier_sample.yaml"

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
    (("--model", "codemind-null", "--limit", "0"), "--limit 0: must be above 0 and finite"),
    (("--model", "codemind-null", "--limit", "nan"), "--limit nan: must be above 0 and finite"),
    (("--model", "codemind-null", "--gen_kwargs", "max_gen_toks=abc"),
     "--gen_kwargs max_gen_toks=abc: must be a whole number above 0"),
    (("--model", "codemind-null", "--samples", "nofile.json"),
     "--samples nofile.json: no such file, and no JSON object"),
    (("--model", "codemind-null", "--samples", "[1, 2]"), "--samples [1, 2]: must be a JSON object"),
    (("--model", "codemind-null", "--samples", '{"codemind_ier_sample": []}'), "must be a list of the numbers"),
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


@pytest.mark.parametrize(("names", "wrong"), [
    (["codemind_ier_sample", "codemind_ier_s*", "my.yaml", "m*.yaml"], []), (["folder"], []),
    (["codemind_ier_sample", ""], [""]), (["empty"], ["empty"]), (["folder", "codemind_ier_sample"], ["folder"]),
    (["your.yaml", "file.txt"], ["your.yaml", "file.txt"]),
])  # fmt: skip
def test_names_of_tasks_are_what_the_harness_takes(names, wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place in ("my.yaml", "file.txt", "folder/my.yaml", "empty/file.txt"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(f"include: {IER}\ntask: my_ier\n")
    found = preflight.unknown_tasks(task_manager(), names)
    assert list(found) == wrong and found.get("", "empty name").count("empty name") == 1


@pytest.fixture
def lm_eval_run(tmp_path, monkeypatch):
    """Return a function: has `lm_eval` with these tasks been checked? It ends as its process would."""
    # Of the harness's thousands of files, which take seconds to read, it finds those of one benchmark.
    monkeypatch.setattr(manager, "__file__", str(Path(manager.__file__).parent / "gsm8k" / "manager.py"))
    monkeypatch.setattr(preflight, "own_cache", lambda: SimpleNamespace(start=lambda: None))
    monkeypatch.setattr("atexit.register", lambda *_: None)
    monkeypatch.setattr(state, "include_path", "")
    (tmp_path / "my.yaml").write_text(f"include: {IER}\ntask: my_ier\nrepeats: 3\n")
    (tmp_path / "my_tasks.yaml").write_text("group: my_tasks\ntask: [gsm8k, my_ier]\n")

    def run(*tasks: str) -> bool:
        monkeypatch.setattr(state, "ends_process", False)
        names = [task.replace("HERE", str(tmp_path)) for task in tasks]
        config = EvaluatorConfig(
            model="dummy", tasks=names, include_path=str(tmp_path), use_cache=str(tmp_path / "cache"), model_args={}
        )
        config.process_tasks()
        assert (config.use_cache != str(tmp_path / "cache")) == state.ends_process
        return state.ends_process

    return run


@pytest.mark.parametrize(("task", "said"), [
    *((name, "codemind_ier_sample: 24 requests") for name in ("codemind_ier_sample", "*demind_ier_sample")),
    *((name, "my_ier: 72 requests") for name in ("my_ier", "my_tasks", "HERE/my.yaml", "HERE/m*_tasks.yaml", "HERE")),
])  # fmt: skip
def test_lm_eval_checks_a_run_with_a_task_of_ours_under_any_name(task, said, lm_eval_run, capsys):
    assert lm_eval_run(task)
    assert capsys.readouterr().out == f"{said}\n"


def test_lm_eval_leaves_other_runs_alone_and_names_what_is_wrong_with_ours(lm_eval_run):
    assert not lm_eval_run("gsm8k")
    with pytest.raises(ValueError, match="Tasks not found: gsm9k"):
        lm_eval_run("gsm8k", "gsm9k")
    with pytest.raises(SystemExit, match="Error: --tasks: an empty name"):
        lm_eval_run("codemind_ier_sample", "")


def test_every_task_of_the_suite_is_known_as_one():
    known = task_manager()
    assert [name for name in known.all_subtasks if not preflight.is_ours(known, name)] == []


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


def cache_path(**arguments: Any) -> str:
    config = SimpleNamespace(model="hf", model_args={"pretrained": "q", **arguments}, use_cache="c", seed=None)
    return str(response_cache.path_for_model(config))


@pytest.mark.parametrize("arguments", [
    {"max_length": 512}, {"max_length": 8192}, {"add_bos_token": True}, {"tokenizer": "other"}, {"truncation": True},
    {"chat_template_args": {"enable_thinking": False}}, {"enable_thinking": False}, {"gptqmodel": True},
    {"hf_overrides": {"rope": 2}}, {"dtype": "float32"}, {"softmax_dtype": "float32"}, {"unknown": 1},
])  # fmt: skip
def test_responses_under_other_arguments_are_in_another_cache(arguments):
    assert cache_path(**arguments) != cache_path()


def test_arguments_that_change_no_response_are_of_the_same_cache():
    from lm_eval import models

    assert {cache_path(**{name: "x"}) for name in response_cache.HARMLESS} == {cache_path()}
    source = "".join(file.read_text() for file in Path(models.__file__).parent.glob("*.py"))
    # The harness hands this one to vLLM as it is.
    assert [name for name in response_cache.HARMLESS if name not in source] == ["gpu_memory_utilization"]


def test_caches_of_earlier_commits_are_found_if_their_arguments_have_a_place_in_the_path():
    assert (cache_path(), cache_path(dtype="bfloat16")) == ("c-q-488ce2fb", "c-q-ae40dfea")


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
