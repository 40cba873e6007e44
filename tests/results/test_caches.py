"""The harness's caches change no score, no prompt and no record of a run."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from lm_eval.caching import cache

from lm_eval_codemind.families.fresh import task as fresh
from lm_eval_codemind.families.ier import task as ier
from lm_eval_codemind.families.sr import task as sr
from tests.chat_server import Messages, chat_server, target_of
from tests.cli import said
from tests.run_files import read_rows, read_run, write_rows

pytest.importorskip("tenacity", reason="the extra `api` is not installed")

TASKS = "codemind_der_sample,codemind_ier_fresh_sample,codemind_sr_sample,codemind_ier_sample"
SEEDS = (1, 2)
DOCUMENTS = [
    *ier.dataset(benchmark="sample", setting="steps")["test"],
    *sr.dataset(benchmark="sample", settings=["no_test", "with_test"])["test"],
    *(row for seed in SEEDS for row in fresh.dataset(benchmark="sample", setting="steps", input_seed=seed)["test"]),
]
# Right, and 55 where the question is about a program of the model.
first_model = target_of(DOCUMENTS, default="<output>\n55\n</output>")


def second_model(messages: Messages) -> str:
    """Write other programs, which are right, and answer every third question wrong."""
    right = first_model(messages)
    if len(messages[-1]["content"]) % 3 == 0:
        return "I do not know."
    return right.replace("\n```\n", "\n# by the second model\n```\n")


MODELS = {"first": first_model, "second": second_model}


def content(output: Path) -> dict[str, Any]:
    """Return the scores, the prompts and the suite's records of a run, without what names files and places."""
    runs: dict[str, Any] = {}
    for file in sorted(output.rglob("results_*.json")):
        raw = json.loads(file.read_text())
        for task, config in raw["configs"].items():
            suite = dict(config["metadata"]["suite"])
            suite.pop("first_stage", None)
            suite["options"] = {name: value for name, value in suite["options"].items() if name != "first_stage"}
            runs[task] = [raw["results"][task], suite]
    for file in sorted(output.rglob("samples_*.jsonl")):
        rows = read_rows(file)
        task = file.name.removeprefix("samples_").rpartition("_")[0]
        runs[task] += [[row["doc"]["prompt"], row["arguments"], row["resps"], row["filter"]] for row in rows]
    return runs


@pytest.mark.proof
def test_every_combination_of_caches(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "PATH", str(tmp_path / "requests"))
    with chat_server(first_model) as first, chat_server(second_model) as second:
        urls = {"first": first.url, "second": second.url}

        def run(model: str, seed: int, place: str, *options: str) -> dict[str, Any]:
            output = tmp_path / place
            arguments = f"model={model},base_url={urls[model]},num_concurrent=4"
            said(
                *("run", "--model", "local-chat-completions", "--model_args", arguments, "--apply_chat_template"),
                *("--tasks", TASKS, "--limit", "8", "--confirm_run_unsafe_code", "--log_samples"),
                *("--metadata", json.dumps({"input_seed": seed}), "--output_path", output, *options),
            )
            return content(output)

        runs = list(product(MODELS, SEEDS))
        without = {which: run(*which, f"without-{number}") for number, which in enumerate(runs)}
        distinct = {json.dumps(one["codemind_der_sample"][2:]) for one in without.values()}
        assert len(distinct) == len(runs), "each run asks about its own programs and inputs"
        for number, (cached, requests) in enumerate(product(("", "cache"), ("", "true", "refresh"))):
            options = ["--use_cache", str(tmp_path / f"{cached}-{number}")] if cached else []
            options += ["--cache_requests", requests] if requests else []
            for turn, which in product((1, 2), runs if options else ()):
                place = "-".join(map(str, (number, turn, *which)))
                assert run(*which, place, *options) == without[which], (which, options, turn)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cached_request_of_another_seed(seed, tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "PATH", str(tmp_path / "requests"))
    for option in (3 - seed, seed):
        arguments = ["run", "--model", "codemind-oracle", "--tasks", "codemind_ier_fresh_sample"]
        arguments += ["--metadata", json.dumps({"input_seed": option}), "--cache_requests", "true"]
        said(*arguments, "--output_path", tmp_path / f"out-{option}", "--log_samples")
    scores = read_run(tmp_path / f"out-{seed}")[0]["results"]["codemind_ier_fresh_sample"]
    assert (scores["r_ier_fresh,strict-match"], scores["contamination_gap,strict-match"]) == (1, 0)


def test_a_replay_is_recorded_with_every_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "PATH", str(tmp_path / "requests"))
    documents = ier.dataset(benchmark="sample", setting="steps")["test"]
    rows = [
        {**{name: one[name] for name in ("benchmark", "problem_id")}, "response": one["target"]} for one in documents
    ]
    file = tmp_path / "responses.jsonl"
    write_rows(file, rows)
    for turn in ("first", "second"):
        arguments = ["run", "--model", "codemind-replay", "--model_args", f"responses={file}"]
        arguments += ["--tasks", "codemind_ier_sample", "--use_cache", str(tmp_path / "cache")]
        said(*arguments, "--cache_requests", "true", "--output_path", tmp_path / turn, "--log_samples")
        suite = read_run(tmp_path / turn)[0]["configs"]["codemind_ier_sample"]["metadata"]["suite"]
        assert suite["prompts"] == "recorded" and suite["templates"] == "packaged"
        assert len(suite["responses"].split()) == 24
