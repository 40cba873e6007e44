"""Loops, branches and traces: questions need execution, labels hold, and answers score what they should."""

import ast
import sys
import time
from itertools import pairwise
from typing import Any

import pytest

import prove_executions
from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.facts.executions import REASONS, load_executions
from lm_eval_codemind.data.facts.runtime_inputs import inputs_of
from lm_eval_codemind.families.execution import flow, trace
from lm_eval_codemind.families.execution.score import same_step
from lm_eval_codemind.families.views import views
from lm_eval_codemind.languages.python.units import units
from lm_eval_codemind.results.analysis import overall, summary
from lm_eval_codemind.results.observations import observe
from lm_eval_codemind.results.runs import read_runs
from lm_eval_codemind.samples import Sample
from lm_eval_codemind.workshop.benchmarks import sample
from lm_eval_codemind.workshop.proof.executions import events, simple_values, target_of, values_by_line
from lm_eval_codemind.workshop.python.recorder import record
from lm_eval_codemind.workshop.python.tracing import Trace, read_trace
from self_logging import self_logging
from tests.cli import said
from tests.results.harness import evaluate
from watching import Watching

BENCHMARKS = ("humaneval", "cruxeval", "classeval", "avatar")
KINDS, SETTINGS = ("loops", "branches"), ("lines", "states")
# Documents of the runs that are looked at: one with a wrong step, one with a wrong output, one without an answer.
STEP, OUTPUT, SILENT = "Sample_invert_index", "Sample_merge_intervals", "Sample_run_length"
REASON, STATEMENTS, FLOW = trace.RIGHT_REASON, (ast.stmt, ast.ExceptHandler), {ast.For, ast.If, ast.While}
EXAMPLES = read_yaml(flow.LOOP_REASONING.templates / "examples.yaml")


def documents(kind: str, benchmark: str = "sample") -> list[dict[str, Any]]:
    dataset = trace.dataset if kind in SETTINGS else getattr(flow, f"{kind}_dataset")
    return list(dataset(benchmark=benchmark, setting=kind)["test"])


def scores(kind: str, rows_asked: list[dict[str, Any]], responses: list[str]) -> dict[str, float]:
    """Return the metrics of one response to each question."""
    if kind in SETTINGS:
        extract, process = trace.extract_steps, trace.process_results
        metrics = ["trace", "prefix", "output", "lucky", REASON]
    else:
        extract, process = flow.extract_values, getattr(flow, f"process_{kind}")
        metrics = [kind, "prefix", "answered"]
    answers = extract([[response] for response in responses], rows_asked)
    rows = [process(row, [each]) for row, each in zip(rows_asked, answers, strict=True)]
    values = {metric: [row[metric] for row in rows] for metric in metrics}
    reasons = {REASON: trace.right_for_the_right_reason(values.pop(REASON))} if REASON in values else {}
    return {metric: sum(each) / len(each) for metric, each in values.items()} | reasons


def traced(program: str, call: str, kind: str, stdin: str = "") -> tuple[Trace, list[Any]]:
    """Trace a program in this process and return its trace and its events."""
    program_units = units(ast.parse(program))
    watches = {number: [target] for number, unit in enumerate(program_units) if (target := target_of(unit))}
    plain = record(program, script=kind == "script", expression=call, stdin=stdin, make=Watching, watches=watches)
    trace = read_trace(plain, program_units)
    return trace, events(trace, program_units)


@pytest.mark.proof
@pytest.mark.parametrize("kind", ["function", "method", "script"])
def test_the_few_shot_examples_are_true(kind):
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


def test_what_an_iteration_and_a_decision_are():
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
    program = "def f(x):\n    try:\n        if x[0]:\n            return 1\n    except IndexError:\n        return 2\n"
    for call, expected in (("f([0])", [["False"]]), ("f([1])", [["True"]]), ("f([])", [])):
        _, trace_events = traced(program, call, "function")
        assert list(values_by_line(trace_events, units(ast.parse(program)))[1].values()) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_the_sample_is_asked_what_needs_execution(kind):
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


@pytest.mark.proof
def test_what_is_shipped_is_what_rewritten_programs_log_named_and_small():
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
    known = next(each for each in load_executions("sample").values() if each.loops and each.branches)
    log = [[[line, {"": "?"}] for line in (*known.loops, *known.branches)], []]
    assert len(prove_executions.differences(known, log)) >= 2
    assert prove_executions.differences(known, None) == ["does not run"]
    size = 0
    for name in ("sample", *BENCHMARKS):
        executions = load_executions(name).values()
        assert executions and all(bool(each.steps) != bool(each.reason) for each in executions)
        assert {each.reason for each in executions} <= {"", *REASONS}
        size += (shipped.FOLDER / f"executions/{name}.json.gz").stat().st_size
    assert size < 400_000


@pytest.mark.parametrize(("answer", "value", "names", "right"), [
    ("1", "1", ["i"], True), ("i = 1", "1", ["i"], True), ("i: 1", "1", ["i"], True), ("j = 1", "1", ["i"], False),
    ("1.0", "1", ["i"], True), ("True", "1", ["i"], False), ("a", "'a'", ["i"], True), ("null", "None", ["i"], True),
    ("true", "True", ["i"], True), ("[1, 2]", "(1, 2)", ["i"], False), ("(1, 'a')", "(1, 'a')", ["i", "x"], True),
    ("[1, 'a']", "(1, 'a')", ["i", "x"], True), ("1, 'a'", "(1, 'a')", ["i", "x"], True),
    ("i = 1, x = 'a'", "(1, 'a')", ["i", "x"], True), ("i, x = 1, 'a'", "(1, 'a')", ["i", "x"], True),
    ("(1, 'b')", "(1, 'a')", ["i", "x"], False), ("1", "(1, 'a')", ["i", "x"], False),
    ("(i, x) = (1, 'a')", "(1, 'a')", ["i", "x"], True), ("(i, x) = (2, 'a')", "(1, 'a')", ["i", "x"], False),
    ("(1, (2, 3))", "(1, (2, 3))", ["i", "x"], True), ("(1, 'a', 2)", "(1, 'a')", ["i", "x"], False),
])  # fmt: skip
def test_values_of_loop_variables(answer, value, names, right):
    assert same_step(answer, value, names) is right


PERFECT = {
    **{kind: {kind: 1, "prefix": 1, "answered": 1} for kind in KINDS},
    **{setting: {"trace": 1, "prefix": 1, "output": 1, "lucky": 0, REASON: 1} for setting in SETTINGS},
}


@pytest.mark.parametrize("kind", PERFECT)
def test_ceiling_and_floor(kind):
    of_kind = documents(kind)
    assert scores(kind, of_kind, [row["target"] for row in of_kind]) == PERFECT[kind]
    silent = scores(kind, of_kind, ["I do not know."] * len(of_kind))
    assert {silent[metric] for metric in PERFECT[kind] if metric != REASON} == {0}
    for constant in ("[]", "[True]", "Y, Y, Y, Y", "False, False, False", "[0, 1, 2]") if kind in KINDS else ():
        assert scores(kind, of_kind, [f"<answer>{constant}</answer>"] * len(of_kind))[kind] <= 0.1


@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("kind", PERFECT)
def test_every_right_answer_is_read_as_such(built, benchmark, kind):
    of_kind = documents(kind, benchmark)
    assert scores(kind, of_kind, [row["target"] for row in of_kind]) == PERFECT[kind]


def test_partly_right():
    (document, *_) = documents("branches")
    values = document["values"]
    for answer, share in (
        (values[:2], 2),
        ([*values, "True"], len(values)),
        (["N" if values[0] == "True" else "Y", *values], 0),
        # A list with something else than truths is not read in part.
        (["?", *values], None),
    ):
        metrics = scores("branches", [document], [f"<answer>{', '.join(answer)}</answer>"])
        assert metrics == {"branches": 0, "prefix": (share or 0) / len(values), "answered": share is not None}


@pytest.mark.parametrize("kind", KINDS)
def test_the_report_marks_the_first_error(kind, tmp_path):
    def told(document: dict[str, Any]) -> str:
        wrong = f"<answer>[{document['values'][0]}, 77]</answer>"
        return wrong if document["problem_id"] == STEP else str(document["target"])

    evaluate(tmp_path, "org/told", told, [f"codemind_{kind}_sample"])
    assert "prefix" not in said("show", tmp_path, "-n", "0")
    shown = said("show", tmp_path, "--all-metrics")
    assert kind in shown and "prefix" in shown
    wrong = [each for each in observe(read_runs([tmp_path])) if each.problem_id == STEP]
    assert wrong and not any(each.solved for each in wrong)
    (text,) = [part.text for part in wrong[0].view.parts(wrong[0].unit) if part.title.startswith("Line ")]
    assert text.split("\n")[2].endswith("<- first error") and "77" in text.split("\n")[2]
    assert wrong[0].view.outcome(wrong[0].unit) == "incorrect later"


@pytest.mark.parametrize("kind", KINDS)
def test_a_group_has_the_harness_s_number_with_an_interval(built, tmp_path, kind):
    some = evaluate(tmp_path, "org/told", lambda row: row["target"] * (row["line"] % 3 > 0), [f"codemind_{kind}"])
    runs = read_runs([tmp_path])
    rows = overall(runs, summary(runs)).records()
    (row,) = [each for each in rows if each["metric"] == kind]
    assert row["value"] == pytest.approx(some["groups"][f"codemind_{kind}"][f"{kind},extract-answer"])
    assert row["low"] < row["value"] < row["high"]


WORDS = {
    True: ["True", "true", "Y", "yes", "T", "1", "taken", "True (n = 3)", "`True`", "holds"],
    False: ["False", "false", "N", "no", "F", "0", "not taken", "not executed", "False."],
    None: ["", "unknown", "maybe", "10", "Tuesday", "None"],
}


@pytest.mark.parametrize(("value", "word"), [(value, word) for value, words in WORDS.items() for word in words])
def test_words_for_truths(value, word):
    assert [same_step(word, truth, ()) for truth in ("True", "False")] == [value is True, value is False]


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_sample_is_asked_about_short_executions_with_a_choice(setting):
    of_setting = documents(setting)
    assert len(of_setting) == 16 and len({document["problem_id"] for document in of_setting}) == 16
    for document in of_setting:
        assert 1 <= len(document["lines"]) <= 60 and document["output"].strip("\n") in document["target"]
        nodes = [node for node in ast.walk(ast.parse(document["code"])) if isinstance(node, STATEMENTS)]
        kinds = {type(node) for node in nodes if node.lineno in document["lines"]}
        if setting == "states":
            assert kinds <= FLOW and all(document["values"])
        else:
            assert kinds & FLOW


def test_parts_of_a_response_are_scored_apart():
    (document, *_) = [each for each in documents("states") if each["problem_id"] == STEP]
    steps, output = trace.written(document, "states").split("\n"), document["output"]
    count = len(steps)

    def scored(lines: list[str], output: str) -> dict[str, float]:
        text = "\n".join(lines)
        return scores("states", [document], [f"<trace>\n{text}\n</trace>\n<output>\n{output}\n</output>"])

    right = scored(steps, "[]")
    assert right | {REASON: 0} == {"trace": 1, "prefix": 1, "output": 0, "lucky": 0, REASON: 0}
    wrong = scored([*steps[:-1], f"{steps[-1]}1"], output)
    assert wrong == {"trace": 0, "prefix": (count - 1) / count, "output": 1, "lucky": 1, REASON: 0}
    longer = scored([*steps, steps[0]], output)
    assert longer["prefix"] == 1 and longer["trace"] == 0
    assert scored(steps[:3], output)["prefix"] == 3 / count


def test_a_statement_on_several_lines_has_each_of_their_numbers():
    document = {
        "benchmark": "none", "problem_id": "p", "setting": "lines", "item": "", "kind": "function",
        "language": "python", "output": "3", "lines": [2, 4, 7], "values": ["", "", ""],
        "code": "def f(x):\n    y = (x +\n         1)\n    if (y and\n            x):\n        pass\n    return 3\n",
    }  # fmt: skip
    for lines, right in (("2, 4, 7", 1), ("3, 5, 7", 1), ("2, 3, 4, 7", 0), ("2, 4, 6", 0)):
        assert scores("lines", [document], [f"<trace>{lines}</trace><output>3</output>"])["trace"] == right


def told(document: dict[str, Any]) -> str:
    target = str(document["target"])
    if document["problem_id"] == STEP:
        return target.replace("<trace>\n", "<trace>\n1, " if document["setting"] == "lines" else "<trace>\n1: 7\n")
    if document["problem_id"] == OUTPUT:
        return target.partition("<output>")[0] + "<output>\n'wrong'\n</output>"
    return "" if document["problem_id"] == SILENT else target


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_report_marks_the_first_wrong_step(setting, tmp_path):
    task = f"codemind_trace_{setting}_sample"
    results = evaluate(tmp_path, "org/told", told, [task])["results"][task]
    assert results["trace,extract-answer"] == 14 / 16 and results["output,extract-answer"] == 14 / 16
    assert results["right_for_the_right_reason,extract-answer"] == pytest.approx(13 / 14)
    assert results["lucky,extract-answer"] == 1 / 16
    # Influences: 13 of (1/14)^2 and one of (13/14)^2 over 14^2, 16 problems.
    expected = (16 / 15 * (13 * (1 / 14) ** 2 + (13 / 14) ** 2) / 14**2) ** 0.5
    assert results["right_for_the_right_reason_stderr,extract-answer"] == pytest.approx(expected)
    assert "right_for_the_right_reason" in said("show", tmp_path)
    by_problem = {each.problem_id: each for each in observe(read_runs([tmp_path]))}
    outcomes = {name: by_problem[name].view.outcome(by_problem[name].unit) for name in (STEP, OUTPUT, SILENT)}
    assert outcomes[STEP] == "first step incorrect, correct output"
    assert outcomes[OUTPUT] == "correct trace, incorrect output" and outcomes[SILENT] == "no trace, incorrect output"
    (steps,) = [part.text for part in by_problem[STEP].view.parts(by_problem[STEP].unit) if part.title == "Steps"]
    assert steps.split("\n")[1].endswith("<- first error")
    estimate = by_problem[STEP].view.estimate([each.unit[0] for each in by_problem.values()], REASON)
    assert estimate.value == pytest.approx(13 / 14) and estimate.low < estimate.value < estimate.high == 1


def test_of_several_responses_those_with_a_right_output_weigh():
    outputs = [[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    records = [{"problem_id": f"p{n}", "trace": [1.0, 0.0], "output": each} for n, each in enumerate(outputs)]
    samples = [Sample({"benchmark": "b", **one}, 0, "", (), (), (), "f", {REASON: one}, {}) for one in records]
    estimate, of_harness = views()["trace_lines"].estimate(samples, REASON), trace.right_for_the_right_reason(records)
    assert (estimate.value, estimate.n) == (pytest.approx(2 / 3), 3) == (of_harness, of_harness.size)


def test_five_thousand_traces_are_scored_in_thirty_seconds(built):
    many = (documents("states", "cruxeval") + documents("lines", "cruxeval")) * 6
    began = time.process_time()
    scores("lines", many[:5_000], [document["target"] for document in many[:5_000]])
    assert time.process_time() - began < 30


def test_a_condition_comes_before_the_events_in_functions_that_it_calls(built):
    """The prompt says so. In each such question, an event of a called function follows the line that calls it."""
    calling = 0
    for benchmark in ("humaneval", "classeval"):
        for document in trace.dataset(benchmark=benchmark, setting="states")["test"]:
            assert "its line comes before the lines of the events in these functions" in document["prompt"]
            nodes = [*ast.walk(ast.parse(document["code"]))]
            bodies = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
            for node in (node for node in nodes if isinstance(node, (ast.If, ast.While))):
                names = {getattr(part, "attr", getattr(part, "id", "")) for part in ast.walk(node.test)}
                parts = (part for name in names & bodies.keys() for part in ast.walk(bodies[name]))
                inner = {part.lineno for part in parts if type(part) in FLOW} - {node.lineno}
                following = {after for line, after in pairwise(document["lines"]) if line == node.lineno}
                if node.lineno in document["lines"] and inner & set(document["lines"]):
                    calling += 1
                    assert inner & following, document["problem_id"]
    assert calling >= 10
