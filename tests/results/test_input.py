"""Input prediction from a run of the harness to the report."""

from typing import Any

import pytest

from lm_eval_codemind.results.associations import associations
from lm_eval_codemind.results.observations import Observation, observe
from lm_eval_codemind.results.runs import read_runs
from lm_eval_codemind.workshop.benchmarks import sample
from tests.results.harness import evaluate

TASKS = ["codemind_ier_sample", "codemind_input_sample"]
FUNCTIONS = [problem.problem_id for problem in sample.read() if problem.kind == "function"]
SCRIPTS = [problem.problem_id for problem in sample.read() if problem.kind == "script"]


def answer(doc: dict[str, Any]) -> str:
    forwards = "answer" not in doc
    if doc["problem_id"] in (FUNCTIONS[0], *([] if forwards else SCRIPTS)):
        return f"<input>\n{doc['entry_point']}(lambda: 1)\n</input>"
    return str(doc["target"])


@pytest.fixture(scope="module")
def observations(tmp_path_factory: pytest.TempPathFactory) -> list[Observation]:
    folder = tmp_path_factory.mktemp("input")
    evaluate(folder, "org/both", answer, TASKS)
    return observe(read_runs([folder]))


def test_pairs_set_every_two_families_beside_each_other(observations):
    rows = {(r["first"], r["second"]): r for r in associations(observations).records()}
    assert set(rows) == {("IER", "Input"), ("Input", "IER")}
    row = rows["IER", "Input"]
    counts = [row[name] for name in ("both", "first_only", "second_only", "neither", "n")]
    assert counts == [23 - len(SCRIPTS), len(SCRIPTS), 0, 1, 24]
    assert row["given_right"] == pytest.approx((23 - len(SCRIPTS)) / 23) and row["given_wrong"] == 0
    other = rows["Input", "IER"]
    assert (other["first_only"], other["second_only"], other["given_right"]) == (0, len(SCRIPTS), 1)


def test_outcomes_say_what_became_of_an_input(observations):
    outcomes = {o.problem_id: o.view.outcome(o.unit) for o in observations if o.view.name == "input"}
    assert outcomes[FUNCTIONS[0]] == "no input of values"
    assert outcomes[SCRIPTS[0]] == "incorrect input"
    assert set(outcomes.values()) == {"no input of values", "incorrect input", "recorded input"}
    shown = next(o for o in observations if o.view.name == "input" and o.problem_id == SCRIPTS[0])
    parts = {part.title: part.text for part in shown.view.parts(shown.unit)}
    assert parts["Recorded input I"] == shown.unit[0].doc["input"] and "lambda" in parts["Answer"]
    assert "status: " in parts["Outcome"]
