"""The reward of every recorded response is the score that ``codemind score`` gives it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from lm_eval_codemind.answers.thinking import thinking_is_opened
from lm_eval_codemind.cli import main
from lm_eval_codemind.data.manifest import DATA_VARIABLE
from lm_eval_codemind.families import family_named
from lm_eval_codemind.questions import Key
from lm_eval_codemind.results.runs import read_runs
from lm_eval_codemind.rewards import rewards
from lm_eval_codemind.samples import TaskRun
from lm_eval_codemind.studies.recordings import model_of, read_manifest, score

OUTPUT_PREDICTION = {"ier": 2_500, "v1_ier": 8_000, "re2_output": 1_500, "re2_loop": 500, "re2_branch": 500}
EXECUTED = {"re2_input": 400}


@pytest.mark.slow
@pytest.mark.upstream
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("prefix", "least"), [*OUTPUT_PREDICTION.items(), *EXECUTED.items()])
def test_rewards_of_recorded_responses(
    prefix: str, least: int, shared_data: Path, built_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    compared = 0
    for path in sorted((shared_data / "recorded").glob(f"{prefix}_*.jsonl.gz")):
        studies = [(study, model) for study in read_manifest()[0] if (model := model_of(path.name, study.files))]
        for number, (study, model) in enumerate(studies):
            folder = tmp_path / path.name / str(number)
            score(path, study, model, folder)
            for run in read_runs([folder]):
                compared += sum(compare(task, tmp_path / "rows.jsonl") for task in run.tasks)
    assert compared >= least


def compare(task: TaskRun, file: Path) -> int:
    """Compare the rewards of a task's responses with their scores, and return how many there are."""
    family = family_named(str(task.suite["family"]))
    assert family is not None
    result = CliRunner().invoke(main, ["export", "--tasks", task.task, "--evaluation", "-o", str(file)])
    assert result.exit_code == 0, result.output
    rows = {Key.of(row): row for row in map(json.loads, file.read_text().splitlines())}
    samples = [sample for sample in task.read_samples() if sample.filter == task.main_filter]
    responses = [sample.responses[0][0] for sample in samples]
    scores = rewards([rows[sample.key] for sample in samples], responses, opened=thinking_is_opened(responses))
    expected = [float(sample.scores[family.verdict]) for sample in samples]  # type: ignore[arg-type]
    assert scores == expected
    return len(scores)
