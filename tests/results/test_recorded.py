"""Responses that were recorded elsewhere are marked as such, from the results to the leaderboard."""

import json
import tarfile
from pathlib import Path

import pytest
import yaml

from lm_eval_codemind.questions import Key, digest, sealed
from lm_eval_codemind.results.observations import observe
from lm_eval_codemind.results.runs import read_runs
from tests.cli import refused, said
from tests.results.harness import task_manager

TASK = "codemind_ier_sample"
MODEL = "org/elsewhere"


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of scoring recorded responses of which every second names its prompt."""
    folder = tmp_path_factory.mktemp("recorded")
    documents = list(task_manager().load([TASK])["tasks"][TASK].eval_docs)
    rows = [
        {"benchmark": "sample", "problem_id": one["problem_id"], "response": one["target"], "model": MODEL}
        | ({"prompt": f"What does {one['problem_id']} return?"} if number % 2 else {})
        for number, one in enumerate(documents)
    ]
    recordings = folder / "responses.jsonl"
    recordings.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said("score", "--responses", recordings, "--tasks", TASK, "--output_path", folder / "out")
    return folder / "out"


def test_results_say_recorded_and_digest_only_prompts_that_are_named(scored):
    (run,) = read_runs([scored])
    suite = run.tasks[0].suite
    assert run.recorded and suite["prompts"] == "recorded" and "prompts_sha256" not in suite
    assert suite["templates"] == "packaged" and len(suite["templates_sha256"]) == 64
    documents = [sample.doc for sample in run.tasks[0].read_samples() if sample.filter == "strict-match"]
    named = {Key.of(doc).within_task(): f"What does {doc['problem_id']} return?" for doc in documents[1::2]}
    expected = {key: digest([prompt]) for key, prompt in named.items()}
    assert sealed(suite["recorded_prompts"]) == expected


def test_the_report_does_not_show_our_prompt(scored, tmp_path):
    observations = observe(read_runs([scored]))
    titles = {part.title for one in observations for part in one.view.parts(one.unit)}
    assert "Response" in titles and "Prompt" not in titles
    said("report", scored, "-o", tmp_path / "report.html")
    assert "logged outputs" in (tmp_path / "report.html").read_text()


def test_they_verify_and_nothing_is_said_of_prompts(scored):
    assert "prompts" not in said("verify", scored)


def test_they_are_submitted_when_asked_for_and_marked(scored, tmp_path):
    arguments = ["submit", scored, "--model", MODEL, "--dataset", "org/data", "-o", tmp_path]
    refusal = refused(*arguments)
    assert "recorded elsewhere" in refusal and "add --recorded" in refusal
    said(*arguments, "--recorded")
    (entry,) = yaml.safe_load((tmp_path / ".eval_results" / "codemind.yaml").read_text())
    assert "recorded elsewhere and replayed" in entry["notes"]
    (bundle,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(bundle) as archive:
        assert json.load(archive.extractfile("submission.json"))["recorded"] is True  # type: ignore[arg-type]
    said("leaderboard", bundle, "-o", tmp_path / "site")
    assert "logged outputs" in (tmp_path / "site" / "index.html").read_text()
    assert json.loads((tmp_path / "site" / "results.json").read_text())[0]["recorded"] is True
