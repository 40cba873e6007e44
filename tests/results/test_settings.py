"""`codemind cite` prints what a paper must say, and `codemind compare` says which settings differ."""

import json
from pathlib import Path

import pytest

from lm_eval_codemind import __version__
from lm_eval_codemind.statistics import proportion
from tests.cli import refused, said

TASK = "codemind_ier_sample"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The usual run of the oracle, and one of the null model with other settings."""
    directory = tmp_path_factory.mktemp("runs")
    usual = ("run", "--tasks", TASK, "--log_samples", "--output_path")
    said(*usual, directory / "usual", "--model", "codemind-oracle")
    options = ("--limit", "5", "--num_fewshot", "1", "--system_instruction", "Think", "--gen_kwargs", "max_gen_toks=99")
    said(*usual, directory / "other", "--model", "codemind-null", *options)
    return directory


def test_a_sentence_has_everything_that_a_score_depends_on(runs):
    (file,) = (runs / "usual").rglob("results_*.json")
    suite = json.loads(file.read_text(encoding="utf-8"))["configs"][TASK]["metadata"]["suite"]
    interval = proportion(24, 24)
    sentence = said("cite", runs / "usual").strip()
    assert sentence.startswith(f"codemind-oracle on {TASK} of CodeMind (arXiv 2402.09664): r_ier 100.0% (95% interval")
    for part in (
        f"interval {interval.low:.1%} to {interval.high:.1%})",
        f"release of lm-eval-codemind: {__version__}",
        "few-shot examples: 3",
        "form of the prompts: without chat template",
        "questions: 24 of 24",
        "max_gen_toks=2048",
        f"data: {suite['data_sha256'][:12]}",
        f"prompts: {suite['prompts_sha256'][:12]}",
    ):
        assert part in sentence
    assert "system instruction" not in sentence


def test_a_model_with_other_settings(runs):
    sentence = said("cite", runs / "other")
    for part in ("codemind-null", "questions: 5 of 24", "few-shot examples: 1", "system instruction: Think", "toks=99"):
        assert part in sentence


def test_a_comparison_names_each_setting_with_both_values(runs):
    notes = [line for line in said("compare", runs / "usual", runs / "other").splitlines() if line.startswith("note: ")]
    expected = {
        "few-shot examples: 3 and 1",
        "system instruction: – and Think",  # noqa: RUF001
        "questions: 24 of 24 and 5 of 24",
    }
    assert expected <= {note.removeprefix(f"note: {TASK}: ") for note in notes}
    assert sum("generation" in note and "2048" in note and "99" in note for note in notes) == 1
    # Templates, data and releases are the same.
    assert len(notes) == len(expected) + 1


def test_a_setting_that_differs_within_a_group_is_given_for_each_task(tmp_path):
    metrics = [{"metric": "r_ier", "weight_by_size": True}]
    group = {"group": "codemind_both", "task": [TASK, "codemind_ier_sample_java"], "aggregate_metric_list": metrics}
    (tmp_path / "group.yaml").write_text(json.dumps(group))
    usual = ("run", "--model", "codemind-oracle", "--tasks", "codemind_both", "--include_path", tmp_path)
    said(*usual, "--output_path", tmp_path / "run", "--log_samples")
    (sentence,) = said("cite", tmp_path / "run").strip().split("\n\n")
    assert "on codemind_both of CodeMind" in sentence and f"24 of 24 ({TASK})" in sentence


def test_nothing_to_cite(tmp_path):
    assert str(tmp_path) in refused("cite", tmp_path)
