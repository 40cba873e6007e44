"""RE2-Bench: its own tasks for replication, and ours on proven labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.data.load import DATA_VARIABLE
from lm_eval_codemind.families import re2_published
from lm_eval_codemind.questions import Question
from tests.test_replication import loaded

# Upstream's rules read no answer to these: longer than a literal may be, or NaN, which equals nothing.
TOO_LONG = {"HumanEval_31", "sample_780"}


def hooks(setting: str) -> tuple[Any, Any, Any]:
    if setting == "input":
        return re2_published.input_dataset, re2_published.extract_input, re2_published.input_process_results
    return re2_published.dataset, re2_published.extract_answer, re2_published.process_results


@pytest.mark.upstream
@pytest.mark.parametrize(
    ("setting", "easy", "difficult", "empty"),
    [("output", 250, 248, 0), ("input", 250, 248, 0), ("loop", 98, 99, 3), ("branch", 100, 99, 0)],
)
def test_the_published_tasks(
    setting: str, easy: int, difficult: int, empty: int, built_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    dataset, extract, process = hooks(setting)
    documents = list(dataset(benchmark="re2", setting=setting)["test"])
    scores = {}
    for name in ("target", ""):
        answers = extract([[document[name] if name else ""] for document in documents], documents)
        scores[name] = [process(document, answer) for document, answer in zip(documents, answers, strict=True)]
    for difficulty, size in (("easy", easy), ("difficult", difficult)):
        assert sum(score[f"right_{difficulty}"] is not None for score in scores["target"]) == size
    wrong = {doc["problem_id"] for doc, score in zip(documents, scores["target"], strict=True) if not score["right"]}
    assert {name for name in wrong if "@@" not in name} <= TOO_LONG and len(wrong) <= 6
    # An empty label accepts any answer.
    assert sum(score["right"] for score in scores[""]) == empty


@pytest.mark.upstream
def test_an_input_that_gives_the_output_is_right_and_the_recorded_one_of_a_script_wrong(
    built_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    dataset, extract, process = hooks("input")
    by_name = {document["problem_id"]: document for document in dataset(benchmark="re2", setting="input")["test"]}
    for name, text, right in [
        ("atcoder_ABC042_A", '{"input": "5 5 7"}', 1),
        ("atcoder_ABC042_A", '{"input": "7 5 5"}', 0),
        ("atcoder_ABC042_A", '{"input": "5 5 5"}', 0),
        ("HumanEval_66", '{"self": {}, "args": {"s": "ababab"}, "kwargs": {}}', 0),
        ("HumanEval_66", '{"args": {"s": "You arE Very smarT"}}', 1),
        ("ClassEval_75@ShoppingCart.remove_item", '{"args": {"item": "a", "quantity": 1}}', 0),
    ]:
        (answer,) = extract([[f"[INPUT]{text}[/INPUT]"]], [by_name[name]])
        assert process(by_name[name], answer)["right"] == right, (name, text)


@pytest.mark.upstream
def test_no_program_of_a_project_runs(built_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    family = re2_published.PUBLISHED_RE2_INPUT
    document = {"benchmark": "re2", "problem_id": "p", "setting": "input", "kind": "function", "language": "python",
                "source": "Real", "label": "{}", "shown": "1", "code": "", "entry_point": "f"}  # fmt: skip
    question = Question.from_document(document)
    answer = family.read('[INPUT]{"args": {"x": 1}}[/INPUT]', question, re2_published.FILTER)
    assert family.job(answer, question) is None and not family.right(question, answer)


@pytest.mark.upstream
@pytest.mark.slow
def test_recorded_verdicts_follow(shared_data: Path, built_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(built_data))
    script = loaded("compare_re2", monkeypatch)
    paths = (shared_data / "recorded").glob("re2_*.jsonl.gz")
    page = (Path(__file__).parents[2] / "docs" / "replication.md").read_text(encoding="utf-8")
    assert "\n".join(script.report(paths, listing=True)) in page
