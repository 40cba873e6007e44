"""Translation through real backends: the model's answers are noise, the path from prompt to sample log is real."""

from pathlib import Path

import pytest

from lm_eval_codemind.families.translation.task import CAUSES
from lm_eval_codemind.questions import Answer
from tests.engine.conftest import Engine, each_backend, each_form

PAIRED = {
    "codemind_translation_sample_java_python": ("java", "python"),
    "codemind_translation_sample_python_java": ("python", "java"),
}
MISLEADING = "codemind_translation_misleading_sample_java_python"
METRICS = ("r_sr", "s_sr", "pass@1_no_test", "pass@1_with_test", "code_found", "gained", *CAUSES)


@pytest.mark.engine
@each_form
@each_backend
@pytest.mark.usefixtures("java")
def test_tiny_model(engine: Engine, backend: str, chat: bool, tmp_path: Path) -> None:
    more = ["--batch_size", 1, "--use_cache", tmp_path / "cache"]
    results, samples = engine.evaluate(backend, chat, [*PAIRED, MISLEADING], 4, tmp_path / "out", *more)
    assert any(tmp_path.glob("cache*"))
    for task, (source, target) in PAIRED.items():
        engine.paired(task, ("no_test", "with_test"), METRICS, results, samples[task])
        suite = results["configs"][task]["metadata"]["suite"]
        assert (suite["source_language"], suite["target_language"]) == (source, target)
    assert 0.0 <= results["results"][MISLEADING]["pass@1,extract-code"] <= 1.0
    for row in (row for rows in samples.values() for row in rows):
        # The harness writes other values than text as str() gives it.
        answer = Answer.from_json(row["filtered_resps"][0][0])
        assert (answer.text is None) == (answer.outcome is None)
