"""Loops and branches: the questions need execution, labels hold, and answers score what they should."""

import ast
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import prove_executions
from lm_eval_codemind.data.benchmarks import sample
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.facts.executions import REASONS, load_executions
from lm_eval_codemind.data.facts.runtime_inputs import inputs_of
from lm_eval_codemind.families.execution import flow
from lm_eval_codemind.families.execution.score import same_step
from lm_eval_codemind.languages.python.recorder import record, units
from lm_eval_codemind.languages.python.tracing import Trace, read_trace
from lm_eval_codemind.proof.executions import events, simple_values, target_of, values_by_line
from lm_eval_codemind.results.analysis import overall, summary
from lm_eval_codemind.results.observations import observe
from lm_eval_codemind.results.runs import read_runs
from self_logging import self_logging
from tests.cli import said
from tests.results.harness import evaluate
from watching import Watching

BENCHMARKS = ("humaneval", "cruxeval", "classeval", "avatar")
KINDS = ("loops", "branches")
EXAMPLES = yaml.safe_load((flow.LOOP_REASONING.templates / "examples.yaml").read_text(encoding="utf-8"))


def documents(kind: str, benchmark: str = "sample") -> list[dict[str, Any]]:
    return list(getattr(flow, f"{kind}_dataset")(benchmark=benchmark, setting=kind)["test"])


def scores(kind: str, rows_asked: list[dict[str, Any]], responses: list[str]) -> dict[str, float]:
    answers = flow.extract_values([[response] for response in responses], rows_asked)
    rows = [
        getattr(flow, f"process_{kind}")(*pair) for pair in zip(rows_asked, ([each] for each in answers), strict=True)
    ]
    return {metric: sum(row[metric] for row in rows) / len(rows) for metric in (kind, "prefix", "answered")}


def traced(program: str, call: str, kind: str, stdin: str = "") -> tuple[Trace, list[Any]]:
    """Trace a program in this process and return its trace and its events."""
    program_units = units(ast.parse(program))
    watches = {number: [target] for number, unit in enumerate(program_units) if (target := target_of(unit))}
    plain = record(program, script=kind == "script", expression=call, stdin=stdin, make=Watching, watches=watches)
    trace = read_trace(plain, program_units)
    return trace, events(trace, program_units)


@pytest.mark.parametrize("kind", ["function", "method", "script"])
def test_the_few_shot_examples_are_true(kind: str) -> None:
    example = EXAMPLES[kind]
    stdin = example["input"] if kind == "script" else ""
    call = {"function": example["input"], "method": f"{example['input']}\ntest(None)", "script": ""}[kind]
    trace, trace_events = traced(example["code"], call, kind, stdin)
    output = trace.stdout if kind == "script" else trace.output and trace.output.literal
    assert output == example["output"]
    loops, branches = values_by_line(trace_events, units(ast.parse(example["code"])))
    for name, by_line in (("loops", loops), ("branches", branches)):
        asked = example["asked"][name]
        assert by_line[asked["line"]] == asked["values"]
    assert [line for line, _ in trace_events] == example["asked"]["lines"]["lines"]
    states = example["asked"]["states"]
    assert [list(step) for step in trace_events if step[1]] == [
        list(pair) for pair in zip(states["lines"], states["values"], strict=True)
    ]


def test_what_an_iteration_and_a_decision_are() -> None:
    program = (
        "def f(xs):\n    for x in xs:\n        if x > 2:\n            break\n    else:\n        x = 9\n"
        "    while x:\n        x -= 2\n        if x < 2: return x\n    return -1\n"
    )
    _, trace_events = traced(program, "f([1, 2, 4])", "function")
    loops, branches = values_by_line(trace_events, units(ast.parse(program)))
    assert loops == {2: ["1", "2", "4"]}
    # The `if` in line 9 shares its line with a `return`.
    assert branches == {3: ["False", "False", "True"], 7: ["True", "True"]}
    assert [line for line, _ in trace_events] == [2, 3, 2, 3, 2, 3, 4, 7, 8, 9, 7, 8, 9, 9]
    _, trace_events = traced(program, "f([1, 2])", "function")
    assert [line for line, _ in trace_events] == [2, 3, 2, 3, 2, 6, 7, 8, 9, 7, 8, 9, 7, 8, 9, 7, 8, 9, 9]


def test_a_condition_that_raises_has_no_value() -> None:
    program = "def f(x):\n    try:\n        if x[0]:\n            return 1\n    except IndexError:\n        return 2\n"
    for call, expected in (("f([0])", [["False"]]), ("f([1])", [["True"]]), ("f([])", [])):
        _, trace_events = traced(program, call, "function")
        assert list(values_by_line(trace_events, units(ast.parse(program)))[1].values()) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_the_sample_is_asked_what_needs_execution(kind: str) -> None:
    of_kind = documents(kind)
    assert len(of_kind) >= 15
    problems = {problem.problem_id: problem for problem in sample.read()}
    for document in of_kind:
        values = document["values"]
        assert f"line {document['line']}" in document["prompt"] and f"[{', '.join(values)}]" in document["target"]
        if kind == "branches":
            assert set(values) == {"True", "False"} and 3 <= len(values) <= 20
        else:
            assert 2 <= len(values) <= 20
            (run_input,) = inputs_of(problems[document["problem_id"]])
            assert [ast.literal_eval(value) for value in values] not in simple_values(run_input)


def test_what_is_shipped_of_the_sample_is_what_rewritten_programs_log() -> None:
    """``utils/prove/prove_executions.py check`` does it for all benchmarks, with every version of Python."""
    executions = load_executions("sample")
    pairs = [
        (executions[problem.problem_id], run_input) for problem in sample.read() for run_input in inputs_of(problem)
    ]
    assert len(pairs) == 24
    sources = [(self_logging(run_input, {}), prove_executions.stdin_of(run_input)) for _, run_input in pairs]
    records = prove_executions.run_all(sys.executable, 5, "", sources)
    assert [prove_executions.differences(known, each) for (known, _), each in zip(pairs, records, strict=True)] == [
        [] for _ in pairs
    ]


def test_the_check_finds_a_wrong_label() -> None:
    known = next(each for each in load_executions("sample").values() if each.loops and each.branches)
    log = [[[line, {"": "?"}] for line in (*known.loops, *known.branches)], []]
    assert len(prove_executions.differences(known, log)) >= 2
    assert prove_executions.differences(known, None) == ["does not run"]


def test_what_is_left_out_is_named_and_the_files_are_small() -> None:
    size = 0
    for name in ("sample", *BENCHMARKS):
        executions = load_executions(name).values()
        assert executions and all(bool(each.steps) != bool(each.reason) for each in executions)
        assert {each.reason for each in executions} <= {"", *REASONS}
        size += (shipped.FOLDER / f"executions/{name}.json.gz").stat().st_size
    assert size < 400_000


@pytest.mark.parametrize("kind", KINDS)
def test_ceiling_and_floor(kind: str) -> None:
    of_kind = documents(kind)
    assert scores(kind, of_kind, [row["target"] for row in of_kind]) == {kind: 1, "prefix": 1, "answered": 1}
    assert scores(kind, of_kind, ["I do not know."] * len(of_kind))[kind] == 0
    for constant in ("[]", "[True]", "Y, Y, Y, Y", "False, False, False", "[0, 1, 2]"):
        assert scores(kind, of_kind, [f"<answer>{constant}</answer>"] * len(of_kind))[kind] <= 0.1


def test_partly_right() -> None:
    (document, *_) = documents("branches")
    values = document["values"]
    for answer, share in (
        (values[:2], 2),
        ([*values, "True"], len(values)),
        (["N" if values[0] == "True" else "Y", *values], None),
    ):
        metrics = scores("branches", [document], [f"<answer>{', '.join(answer)}</answer>"])
        assert metrics == {"branches": 0, "prefix": (share or 0) / len(values), "answered": 1}
    # A list with something else than truths is not read in part.
    metrics = scores("branches", [document], [f"<answer>{', '.join(['?', *values])}</answer>"])
    assert metrics == {"branches": 0, "prefix": 0, "answered": 0}


def told(document: dict[str, Any]) -> str:
    if document["problem_id"] == "Sample_invert_index":
        return f"<answer>[{document['values'][0]}, 77]</answer>"
    return str(document["target"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_verifies_and_the_report_marks_the_first_error(kind: str, tmp_path: Path) -> None:
    task = f"codemind_{kind}_sample"
    evaluate(tmp_path, "org/told", told, [task])
    said("verify", tmp_path)
    shown = said("show", tmp_path)
    assert kind in shown and "prefix" in shown
    said("report", tmp_path, "-o", tmp_path / "report.html")
    wrong = [each for each in observe(read_runs([tmp_path])) if each.problem_id == "Sample_invert_index"]
    assert wrong and not any(each.solved for each in wrong)
    (text,) = [part.text for part in wrong[0].view.parts(wrong[0].unit) if part.title.startswith("Line ")]
    assert text.split("\n")[2].endswith("<- first error") and "77" in text.split("\n")[2]
    assert wrong[0].view.outcome(wrong[0].unit) == "incorrect later"


@pytest.mark.parametrize("kind", KINDS)
def test_a_group_has_the_harness_s_number_with_an_interval(built: Path, tmp_path: Path, kind: str) -> None:
    some = evaluate(tmp_path, "org/told", lambda row: row["target"] * (row["line"] % 3 > 0), [f"codemind_{kind}"])
    runs = read_runs([tmp_path])
    rows = overall(runs, summary(runs, observe(runs))).records()
    (row,) = [each for each in rows if each["metric"] == kind]
    assert row["value"] == pytest.approx(some["groups"][f"codemind_{kind}"][f"{kind},extract-answer"])
    assert row["low"] < row["value"] < row["high"]


@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_right_answer_is_read_as_such(built: Path, benchmark: str, kind: str) -> None:
    of_kind = documents(kind, benchmark)
    assert set(scores(kind, of_kind, [row["target"] for row in of_kind]).values()) == {1.0}


@pytest.mark.parametrize(
    ("answer", "value", "names", "right"),
    [
        ("1", "1", ["i"], True), ("i = 1", "1", ["i"], True), ("i: 1", "1", ["i"], True), ("j = 1", "1", ["i"], False),
        ("1.0", "1", ["i"], True), ("True", "1", ["i"], False), ("a", "'a'", ["i"], True),
        ("null", "None", ["i"], True), ("true", "True", ["i"], True),
        ("[1, 2]", "(1, 2)", ["i"], False), ("(1, 'a')", "(1, 'a')", ["i", "x"], True),
        ("[1, 'a']", "(1, 'a')", ["i", "x"], True), ("1, 'a'", "(1, 'a')", ["i", "x"], True),
        ("i = 1, x = 'a'", "(1, 'a')", ["i", "x"], True), ("i, x = 1, 'a'", "(1, 'a')", ["i", "x"], True),
        ("(1, 'b')", "(1, 'a')", ["i", "x"], False), ("1", "(1, 'a')", ["i", "x"], False),
        ("(1, (2, 3))", "(1, (2, 3))", ["i", "x"], True), ("(1, 'a', 2)", "(1, 'a')", ["i", "x"], False),
    ],
)  # fmt: skip
def test_values_of_loop_variables(answer: str, value: str, names: list[str], right: bool) -> None:
    assert same_step(answer, value, names) is right


@pytest.mark.parametrize("word", ["True", "true", "Y", "yes", "T", "1", "taken", "True (n = 3)", "`True`", "holds"])
def test_words_for_true(word: str) -> None:
    assert same_step(word, "True", ()) and not same_step(word, "False", ())


@pytest.mark.parametrize("word", ["False", "false", "N", "no", "F", "0", "not taken", "not executed", "False."])
def test_words_for_false(word: str) -> None:
    assert same_step(word, "False", ()) and not same_step(word, "True", ())


@pytest.mark.parametrize("word", ["", "unknown", "maybe", "10", "Tuesday", "None"])
def test_other_words_are_neither(word: str) -> None:
    assert not same_step(word, "True", ()) and not same_step(word, "False", ())
