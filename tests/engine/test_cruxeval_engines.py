"""CRUXEval's published form through real backends, greedy and with ten responses a problem."""

from pathlib import Path

import pytest

from tests.engine.conftest import Engine, each_backend, each_form

GREEDY = ["codemind_cruxeval_output", "codemind_cruxeval_input"]
FORMS = 5
SAMPLED = "codemind_cruxeval_output_direct_08"


@pytest.mark.engine
@each_form
@each_backend
def test_tiny_model(engine: Engine, built_data: Path, backend: str, chat: bool, tmp_path: Path) -> None:
    if not (built_data / "cruxeval_prompts.jsonl").is_file():
        pytest.skip("the copy of CRUXEval in ../shared/data/upstream has no prompts.py")
    results, samples = engine.evaluate(backend, chat, [*GREEDY, SAMPLED], 4, tmp_path / "out", "--batch_size", 4)
    assert len(samples) == FORMS + 1
    for task, rows in samples.items():
        assert results["n-samples"][task]["effective"] == len(rows) == 4
        for metric in ("pass@1", "pass@1_upstream", "answered"):
            assert 0.0 <= results["results"][task][f"{metric},extract-answer"] <= 1.0
        for row in rows:
            # The prompt ends where its authors end it, also in front of a response.
            asked = row["arguments"]["gen_args_0"]["arg_0"]
            assert chat or asked.endswith(row["doc"]["prompt"][-40:])
    for metric in ("pass@5", "pass@5_upstream", "pass@5_stderr"):
        name = f"{metric},extract-answer"
        assert 0.0 <= results["results"][SAMPLED][name] <= 1.0
    for row in samples[SAMPLED]:
        assert len(row["resps"][0]) == 10 and len(set(row["resps"][0])) == 10
