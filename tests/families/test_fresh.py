"""IER on fresh inputs: both questions of a problem, the scores of reference models, and what results show."""

from collections import Counter
from typing import Any

import pytest

from lm_eval_codemind.answers.comparison import same_output
from lm_eval_codemind.answers.literals import literal_or
from lm_eval_codemind.data import stored
from lm_eval_codemind.data.manifest import DATA_VARIABLE
from lm_eval_codemind.families.fresh import task as fresh
from lm_eval_codemind.results.analysis import findings
from lm_eval_codemind.results.observations import observe
from lm_eval_codemind.results.runs import read_runs
from lm_eval_codemind.workshop.benchmarks import sample
from tests.cli import said
from tests.results.harness import evaluate

TASK = "codemind_ier_fresh_sample"


def published(doc: dict[str, Any]) -> str:
    """Return the answer of a model that knows the published outputs by heart."""
    (problem,) = [problem for problem in sample.read() if problem.problem_id == doc["problem_id"]]
    return f"<output>{problem.output}</output>"


def test_each_problem_is_asked_on_both_inputs():
    suite: dict[str, Any] = {}
    rows = fresh.dataset(benchmark="sample", setting="steps", suite=suite)["test"]
    problems = {problem.problem_id: problem for problem in sample.read()}
    pairs = [(rows[number], rows[number + 1]) for number in range(0, len(rows), 2)]
    assert len(pairs) + sum(map(len, suite["fresh"]["left_out"].values())) == len(problems)
    for original, other in pairs:
        problem = problems[original["problem_id"]]
        assert (original["item"], other["item"]) == ("original", "fresh_1")
        assert (original["input"], original["output"]) == (problem.input, problem.output)
        assert other["problem_id"] == problem.problem_id and other["code"] == original["code"]
        assert other["input"] != problem.input and other["output"] != problem.output
        assert other["input"].strip() in other["prompt"]
    for name, value in (("input_seed", -1), ("fresh_inputs", 0), ("input_seed", "x")):
        with pytest.raises(ValueError, match=f"{name} is .* must be a whole number"):
            fresh.dataset(benchmark="sample", setting="steps", **{name: value})


def test_scores_gap_and_comparison(tmp_path):
    for model, answer, scores in (
        ("skill", lambda doc: doc["target"], (1.0, 1.0, 0.0)),
        ("silent", lambda doc: "", (0.0, 0.0, 0.0)),
        ("memory", published, (0.0, 1.0, 1.0)),
    ):
        results = evaluate(tmp_path / model, model, answer, [TASK])["results"][TASK]
        names = ("r_ier_fresh", "r_ier_original", "contamination_gap")
        assert tuple(results[f"{name},strict-match"] for name in names) == scores
        (gap, *only) = [table for table in findings(observe(read_runs([tmp_path / model]))) if table.rows]
        assert gap.records()[0]["contamination_gap"] == scores[2] and bool(only) == (scores[2] > 0)
    _, _, gaps = said("compare", tmp_path / "skill", tmp_path / "memory").partition("From published to fresh inputs")
    rows = {line.split()[0]: line.split()[2:5] for line in gaps.splitlines() if " sample " in line and "%" in line}
    assert rows == {"skill": ["100.0%", "100.0%", "0.0%"], "memory": ["100.0%", "0.0%", "100.0%"]}
    assert "Correct on the published input" in gaps and "Sample_collatz_trace" in gaps


@pytest.mark.parametrize("benchmark", ["humaneval", "cruxeval", "classeval", "avatar"])
def test_no_constant_gains(built, benchmark):
    """A text that is right about two questions or more is right about as many published outputs as fresh ones."""
    rows = list(fresh.dataset(benchmark=benchmark, setting="steps", suite={})["test"])
    values = [literal_or(row["output"], None) for row in rows]
    texts = Counter(row["output"].strip() for row in rows)
    texts.update(value for value in values if isinstance(value, str))
    frequent = [text for text, count in texts.items() if count > 1]
    for text in (*frequent, "0", "1", "True", "False", "None", "[]", "''", ""):
        right = [row["item"] for row in rows if same_output(text, row["output"], row["kind"] == "script")]
        published = right.count(fresh.ORIGINAL)
        assert len(right) == 1 or 2 * published == len(right), f"{text!r}: {published} published of {len(right)}"


def test_a_data_directory_that_cannot_be_written(tmp_path, monkeypatch):
    """Inputs of another seed are kept in the user's cache, and generated once."""
    (tmp_path / "data").mkdir()
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "data"))
    (tmp_path / "data" / "fresh").write_text("a file where a directory would be made")
    monkeypatch.setattr(stored, "user_directory", lambda: tmp_path / "user")
    made: list[int] = []

    def make(problems: Any, seed: int, count: int) -> Any:
        made.append(seed)
        return fresh.from_records(fresh.load_records("sample"), problems)

    monkeypatch.setattr("lm_eval_codemind.workshop.proof.fresh.make_fresh", make)
    twice = [fresh.load_fresh("sample", 77, 1) for _ in range(2)]
    assert twice[0] == twice[1] and made == [77] and len(list((tmp_path / "user").rglob("*.json.gz"))) == 1
    (tmp_path / "user" / "fresh").rename(tmp_path / "elsewhere")
    (tmp_path / "user" / "fresh").write_text("neither")
    assert fresh.load_fresh("sample", 77, 1) == twice[0] and made == [77, 77]
