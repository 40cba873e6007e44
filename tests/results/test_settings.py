"""`codemind compare` says which settings differ."""

from pathlib import Path

import pytest

from tests.cli import said

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
