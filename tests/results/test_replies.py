"""Endpoints return what they like: a run goes on, keeps what was answered, and counts the rest."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from lm_eval_codemind.families.ier import task as ier
from tests.chat_server import ERROR, SHAPES, Messages, Raw, chat_server, completion, target_of
from tests.cli import codemind, refused, said
from tests.run_files import read_run

pytest.importorskip("tenacity", reason="the extra `api` is not installed")

TASK = "codemind_ier_sample"
right_answer = target_of(ier.dataset(benchmark="sample", setting="steps")["test"])
Shape = Callable[[str], Any]


def run(url: str, output: Path, *arguments: str, model: str = "org/chat", options: str = "") -> Result:
    return codemind(
        *("run", "--model", "local-chat-completions", "--model_args"),
        f"model={model},base_url={url},max_retries=1{options}",
        *("--tasks", TASK, "--apply_chat_template", "--output_path", output, "--log_samples", *arguments),
    )


def readings(output: Path) -> dict[str, int]:
    counts: dict[str, int] = read_run(output)[0]["configs"][TASK]["metadata"]["suite"]["readings"]
    return counts


def ended(result: Result) -> str:
    """Return the message with which a command ended."""
    assert result.exit_code == 1 and isinstance(result.exception, SystemExit), (result.exception, result.output)
    # A progress bar may have moved the cursor just before.
    (line,) = re.findall(r"\bError: (.*)\n", re.sub(r"\x1b\[\w", "\n", result.output))
    return line


@pytest.mark.proof
@pytest.mark.parametrize(
    "name", ["parts", "null", "only thoughts before the limit", "error in a choice", "500", "broken body"]
)
def test_a_shape_in_the_middle(name, tmp_path):
    """Every second reply has the shape: the others count as they did, and this one as it says."""
    shape = SHAPES[name]
    numbers: Counter[str] = Counter()

    def answer(messages: Messages) -> Any:
        right = right_answer(messages)
        odd = len(messages[-1]["content"]) % 2
        numbers["odd" if odd else "even"] += 1
        changed = shape.change(completion(right)) if odd else right
        return changed if isinstance(changed, (Raw, str)) else Raw(changed)

    with chat_server(answer) as server:
        done = run(server.url, tmp_path / "out")
    failed = numbers["odd"] if shape.reading == "failed" else 0
    assert done.exit_code == (1 if failed else 0), done.output
    assert (f"{failed} of 24 requests failed and count as wrong" in done.output) == bool(failed)
    results, samples = read_run(tmp_path / "out")
    counts = readings(tmp_path / "out")
    assert counts["responses"] == 24 and sum(numbers.values()) == 24
    assert counts["failed"] == failed
    assert counts["no_answer"] == counts["empty"] == (0 if shape.reading == "right" else numbers["odd"])
    right = 24 if shape.reading == "right" else numbers["even"]
    assert results["results"][TASK]["r_ier,strict-match"] == pytest.approx(right / 24)
    assert len(samples[TASK]) == 2 * 24
    said("verify", tmp_path / "out")
    assert "How responses were read" in said("show", tmp_path / "out", "--all")
    if failed:
        submitted = codemind("submit", tmp_path / "out", "--model", "org/chat", "--dataset", "org/data")
        assert f"{failed} of 24 requests failed" in submitted.output


@pytest.mark.parametrize("text", ["smile \ud83d {}", "\0 {}", "<think>\n<output>wrong</output>\n</think>\n{}"])
def test_a_text_with_something_before_the_answer(text, tmp_path):
    with chat_server(lambda messages: text.format(right_answer(messages))) as server:
        assert run(server.url, tmp_path / "out").exit_code == 0
    assert read_run(tmp_path / "out")[0]["results"][TASK]["r_ier,strict-match"] == 1
    assert readings(tmp_path / "out")["replaced"] == (24 if "smile" in text else 0)
    said("verify", tmp_path / "out")


def test_failed_requests_are_sent_again_and_the_others_are_not(tmp_path):
    """With ``--use_cache`` and as the same record as without."""
    broken = True

    def answer(messages: Messages) -> Any:
        right = right_answer(messages)
        return Raw(ERROR, 500) if broken and len(messages[-1]["content"]) % 3 == 0 else right

    cache = ("--use_cache", str(tmp_path / "cache"))
    with chat_server(answer) as server:
        assert "and only these are sent" in ended(run(server.url, tmp_path / "first", *cache))
        failed = readings(tmp_path / "first")["failed"]
        assert 0 < failed < 24
        # They are no answers, also where the responses are scored as recorded ones.
        (samples,) = (tmp_path / "first").rglob("samples_*.jsonl")
        assert f"{failed} requests of this run failed" in refused("score", "--responses", samples, "--tasks", TASK)
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


@pytest.mark.parametrize("options", [("--limit", "5"), ("--limit", "9")])
def test_a_short_run_without_any_answer(options, tmp_path):
    """Nobody listens."""
    with chat_server(right_answer) as server:
        pass
    said_at_last = ended(run(server.url, tmp_path, *options))
    assert f"did not answer any of the {options[1]} requests" in said_at_last and "base_url" in said_at_last


def test_one_failure_among_many_is_a_last_line(tmp_path):
    first = iter([Raw(ERROR, 500)])
    with chat_server(lambda messages: next(first, None) or right_answer(messages)) as server:
        done = run(server.url, tmp_path)
    assert done.exit_code == 0 and done.stdout.splitlines()[-1].startswith("1 of 24 requests failed and count as wrong")
