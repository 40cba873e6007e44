"""Runs over chat completions: verified, reported, submitted and shown on the leaderboard like any other."""

import json
import re
from pathlib import Path

import pytest
import yaml

from lm_eval_codemind.harness.recordings import read_recordings
from lm_eval_codemind.results.observations import observe
from lm_eval_codemind.results.runs import read_runs
from tests.chat_server import Messages, chat_server, target_of
from tests.cli import codemind, said
from tests.results.harness import task_manager

pytest.importorskip("tenacity", reason="the extra `api` is not installed")
pytestmark = pytest.mark.proof

# One task of each of six families, in which every third problem gets no answer.
TASKS = [f"codemind_{family}_sample" for family in ("ier", "sr", "dsr", "input", "repair", "runtime")]
MODEL = "org/chat"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of a run of the tasks over a chat server on this machine."""
    tasks = task_manager().load(TASKS)["tasks"]
    documents = [document for task in tasks.values() for document in task.eval_docs]
    target = target_of(documents)

    def answer(messages: Messages) -> str:
        return "I do not know." if len(messages[-1]["content"]) % 3 == 0 else target(messages)

    output = tmp_path_factory.mktemp("chat")
    with chat_server(answer) as server:
        said(
            *("run", "--model", "local-chat-completions", "--model_args", f"model={MODEL},base_url={server.url}"),
            *("--tasks", ",".join(TASKS), "--apply_chat_template", "--confirm_run_unsafe_code"),
            *("--output_path", output, "--log_samples"),
        )
    return output


def test_it_verifies(run):
    result = codemind("verify", run)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"{MODEL}: equal ({len(TASKS)} tasks, ")


def test_a_citation_says_that_it_was_a_chat(run):
    cited = said("cite", run)
    assert cited.count(f"{MODEL} (backend local-chat-completions) scores ") == len(TASKS)
    assert cited.count("the suite's prompts as chat messages") == len(TASKS)


def test_lengths_of_responses_are_recorded_and_shown(run):
    """In characters, and in tokens, which this server counts as words."""
    (read,) = read_runs([run])
    for task in read.tasks:
        responses = [sample.responses[0][0] for sample in task.read_samples() if sample.filter == task.main_filter]
        assert task.suite["response_lengths"] == {
            "responses": len(responses),
            "characters": sum(map(len, responses)),
            "longest": max(map(len, responses)),
            "tokens": sum(len(text.split()) for text in responses),
        }
    shown = codemind("show", run, "-n", "0", "--all")
    lengths = read.task(TASKS[0]).suite["response_lengths"]  # type: ignore[union-attr]
    mean = f"{lengths['characters'] / 24:.0f} +{lengths['longest']} +{lengths['tokens'] / 24:.0f}"
    assert re.search(rf"{TASKS[0]} +24 +{mean}", shown.output), shown.output


def test_one_changed_character_is_one_difference(run):
    (samples,) = run.rglob("samples_codemind_sr_sample_*.jsonl")
    content = samples.read_text()
    rows = [json.loads(line) for line in content.splitlines()]
    row = next(row for row in rows if "do not know" in row["resps"][0][0])
    row["resps"][0][0] += "!"
    samples.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    try:
        result = codemind("verify", run)
    finally:
        samples.write_text(content)
    assert result.exit_code == 1
    differences = [line for line in result.output.splitlines() if "should be" in line]
    assert len(differences) == 1 and "the response is changed since the run" in differences[0], result.output


def test_the_report_shows_messages_and_not_their_escapes(run):
    observations = observe(read_runs([run]))
    assert len({one.task for one in observations}) == len(TASKS)
    for one in observations:
        parts = [part.text for part in one.view.parts(one.unit) if part.title.startswith("Prompt")]
        assert len(parts) == len(one.unit)
        for text, sample in zip(parts, one.unit, strict=True):
            assert text.startswith(("[user]\n", "[system]\n")) and text.endswith(sample.doc["prompt"])


def test_its_samples_are_recordings_with_their_prompts(run):
    (samples,) = run.rglob("samples_codemind_ier_sample_*.jsonl")
    questions = read_recordings([samples]).questions
    assert len(questions) == 24 == sum(any(recorded.prompts) for recorded in questions.values())


def test_it_is_reported_submitted_and_shown(run, tmp_path):
    page = tmp_path / "report.html"
    said("report", run, "-o", page)
    assert page.stat().st_size > 10_000
    submission = tmp_path / "submission"
    said("submit", run, "--model", MODEL, "--dataset", "org/data", "-o", submission)
    entries = yaml.safe_load((submission / ".eval_results" / "codemind.yaml").read_text())
    assert len(entries) == len(TASKS) and all("as chat messages" in entry["notes"] for entry in entries)
    (bundle,) = submission.glob("*.tar.gz")
    said("leaderboard", bundle, "-o", tmp_path / "site")
    index = (tmp_path / "site" / "index.html").read_text()
    assert MODEL in index and "logged outputs" not in index
