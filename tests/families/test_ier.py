import pytest

from lm_eval_codemind import family
from lm_eval_codemind.families.ier import published
from lm_eval_codemind.families.ier import task as ier
from lm_eval_codemind.harness.reply import SKIPPED
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer
from lm_eval_codemind.workshop.benchmarks import sample


def test_dataset_of_the_sample():
    suite: dict[str, object] = {}
    splits = ier.dataset(benchmark="sample", setting="steps", suite=suite, pretrained="model args are ignored")
    problems = {problem.problem_id: problem for problem in sample.read()}
    assert [row["problem_id"] for row in splits["test"]] == list(problems)
    for row in splits["test"]:
        problem = problems[row["problem_id"]]
        assert row["output"] == problem.output
        assert row["prompt"].index(problem.code.strip()) < row["prompt"].index(problem.input.strip("\n"))
        # A prompt must not hold its answer behind the marker.
        ((answer,),) = ier.strict_match([[row["target"]]], [row])
        assert answer.text is not None and answer.text.strip("\n") == (problem.output or "").strip("\n")
    assert [row["kind"] for row in splits["fewshot"]] == ["function", "method", "script"]
    assert splits["fewshot"].column_names == splits["test"].column_names
    assert suite["benchmark"] == "sample" and suite["problems"] == 24 and suite["excluded"] == 0
    assert suite["prompts"] == "packaged" and len(str(suite["data_sha256"])) == len(str(suite["prompts_sha256"])) == 64


def test_excluded_problems_are_left_out(monkeypatch):
    good = Problem("a", "cruxeval", "function", "python", "def f(): return 1", "f", "f()", "1")
    bad = Problem("b", "cruxeval", "function", "python", "", "f", "f()", None, category="excluded", reason="time")
    monkeypatch.setattr(family, "load_benchmark", lambda name: [bad, good])
    monkeypatch.setattr(family, "benchmark_digests", lambda name: {name: "0"})
    suite: dict[str, object] = {}
    splits = ier.dataset(benchmark="cruxeval", setting="direct", suite=suite)
    assert splits["test"]["problem_id"] == ["a"] and splits["fewshot"]["kind"] == ["function"]
    assert (suite["problems"], suite["excluded"]) == (2, 1)
    assert "step by step" not in splits["test"][0]["prompt"]
    assert splits["fewshot"][0]["target"].startswith("<output>")


FUNCTION = {"benchmark": "sample", "problem_id": "P", "kind": "function", "language": "python", "output": "[1, 2]"}
LEFT_OUT = Answer(None, skipped=True)


def test_filters():
    responses = [["<output>[1, 2]</output>", "It returns `[1, 2]`.", "It returns it.", "", SKIPPED]]
    assert ier.strict_match(responses, [FUNCTION]) == [[Answer("[1, 2]"), *[Answer(None)] * 3, LEFT_OUT]]
    (answers,) = ier.flexible_extract(responses, [FUNCTION])
    assert answers == [Answer("[1, 2]"), Answer("[1, 2]"), Answer(None), Answer(None), LEFT_OUT]
    # The published filter takes an empty block.
    (answers,) = published.strict_match([["<<<Output>>>\n\n[END-OF-RESPONSE]", "none"]], [FUNCTION])
    assert answers == [Answer("\n\n"), Answer(None)]


def test_metrics_of_one_response_and_of_repeats():
    right, quoted, none = ([[Answer(text)]] for text in ("[1,2]", "`[1,2]`", None))
    assert ier.process_results(FUNCTION, right) == {"r_ier": 1.0, "r_ier_text": 1.0, "answered": 1.0}
    assert ier.process_results(FUNCTION, quoted) == {"r_ier": 1.0, "r_ier_text": 0.0, "answered": 1.0}
    assert ier.process_results(FUNCTION, none) == {"r_ier": 0.0, "r_ier_text": 0.0, "answered": 0.0}
    assert ier.process_results(FUNCTION, [[LEFT_OUT]]) == {}
    assert published.process_results(FUNCTION, quoted) == {"r_ier_text": 0.0, "answered": 1.0}
    assert published.process_results(FUNCTION, [[LEFT_OUT]]) == {}
    metrics = ier.process_results(FUNCTION, [[Answer("[1, 2]"), Answer("[1]"), Answer(None), Answer("x")]])
    shares = {"r_ier": 0.25, "r_ier_text": 0.25, "answered": 0.75, "pass@1": 0.25, "pass@2": 0.5, "pass@4": 1.0}
    assert metrics == pytest.approx(shares)
