"""Endpoints return what they like: a run goes on, keeps what was answered, and counts the rest."""

import json
import logging
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from lm_eval_codemind.families.ier import task as ier
from lm_eval_codemind.harness import replies
from tests.chat_server import Messages, Raw, chat_server, completion, target_of
from tests.cli import codemind, said
from tests.run_files import read_run

pytest.importorskip("tenacity", reason="the extra `api` is not installed")

TASK = "codemind_ier_sample"
right_answer = target_of(ier.dataset(benchmark="sample", setting="steps")["test"])
Shape = Callable[[str], Any]


def several_choices(right: str, first: int, second: int) -> Raw:
    body = completion(right)
    other = {"index": second, "message": {"content": "<output>wrong</output>"}, "finish_reason": "stop"}
    body["choices"] = [{**body["choices"][0], "index": first}, other]
    return Raw(body)


def late(right: str) -> str:
    time.sleep(0.3)
    return right


ERROR = {"error": {"message": "overloaded", "code": 503}}
# Shape -> the reply whose answer would be right, and how it counts: "right", "empty" or "failed".
SHAPES: dict[str, tuple[Shape, str]] = {
    "parts": (lambda right: [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, part(right)], "right"),
    "several text parts": (lambda right: [part(right[:5]), part(right[5:])], "right"),
    "parts without text": (lambda right: [{"type": "image_url", "image_url": {"url": right}}], "empty"),
    "object": (lambda right: {"answer": right}, "empty"),
    "number": (lambda right: 55, "empty"),
    "null": (lambda right: None, "empty"),
    "missing content": (lambda right: Raw({"choices": [{"index": 0, "message": {}}]}), "empty"),
    "missing message": (lambda right: Raw({"choices": [{"index": 0}]}), "empty"),
    "tool calls": (lambda right: Raw(completion(None, tool_calls=[{"function": {"name": "f"}}])), "empty"),
    "two choices": (lambda right: several_choices(right, 0, 1), "right"),
    "duplicated index": (lambda right: several_choices(right, 0, 0), "right"),
    "index out of range": (lambda right: several_choices(right, 7, 9), "right"),
    "reasoning in a field": (lambda right: Raw(completion(right, reasoning_content="wrong")), "right"),
    "reasoning in the content": (lambda right: f"<think>\n<output>wrong</output>\n</think>\n{right}", "right"),
    "usage as a list": (lambda right: Raw({**completion(right), "usage": [1, 2]}), "right"),
    "half a surrogate": (lambda right: f"smile \ud83d {right}", "right"),
    "NUL": (lambda right: f"\0 {right}", "right"),
    "1 MB": (lambda right: "x " * 500_000 + right, "right"),
    "late": (late, "right"),
    "no choices": (lambda right: Raw({"choices": []}), "failed"),
    "choices null": (lambda right: Raw({"choices": None}), "failed"),
    "error with status 200": (lambda right: Raw(ERROR), "failed"),
    "400": (lambda right: Raw(ERROR, 400), "failed"),
    "429": (lambda right: Raw(ERROR, 429), "failed"),
    "500": (lambda right: Raw(ERROR, 500), "failed"),
    "broken body": (lambda right: Raw('{"choices": [{"index"'), "failed"),
    "empty stream": (lambda right: Raw(""), "failed"),
    "body twice": (lambda right: Raw(2 * json.dumps(completion(right))), "failed"),
    "a list as body": (lambda right: Raw([1]), "failed"),
}


def part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def run(url: str, output: Path, *arguments: str, model: str = "org/chat", options: str = "") -> Result:
    return codemind(
        *("run", "--model", "local-chat-completions", "--model_args"),
        f"model={model},base_url={url},max_retries=1{options}",
        *("--tasks", TASK, "--apply_chat_template", "--output_path", output, "--log_samples", *arguments),
    )


def readings(output: Path) -> dict[str, int]:
    counts: dict[str, int] = read_run(output)[0]["configs"][TASK]["metadata"]["suite"]["readings"]
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("concurrent", ["", ",num_concurrent=4"])
@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_in_the_middle(name, concurrent, tmp_path):
    """Every second reply has the shape: the others count as they did, and this one as it says."""
    shape, kind = SHAPES[name]
    numbers: Counter[str] = Counter()

    def answer(messages: Messages) -> Any:
        right = right_answer(messages)
        odd = len(messages[-1]["content"]) % 2
        numbers["odd" if odd else "even"] += 1
        return shape(right) if odd else right

    with chat_server(answer) as server:
        done = run(server.url, tmp_path / "out", options=concurrent)
    assert done.exit_code == 0, done.output
    results, samples = read_run(tmp_path / "out")
    odd = numbers["odd"]
    counts = readings(tmp_path / "out")
    assert counts["responses"] == 24 and sum(numbers.values()) == 24
    assert counts["failed"] == (odd if kind == "failed" else 0)
    assert counts["no_answer"] == counts["empty"] == (0 if kind == "right" else odd)
    assert counts["replaced"] == (odd if name == "half a surrogate" else 0)
    right = 24 if kind == "right" else numbers["even"]
    assert results["results"][TASK]["r_ier,strict-match"] == pytest.approx(right / 24)
    assert len(samples[TASK]) == 2 * 24
    said("verify", tmp_path / "out")
    assert "How responses were read" in said("show", tmp_path / "out", "-n", "0")
    if kind == "failed":
        submitted = codemind("submit", tmp_path / "out", "--model", "org/chat", "--dataset", "org/data")
        assert f"{odd} of 24 requests failed" in submitted.output


def test_failed_requests_are_sent_again_and_the_others_are_not(tmp_path):
    """With ``--use_cache`` and as the same record as without."""
    broken = True

    def answer(messages: Messages) -> Any:
        right = right_answer(messages)
        return Raw(ERROR, 500) if broken and len(messages[-1]["content"]) % 3 == 0 else right

    cache = ("--use_cache", str(tmp_path / "cache"))
    with chat_server(answer) as server:
        assert run(server.url, tmp_path / "first", *cache).exit_code == 0
        failed = readings(tmp_path / "first")["failed"]
        assert 0 < failed < 24
        broken = False
        before = len(server.requests)
        assert run(server.url, tmp_path / "second", *cache).exit_code == 0
        assert len(server.requests) - before == failed
        assert run(server.url, tmp_path / "third", *cache).exit_code == 0
        assert len(server.requests) - before == failed
        assert run(server.url, tmp_path / "fresh").exit_code == 0
    suites = [
        read_run(tmp_path / name)[0]["configs"][TASK]["metadata"]["suite"] for name in ("second", "third", "fresh")
    ]
    assert suites[0] == suites[1] == suites[2]
    assert suites[0]["response_lengths"]["tokens"] > 0 and suites[0]["readings"]["cut"] == 0


def test_two_models_do_not_share_a_cache(tmp_path):
    for model, text in (("a", right_answer), ("b", lambda messages: "no idea")):
        with chat_server(text) as server:
            done = run(server.url, tmp_path / model, "--use_cache", str(tmp_path / "cache"), model=model)
        assert done.exit_code == 0, done.output
    scores = [read_run(tmp_path / name)[0]["results"][TASK]["r_ier,strict-match"] for name in ("a", "b")]
    assert scores == [1, 0]


def test_the_token_limit_is_counted(tmp_path):
    def answer(messages: Messages) -> Any:
        body = completion("The loop runs")
        body["choices"][0]["finish_reason"] = "length"
        return Raw(body)

    with chat_server(answer) as server:
        assert run(server.url, tmp_path, "--limit", "3").exit_code == 0
    assert readings(tmp_path)["cut"] == 3


def test_an_endpoint_that_never_answers_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(replies, "_FAILURES_AT_FIRST", 3)
    with chat_server(lambda messages: Raw(ERROR, 401)) as server:
        done = run(server.url, tmp_path)
    assert done.exit_code == 1 and isinstance(done.exception, SystemExit), done.exception
    (line,) = re.findall(r"\bError: (.*)\n", done.output)
    assert "did not answer the first 3 requests" in line and "overloaded" in line and "base_url" in line
    assert len(server.requests) == 3


def test_an_endpoint_that_is_gone_is_not_asked_again(tmp_path, monkeypatch):
    monkeypatch.setattr(replies, "_FAILURES_LATER", 2)
    numbers = iter(range(100))
    with chat_server(lambda messages: right_answer(messages) if next(numbers) < 5 else Raw(ERROR, 500)) as server:
        assert run(server.url, tmp_path).exit_code == 0
    assert len(server.requests) == 7
    assert readings(tmp_path)["failed"] == 19


def test_one_warning_shows_the_shape(tmp_path, caplog):
    replies._warned.clear()
    with caplog.at_level(logging.WARNING), chat_server(lambda messages: {"strange": 1}) as server:
        assert run(server.url, tmp_path, "--limit", "4").exit_code == 0
    warnings = [record.getMessage() for record in caplog.records if "strange" in record.getMessage()]
    assert len(warnings) == 1 and '{"strange": 1}' in warnings[0]
