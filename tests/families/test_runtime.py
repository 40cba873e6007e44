"""The hooks of runtime behaviour: documents, answers that never change, consistency, and runs looked at."""

import shutil
from collections import Counter
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace
from typing import Any

import pytest

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families.runtime import items as runtime_items
from lm_eval_codemind.families.runtime import selection
from lm_eval_codemind.families.runtime import task as runtime
from lm_eval_codemind.families.views import views
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.questions import Key, Question
from lm_eval_codemind.results.analysis import summary
from lm_eval_codemind.results.associations import output_predictions
from lm_eval_codemind.results.observations import Observation, observe
from lm_eval_codemind.results.runs import Run, read_runs
from lm_eval_codemind.samples import Sample, TaskRun
from lm_eval_codemind.studies.reval import task as runtime_published
from tests.cli import codemind, said
from tests.results.harness import evaluate
from tests.run_files import change_results

TASK = "codemind_runtime_sample"
METRICS = ("coverage_balanced", "state_executed", "path_executed", "output")
# What is answered wrong in the run that is looked at: the output of one problem, the state of another.
WRONG = {("Sample_run_length", "output"), ("Sample_spiral_order", "state")}
# Answers that never change: of coverage, state, path and output.
CONSTANT = [
    ("yes", "not executed", "the end", ""),
    ("no", "not executed", "not executed", ""),
    ("yes", "v; type(v)", "the end", "assertTrue(True)\nassert f(x) == f(x)"),
]


@pytest.fixture(scope="module", params=[{"items": "all"}, {}], ids=["all", "usual"])
def documents(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return rows(**request.param)


def test_each_question_is_asked_where_it_needs_execution(documents):
    counts = Counter(document["setting"] for document in documents)
    assert counts["output"] == 24 and min(counts[setting] for setting in runtime_items.SETTINGS) >= 24
    keys = {Question.from_document(document).key for document in documents}
    assert len(keys) == len(documents) and all(document["item"].startswith("input 0") for document in documents)
    for document in documents:
        setting, prompt = document["setting"], document["prompt"]
        if setting == "output":
            assert document["kind"] == "script" or "== ??" in prompt
        else:
            assert f"line {document['line']}" in prompt and "??" not in prompt
        several = setting in ("state", "path") and document["runs"] > 1
        assert several == ("time that its execution starts is meant" in prompt)
        if several:
            assert f"the {runtime.ordinal(document['asked_run'])} time" in prompt
    assert not any(document["answer"] in ("the end", "not executed") for document in documents)


def rows(**options: Any) -> list[dict[str, Any]]:
    return list(runtime.dataset(benchmark="sample", settings=runtime_items.SETTINGS, **options)["test"])


def asked(**options: Any) -> list[Question]:
    return [Question.from_document(document) for document in rows(**options)]


def test_two_questions_of_a_kind_are_asked_unless_the_user_wants_more_and_answers_are_balanced():
    every, three, usual = asked(items="all"), asked(items=3), asked()
    assert [question for question in every if question in usual] == usual
    assert {question.key for question in usual} < {question.key for question in three}
    for most, questions in ((2, usual), (3, three)):
        counts = Counter((question.key.problem_id, question.key.setting) for question in questions)
        there = Counter((question.key.problem_id, question.key.setting) for question in every)
        assert counts == {place: min(most, count) for place, count in there.items()}
    coverage = Counter(question["answer"] for question in every if question.key.setting == "coverage")
    assert coverage["yes"] == coverage["no"]
    known, chosen = (
        Counter((each.key.problem_id, each["executed"]) for each in questions if each.key.setting == "coverage")
        for questions in (every, usual)
    )
    both = {problem for problem, executed in known if (problem, not executed) in known}
    assert both and all(chosen[problem, executed] == 1 for problem in both for executed in (True, False))


def test_the_inputs_of_a_problem_take_turns_alike_for_all_kinds():
    def question(setting: str, run: int, line: int) -> Question:
        key = Key("b", "p", setting, f"input {run}, line {line}" if line else f"input {run}")
        fields = {"run": str(run), "line": line, "executed": True, "code": "pass", "next_line": None}
        return Question(key, "function", "python", fields)

    every = [question(way, run, line) for way in ("coverage", "state") for run in range(5) for line in (1, 2, 3)]
    every += [question("output", run, 0) for run in range(5)]
    chosen = selection.select(every, 2)
    runs = {way: {q["run"] for q in chosen if q.key.setting == way} for way in ("coverage", "state", "output")}
    assert len(chosen) == 6 and len(runs["output"]) == 2 and runs["coverage"] == runs["state"] == runs["output"]
    assert selection.select(every[::-1], 2) == chosen[::-1]
    lines = {way: {q.key.item for q in chosen if q.key.setting == way} for way in ("coverage", "state")}
    assert lines["coverage"] == lines["state"]


def test_the_number_of_items_is_checked_recorded_and_a_reason_against_a_submission():
    for value in ("some", 0, -1, 2.5, True, ""):
        with pytest.raises(UserError, match=r'items is .* and must be "all" or a whole number from 1'):
            asked(items=value)
    for options, items in (({}, 2), ({"items": "all"}, "all"), ({"items": "3"}, 3)):
        suite: dict[str, Any] = {}
        asked(suite=suite, **options)
        assert (suite["items"], suite["options"]) == (items, options)
        reasons = [] if items == 2 else [f"not the default settings: items is {items}"]
        assert views()["runtime"].reasons_against(SimpleNamespace(suite=suite)) == reasons  # type: ignore[arg-type]


def scores(documents: list[dict[str, Any]], answer: dict[str, str] | None) -> dict[str, float]:
    """Return the metrics of a model that answers each kind of question always alike; of the oracle for None."""
    logged = []
    for document in documents:
        response = document["target"] if answer is None else f"<answer>{answer[document['setting']]}</answer>"
        (read,) = runtime.extract_answer([[response]], [document])
        logged.append(runtime.process_results(document, [read]))
    return {metric: getattr(runtime_items, metric)([row[metric] for row in logged]) for metric in METRICS}


def test_ceiling_floor_and_answers_that_never_change(documents):
    assert set(scores(documents, None).values()) == {1.0}
    assert set(scores(documents, dict.fromkeys(runtime_items.SETTINGS, "")).values()) == {0.0}
    for constant in CONSTANT:
        metrics = scores(documents, dict(zip(("coverage", "state", "path", "output"), constant, strict=True)))
        assert metrics.pop("coverage_balanced") == 0.5 and set(metrics.values()) == {0.0}


def record(setting: str, right: list[bool], run: str = "0", line: int = 3) -> dict[str, Any]:
    said: list[bool | None] = [True if each else None for each in right] if setting == "coverage" else [None] * 2
    return {"program": "p", "run": run, "line": 0 if setting == "output" else line, "setting": setting,
            "executed": True, "goes_on": True, "right": right, "said_executed": said}  # fmt: skip


def test_responses_are_put_together_one_by_one_and_incomplete_items_left_out():
    complete = [record("coverage", [True, True]), record("state", [True, True]), record("path", [False, True])]
    complete.append(record("output", [True, True]))
    # First 1101, then 1111; another line of the input has no path, and a second input is asked only for its output.
    alone = [record("coverage", [True, True], line=9), record("output", [False, False], run="1"), None]
    assert runtime_items.ic_mean([*complete, *alone]) == 0.5
    assert runtime_items.output([*complete, *alone]) == 0.5
    assert runtime_items.coverage([*complete, *alone]) == 1.0


def test_of_unequal_numbers_of_responses_the_fewest_count(caplog):
    """Recorded responses may be fewer to one question about a line than to another."""
    rights = {"coverage": [True] * 3, "state": [True, True], "path": [True, False], "output": [True, False, True]}
    assert runtime_items.ic_mean([record(setting, right) for setting, right in rights.items()]) == (1 + 1 / 4) / 2
    assert not caplog.text


def test_scores_of_a_program_are_means_over_its_responses():
    """So they equal the mean of the scores of the first responses alone, of the second ones and so on."""
    right = {"coverage": [False, True, True, True], "output": [True, True, False, True]}
    view = views()["runtime"]

    def unit(responses: slice) -> tuple[Any, ...]:
        return tuple(
            SimpleNamespace(key=Key("b", "p", setting), scores={metric: {"right": right[setting][responses]}})
            for setting, metric in (("coverage", "coverage_balanced"), ("output", "output"))
        )

    every, each = unit(slice(None)), [unit(slice(number, number + 1)) for number in range(4)]
    assert view.unit_scores(every) == {"correct": 0.75} and not view.solved(every)
    assert fmean(view.unit_scores(one)["correct"] for one in each) == 0.75
    assert [view.predicts(one) for one in (every, *each)] == [False, True, True, False, True]
    assert view.outcome(every) == "weakest in coverage"


def test_questions_without_a_recorded_response_count_in_no_score():
    samples = [
        Sample(
            doc={"benchmark": "b", "problem_id": "p", "setting": "path", "item": str(number)}, doc_id=number,
            target="", prompts=(), responses=(), answers=(), filter="f", scores=scores, raw={},
        )
        for number, scores in enumerate([{"path_executed": {"right": [True]}}, {}])
    ]  # fmt: skip
    config = {"metadata": {"suite": {"family": "runtime"}}}
    task = TaskRun(TASK, config, (), 2, 2, Path(TASK), lambda file, without: iter(samples))
    (observation,) = observe([Run(Path(), "m", "m", (task,), {})])
    assert observation.scores == {"correct": 1} and observation.unit == (samples[0],)


def test_what_runs_under_published_rules():
    """By REval's rule an answer is right if its assertions raise nothing: `f(x) == f(x)` too."""
    document = {
        "benchmark": "none", "problem_id": "p", "setting": "output", "item": "input 0", "kind": "function",
        "language": "python", "masked": "assert f(1) == ??", "run": "0",
    }  # fmt: skip
    family = runtime_published.PUBLISHED_RUNTIME
    question = Question.from_document(document)
    refused = family.read("[ANSWER]assertTrue(True)[/ANSWER]", question, "extract-answer")
    assert family.job(refused, question) is None and not family.right(question, refused)
    assert family.read("[ANSWER] [/ANSWER]", question, "extract-answer").text is None


def told(document: dict[str, Any]) -> str:
    if (document["problem_id"], document.get("setting")) in WRONG:
        return "I do not know."
    return str(document["target"])


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runtime")
    evaluate(folder, "org/told", told, [TASK, "codemind_ier_sample"])
    return folder


def test_a_run_verifies_is_shown_and_names_the_release_of_another_version(directory, tmp_path):
    said("verify", directory)
    shown = said("show", directory, "--all")
    assert "Hardest problems of Runtime" in shown and "state_executed" in shown
    shutil.copytree(directory, tmp_path / "run")

    def change(raw: dict[str, Any]) -> None:
        metadata = raw["configs"][TASK]["metadata"]
        metadata["version"], metadata["suite"]["version"] = 0.5, "0.1.0"

    change_results(tmp_path / "run", change)
    verified = codemind("verify", tmp_path / "run")
    assert verified.exit_code == 1
    assert f"{TASK} has version 0.5 in the run and version 1.0 here" in verified.output
    assert "it was made with lm-eval-codemind 0.1.0" in verified.output


@pytest.fixture(scope="module")
def observations(directory: Path) -> list[Observation]:
    return observe(read_runs([directory]))


def test_the_report_shows_where_consistency_breaks_and_outputs_under_two_families(observations):
    by_problem = {o.problem_id: o for o in observations if o.view.name == "runtime"}
    wrong = by_problem["Sample_spiral_order"]
    assert wrong.key.within_task() == "Sample_spiral_order" and not wrong.solved
    states = sum(sample.key.setting == "state" for sample in wrong.unit)
    assert wrong.scores == {"correct": pytest.approx(1 - states / len(wrong.unit))}
    assert wrong.view.outcome(wrong.unit) == "weakest in state"
    (margin,) = [part.text for part in wrong.view.parts(wrong.unit) if part.title == "Answers on input 0"]
    assert "consistency breaks at state, though path and output are correct, IC 0" in margin
    assert "- state of " in margin and "(no answer)   but: " in margin and "+ coverage: " in margin
    other = by_problem["Sample_run_length"]
    assert other.view.outcome(other.unit) == "weakest in output" and other.view.predicts(other.unit) is False
    assert by_problem["Sample_recent_cache_get"].solved
    """IER is all right; under this family one output of the 24 is wrong."""
    (row,) = output_predictions(observations).records()
    assert (row["first"], row["second"], row["n"]) == ("Runtime", "IER", 24) or row["first"] == "IER"
    assert sorted([row["first_only"], row["second_only"]]) == [0, 1] and row["both"] == 23
    assert row["p"] == 1.0


@pytest.mark.parametrize("benchmark", ["reval_humaneval", "reval_classeval", "cruxeval", "avatar"])
def test_every_right_answer_is_read_as_such(built, benchmark):
    every = runtime.dataset(benchmark=benchmark, settings=runtime_items.SETTINGS, items="all")["test"]
    assert set(scores(list(every), None).values()) == {1.0}


def test_published_labels_accept_their_own_answers(built):
    """33 of REval's 1,995 items on classes are left out, as no answer could be right.

    18 are those of DREval/122, whose outputs need numpy's ``mat``, which is no more. 15 are lines of ClassEval_44 where
    REval writes the value's type in small letters and then looks for it with capitals.
    """
    for benchmark, items in (("reval_humaneval", 1157), ("reval_classeval", 1995 - 18 - 15)):
        hooks = Hooks(runtime_published.PUBLISHED_RUNTIME)
        documents = list(hooks.dataset(benchmark=benchmark, settings=runtime_items.SETTINGS[:3])["test"])
        assert len(documents) == 3 * items
        for document in documents:
            assert (document["problem_id"], document["item"]) not in {
                ("ClassEval_44", f"input {number}, line {line}")
                for number in (1, 2, 3)
                for line in (29, 31, 33, 45, 50)
            }
            question = Question.from_document(document)
            answer = runtime_published.PUBLISHED_RUNTIME.read(document["target"], question, "extract-answer")
            assert runtime_published.PUBLISHED_RUNTIME.right(question, answer), document["item"]


@pytest.mark.parametrize(("limit", "problems"), [("4", "one"), ("16", "several")])
def test_a_score_of_0_is_not_certain(limit, problems, tmp_path):
    """All lines give the same: the interval is that of equal problems, and one problem has none."""
    said(
        "run", "--model", "codemind-null", "--tasks", TASK, "--limit", limit, "--output_path", tmp_path, "--log_samples"
    )
    runs = read_runs([tmp_path])
    rows = [row for row in summary(runs).rows if row["metric"] in runtime_items.NEEDS]
    assert rows and not any((row["low"], row["high"]) in ((0, 0), (1, 1)) for row in rows)
    shown = said("cite", tmp_path), said("show", tmp_path, "-n", "0")
    if problems == "one":
        assert "too few problems for an interval" in shown[0] and "too few" in shown[1]
    else:
        (row,) = [row for row in rows if row["metric"] == "state_executed"]
        assert row["value"] == row["low"] == 0 and 0.3 < row["high"] < 0.7
