"""RE2-Bench: its own tasks for replication, and ours on proven labels."""

import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from lm_eval_codemind.families.views import views
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.samples import Sample
from lm_eval_codemind.studies.re2 import task as re2
from lm_eval_codemind.studies.re2.asked import TASKS
from lm_eval_codemind.studies.re2.published import task as re2_published
from tests.cli import said
from tests.docs.replication import lines
from tests.results.harness import evaluate
from tests.run_files import read_rows

# Upstream's rules read no answer to these: longer than a literal may be, or NaN, which equals nothing.
TOO_LONG = {"HumanEval_31", "sample_780"}


def hooks(setting: str, family: ModuleType = re2_published) -> tuple[Any, Any, Any]:
    if setting == "input":
        return family.input_dataset, family.extract_input, family.input_process_results
    return family.dataset, family.extract_answer, family.process_results


def rows(setting: str, family: ModuleType = re2_published) -> list[dict[str, Any]]:
    return list(hooks(setting, family)[0](benchmark="re2", setting=setting)["test"])


def accuracies(setting: str, documents: list[dict[str, Any]], responses: list[str], family: ModuleType) -> list[Any]:
    """Return the metrics of one response to each document."""
    _, extract, process = hooks(setting, family)
    answers = extract([[response] for response in responses], documents)
    return [process(document, answer) for document, answer in zip(documents, answers, strict=True)]


@pytest.mark.parametrize(("setting", "easy", "difficult", "empty"), [
    ("output", 250, 248, 0), ("input", 250, 248, 0), ("loop", 98, 99, 3), ("branch", 100, 99, 0),
])  # fmt: skip
def test_the_published_tasks(setting, easy, difficult, empty, built):
    documents = rows(setting)
    right = accuracies(setting, documents, [document["target"] for document in documents], re2_published)
    for difficulty, size in (("easy", easy), ("difficult", difficult)):
        assert sum(score[f"accuracy_{difficulty}"] is not None for score in right) == size
    wrong = {doc["problem_id"] for doc, score in zip(documents, right, strict=True) if not score["accuracy"]}
    assert {name for name in wrong if "@@" not in name} <= TOO_LONG and len(wrong) <= 6
    # An empty label accepts any answer.
    silent = accuracies(setting, documents, [""] * len(documents), re2_published)
    assert sum(score["accuracy"] for score in silent) == empty


def test_an_input_that_gives_the_output_is_right_and_no_program_of_a_project_runs(built):
    by_name = {document["problem_id"]: document for document in rows("input")}
    for name, text, right in [
        ("atcoder_ABC042_A", '{"input": "5 5 7"}', 1),
        ("atcoder_ABC042_A", '{"input": "7 5 5"}', 0),
        ("atcoder_ABC042_A", '{"input": "5 5 5"}', 0),
        ("HumanEval_66", '{"self": {}, "args": {"s": "ababab"}, "kwargs": {}}', 0),
        ("HumanEval_66", '{"args": {"s": "yoY arE Very S"}}', 1),
        ("ClassEval_75@ShoppingCart.remove_item", '{"args": {"item": "a", "quantity": 1}}', 1),
    ]:
        (scores,) = accuracies("input", [by_name[name]], [f"[INPUT]{text}[/INPUT]"], re2_published)
        assert scores["accuracy"] == right, (name, text)
    family = re2_published.PUBLISHED_RE2_INPUT
    document = {"benchmark": "re2", "problem_id": "p", "setting": "input", "kind": "function", "language": "python",
                "source": "Real", "label": "{}", "shown": "1", "code": "", "entry_point": "f"}  # fmt: skip
    question = Question.from_document(document)
    answer = family.read('[INPUT]{"args": {"x": 1}}[/INPUT]', question, re2_published.FILTER)
    assert family.job(answer, question) is None and not family.right(question, answer)


def scored(family: ModuleType, task: str, recorded: list[dict[str, Any]]) -> Iterator[tuple[Any, Any]]:
    """Return the documents of a task that have a recorded response, each with its scores."""
    responses = {row["problem_id"]: row["response"] for row in recorded}
    documents = [row for row in rows(task, family) if row["problem_id"] in responses]
    chosen = [responses[document["problem_id"]] for document in documents]
    return zip(documents, accuracies(task, documents, chosen, family), strict=True)


def test_recorded_verdicts_follow(shared_data, built):
    for path in sorted((shared_data / "recorded").glob("re2_*.jsonl.gz")):
        recorded = read_rows(path)
        model, task = recorded[0]["model"], recorded[0]["task"].partition("_")[0]
        verdicts = {row["problem_id"]: row["published_verdict"] for row in recorded}
        compared = agreeing = 0
        for document, score in scored(re2_published, task, recorded):
            verdict = verdicts[document["problem_id"]]
            # The projects that upstream executes inputs in are not installed here.
            if verdict is not None and (task != "input" or document["source"] in re2_published.SELF_CONTAINED):
                compared += 1
                agreeing += verdict == score["accuracy"]
        row = next(
            line for line in lines().splitlines() if line.startswith(f"| {model} | {task} |") and "agree" not in line
        )
        assert row.endswith(f"| {agreeing} of {compared} |" if compared else "| none recorded |"), row


@pytest.mark.parametrize(("setting", "programs"), [("output", 158), ("input", 120), ("loop", 93), ("branch", 76)])
def test_ceiling_floor_and_length_on_proven_labels(setting, programs, built):
    documents = rows(setting, re2)
    assert sum(document["source"] in re2_published.SELF_CONTAINED for document in documents) == programs
    assert max(len(document["prompt"]) for document in documents) <= 24_000
    for responses, value in (([document["target"] for document in documents], 1), ([""] * len(documents), 0)):
        scores = accuracies(setting, documents, responses, re2)
        assert [doc["problem_id"] for doc, one in zip(documents, scores, strict=True) if one["accuracy"] != value] == []


def test_answers_on_proven_labels(built):
    for setting, name, answer, right in [
        # Upstream's label of this output is that of the input after the call.
        ("output", "sample_498", "[2, 2, 3, 3, 2, 3, 3]", 1),
        ("output", "sample_498", "[2, 2, 3, 2, 3, 3]", 0),
        ("output", "atcoder_ABC042_A", "YES", 1),
        ("input", "atcoder_ABC042_A", "5 5 7", 1),
        ("input", "atcoder_ABC042_A", "7 5 5", 1),
        ("input", "atcoder_ABC042_A", "7 7 5", 0),
        ("input", "HumanEval_66", '{"args": {"s": "yoY arE Very S"}}', 1),
        ("input", "HumanEval_66", '{"args": {"s": 1}}', 0),
        ("loop", "HumanEval_24", "line 3: i = [2, 1]", 1),
        ("loop", "HumanEval_24", "line 3: i = [2]", 0),
        ("branch", "sample_273", "line 6: [Y, Y, Y, N]", 1),
        ("branch", "sample_273", "line 6: [Y, Y, Y, Y]", 0),
    ]:
        (document,) = [row for row in rows(setting, re2) if row["problem_id"] == name]
        (scores,) = accuracies(setting, [document], [f"<answer>{answer}</answer>"], re2)
        assert scores["accuracy"] == right, (name, answer)


@pytest.mark.parametrize("setting", TASKS)
def test_a_run_is_verified_reported_and_submitted(setting, built, tmp_path):

    def answer(document: dict[str, Any]) -> str:
        return str(document["target"]) if len(document["problem_id"]) % 3 else "I do not know."

    evaluate(tmp_path, "org/told", answer, [f"codemind_re2_{setting}"], confirm_run_unsafe_code=True)
    for arguments in (
        ["verify", tmp_path],
        ["report", tmp_path, "-o", tmp_path / "report.html"],
        ["submit", tmp_path, "--model", "org/told", "--dataset", "org/codemind", "-o", tmp_path / "submission"],
    ):
        said(*arguments)
    assert list((tmp_path / "submission").glob("*.tar.gz"))


def test_the_report_shows_the_first_wrong_iteration():
    fields = {"label": json.dumps({"3": {"i": ["2", "1"]}, "5": {"c": ["'a'"]}})}
    rows = re2.compared(fields, "loop", "line 3: i = [2, 0]\nline 5: c = ['a']")
    assert [(line, place) for line, _, _, _, place in rows] == [("3", 1), ("5", None)]
    sample = Sample({"benchmark": "re2", "problem_id": "p", "setting": "loop", "shown": "", **fields}, 0, "", (), (),
                    (Answer("line 3: i = [2, 0]"),), "", {}, {})  # fmt: skip
    texts = {part.title: part.text for part in views()["re2_loop"].parts((sample,))}
    assert texts["First wrong iteration"] == "line 3, i: number 2: 0, but: 1\nline 5, c: number 1: nothing, but: 'a'"


def test_recorded_answers_are_read(shared_data, built):
    """Where a label is upstream's own, every recorded output that upstream accepts is right here."""
    lost = set()
    for path in (shared_data / "recorded").glob("re2_output_prediction_*.jsonl.gz"):
        recorded = read_rows(path)
        accepted = {row["problem_id"] for row in recorded if row["published_verdict"]}
        for document, score in scored(re2, "output", recorded):
            proven = re2.proofs()[document["problem_id"]]["output"]["status"] == "proven"
            if proven and document["problem_id"] in accepted and not score["accuracy"]:
                lost.add(document["problem_id"])
    # An answer without quotes, an empty answer, the start of an array, which upstream counts as the array, and a
    # response that goes on with another problem after its answer.
    assert lost <= {
        "sympy__sympy-22969@@sympy.physics.optics.gaussopt.py@@waist2rayleigh",
        "codeforces_379_A",
        "scikit-learn@@sklearn_dummy.py@@predict_proba_L339",
        "sympy__sympy-13369@@sympy.polys.polyroots.py@@roots",
    }
