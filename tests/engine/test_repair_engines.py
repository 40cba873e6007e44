"""Repair through real backends: answers are noise, the path from prompt to sandbox and sample log is real."""

from pathlib import Path

import pytest

from lm_eval_codemind.questions import Answer
from tests.engine.conftest import Engine, each_backend, each_form

PAIRED = {
    "codemind_repair_sample": ("steps", "no_test_steps"),
    "codemind_repair_direct_humaneval": ("direct", "no_test"),
    "codemind_repair_humaneval_java": ("steps", "no_test_steps"),
}
BUGGY = "codemind_ier_buggy"
METRICS = ("pass@1", "pass@1_no_test", "repaired_by_test", "unchanged", "similarity_to_bug", "code_found")


@pytest.mark.engine
@each_form
@each_backend
@pytest.mark.usefixtures("java")
def test_tiny_model(engine: Engine, backend: str, chat: bool, tmp_path: Path) -> None:
    more = ["--batch_size", 1, "--use_cache", tmp_path / "cache"]
    results, samples = engine.evaluate(backend, chat, [*PAIRED, BUGGY], 4, tmp_path / "out", *more)
    assert any(tmp_path.glob("cache*"))
    for task, settings in PAIRED.items():
        engine.paired(task, settings, METRICS, results, samples[task])
        for row in samples[task]:
            answer = Answer.from_json(row["filtered_resps"][0][0])
            assert (answer.text is None) == (answer.outcome is None)
    assert 0.0 <= results["results"][BUGGY]["r_ier,strict-match"] <= 1.0
