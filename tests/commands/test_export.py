"""``codemind export``: what it refuses, and labels of one's own programs that plain Python gives as well."""

import json
import subprocess
import sys
from ast import literal_eval
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.commands import export
from lm_eval_codemind.data import load_benchmark, making
from lm_eval_codemind.data.facts.fresh import Fresh, Run, from_records, load_records
from lm_eval_codemind.data.facts.runtime_inputs import inputs_of
from lm_eval_codemind.data.own import read_programs
from lm_eval_codemind.families.fresh import task as fresh_task
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.rewards import idle_responses, rewards
from lm_eval_codemind.workshop.proof import fresh
from prove_executions import _as_logged as as_logged
from prove_executions import run_all
from self_logging import self_logging
from tests.cli import codemind, refused, said
from tests.run_files import read_rows, write_rows

PROGRAMS = Path(__file__).with_name("programs.jsonl")
FAILING = {
    "fails": ("def f(n):\n    return 1 // n\n", "f(0)", "exception"),
    "loops": ("def f(n):\n    while True:\n        n += 1\n", "f(0)", "does not end"),
    "random": ("import random\ndef f(n):\n    return random.randint(0, 10**9)\n", "f(0)", "different outputs"),
    "order": ("def f(s):\n    return ''.join(set(s))\n", "f('ab')", "different outputs"),
    "clock": ("import datetime\ndef f(n):\n    return datetime.date.today().year\n", "f(0)", "different outputs"),
    "object": ("def f(n):\n    return object()\n", "f(0)", "literal"),
}


def question(row: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(row["scoring"])["question"])


def test_seeds_of_the_evaluation_are_refused(tmp_path):
    out = tmp_path / "rows.jsonl"
    for task, metadata, message in (
        ("codemind_ier_fresh_sample", {"input_seed": 0}, "for evaluation"),
        ("codemind_ier_fresh_sample", {"input_seed": 9}, "for evaluation"),
        ("codemind_ier_sample", {}, "all 24 questions"),
        ("codemind_runtime_sample", {"items": "all"}, "packaged evaluation"),
        ("codemind_runtime_sample", {"items": "3"}, "packaged evaluation"),
    ):
        assert message in refused("export", "--tasks", task, "--metadata", json.dumps(metadata), "-o", out)
        assert not out.exists()
    said("export", "--tasks", "codemind_ier_sample", "--evaluation", "-o", out)
    assert len(read_rows(out)) == 24


@pytest.mark.proof
def test_questions_of_the_evaluation_are_left_out(tmp_path):
    out, packaged = tmp_path / "rows.jsonl", tmp_path / "packaged.jsonl"
    fresh = ("export", "--tasks", "codemind_ier_fresh_sample")
    assert "packaged evaluation are left out" in said(*fresh, "--metadata", '{"input_seed": 12}', "-o", out)
    said(*fresh, "--evaluation", "-o", packaged)
    rows, known = read_rows(out), {row["text"] for row in read_rows(packaged)}
    assert len(rows) > 10 and not [row for row in rows if row["text"] in known or row["seed"] != 12]
    assert {row["item"] for row in rows} == {"fresh_1"}
    assert rewards(rows, [row["target"] for row in rows]) == [1.0] * len(rows)


def drawn(problem: Problem, seed: int) -> list[str]:
    """Return all inputs among which a seed chooses in its first round; nothing is executed."""
    tries, bold = fresh._ROUNDS[0]
    return fresh._Making(problem, seed, 1, tries, bold)._inputs


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("built")
def test_no_question_of_a_seed_for_evaluation_is_among_the_rows_of_ten_for_training(tmp_path, monkeypatch):
    """Of all benchmarks. A seed for training draws what it may draw, and also the evaluation's input where it has one.

    Its inputs are not executed, so that most labels are wrong; the evaluation's have theirs.
    """
    benchmarks = ("sample", "humaneval", "cruxeval", "classeval", "avatar")
    published = {name: [each for each in load_benchmark(name) if each.category != "excluded"] for name in benchmarks}
    packaged = {name: from_records(load_records(name), problems) for name, problems in published.items()}

    def not_executed(problems: list[Problem], seed: int, count: int) -> dict[str, Fresh]:
        found = {}
        for problem in problems:
            known = {run.input: run for run in packaged[problem.benchmark][problem.problem_id].runs}
            runs = known | {text: Run(text, "0", 1) for text in drawn(problem, seed)} | known
            found[problem.problem_id] = Fresh(1, tuple(runs.values())[:count])
        return found

    monkeypatch.setattr(making, "fresh", not_executed)
    monkeypatch.setattr(fresh_task, "stored", lambda file, read, make, write: make())
    rows = []
    for seed in range(10, 20):
        options = json.dumps({"input_seed": seed, "fresh_inputs": 3})
        tasks = "codemind_ier_fresh,codemind_ier_fresh_sample"
        said("export", "--tasks", tasks, "--metadata", options, "-o", tmp_path / "rows.jsonl")
        rows += [
            (row["benchmark"], row["problem_id"], question(row)["input"]) for row in read_rows(tmp_path / "rows.jsonl")
        ]
    assert len(rows) > 20_000 and {name for name, *_ in rows} == set(benchmarks)
    known = {
        (name, each.problem_id, text)
        for name, problems in published.items()
        for each in problems
        for text in (
            each.input,
            *(run.input for run in packaged[name][each.problem_id].runs),
            *(text for seed in range(1, 10) for text in drawn(each, seed)),
        )
    }
    assert len(known) > 50_000 and not known & set(rows)


def test_wrong_options_have_a_message(tmp_path):
    out = tmp_path / "rows.jsonl"
    for arguments, message in (
        ([], "either --tasks or --programs"),
        (["--tasks", "codemind_ier_sample", "--metadata", "{"], "not a JSON object"),
        (["--tasks", "codemind_ier_sample", "--metadata", "[]"], "not a JSON object"),
        (["--tasks", "codemind_no", "--evaluation"], "no task of this suite"),
        (["--tasks", "codemind_ier_fresh_sample", "--metadata", '{"input_seed": "x"}'], "must be a whole number"),
    ):
        result = codemind("export", *arguments, "-o", out)
        assert result.exit_code != 0 and message in result.output, result.output


@pytest.mark.parametrize(("line", "message"), [
    ("{", "Expecting"), ("[]", "no attribute"), ('{"id": "a", "code": "x"}', "either a call or"),
    ('{"id": "a", "code": "x =", "call": "f()"}', "is not Python"),
    ('{"id": "a", "code": "x", "call": "1 +"}', "not a Python expression"),
    ('{"id": "a", "code": "x", "call": "a.b()"}', "not a call of a function"),
    ('{"id": "a#1", "code": "x", "call": "f()"}', "contains #"),
    ('{"id": 3, "code": "x", "call": "f()"}', "id is missing or not a text"),
    ('{"id": "first", "code": "x", "call": "f()"}', "used twice"),
])  # fmt: skip
def test_a_wrong_line_is_named_and_left_out(line, message, tmp_path):
    """The other lines are read."""
    file = tmp_path / "programs.jsonl"
    rows = [{"id": name, "code": "def f():\n    return 1\n", "call": "f()"} for name in ("first", "last")]
    first, last = (json.dumps(row) + "\n" for row in rows)
    file.write_text(f"{first}\n{line}\n{last}")
    programs, left_out = read_programs(file)
    assert [program.problem.problem_id for program in programs] == ["first", "last"]
    assert left_out.keys() == {f"{file}, line 3"} and message in left_out[f"{file}, line 3"]


# Written here, not by the package: arguments and inputs that everybody tries first.
SINGLE = (
    "",
    "0",
    "1",
    "2",
    "-1",
    "10",
    "1.0",
    "True",
    "''",
    "'a'",
    "' '",
    "'abc'",
    "[]",
    "[0]",
    "[1]",
    "[1, 2, 3]",
    "['a']",
)
SINGLE += ("[[]]", "()", "(0,)", "(1, 2)", "{}", "{'a': 1}", "set()", "None", "[0, 0]", "[-1]", "'1'", "'()'", "[[1]]")
PAIRS = [
    f"{first}, {second}" for first in ("0", "1", "''", "'a'", "[]", "[1]") for second in ("0", "1", "''", "'a'", "[]")
]


def usual_inputs(row: dict[str, Any]) -> list[str]:
    """Return sixty calls of the function, or sixty inputs of a script."""
    asked = question(row)
    values = (*SINGLE, *PAIRS)
    assert len(set(values)) == 60
    if asked["kind"] == "script":
        return [text.replace(", ", "\n") for text in values]
    return [f"{asked['entry_point']}({text})" for text in values]


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("benchmark", ["sample", "humaneval", "avatar"])
def test_what_a_usual_input_solves_is_left_out(benchmark, tmp_path):
    out, everything = tmp_path / "rows.jsonl", tmp_path / "all.jsonl"
    task = ("export", "--tasks", f"codemind_input_{benchmark}", "--evaluation", "-o")
    assert "questions are not exported: a usual input solves them" in said(*task, out)
    said(*task, everything, "--idle")
    rows, others = read_rows(out), read_rows(everything)
    left_out = [row for row in others if row not in rows]
    assert left_out and all(row in others for row in rows)
    pairs = [(row, f"<input>\n{text}\n</input>") for row in rows for text in usual_inputs(row)]
    earned = rewards([row for row, _ in pairs], [response for _, response in pairs])
    solved = [(row["problem_id"], response) for (row, response), reward in zip(pairs, earned, strict=True) if reward]
    assert not solved
    for row in left_out:
        texts = idle_responses(row)
        assert max(rewards([row] * len(texts), texts)) == 1


@pytest.mark.proof
def test_programs_whose_answer_says_nothing_are_not_asked_about(tmp_path):
    file = tmp_path / "programs.jsonl"
    programs = {"prints": ("def f(n):\n    print(n)\n", {"call": "f(3)"}), "ignores": ("print(7)\n", {"stdin": "4"})}
    file.write_text(
        "".join(json.dumps({"id": name, "code": code, **given}) + "\n" for name, (code, given) in programs.items())
    )
    shown = said(
        "export", "--programs", file, "--questions", "output", "--questions", "input", "-o", tmp_path / "o.jsonl"
    )
    assert "prints: returns None" in shown and "input: 1 questions are not exported: a usual input solves them" in shown
    assert [(row["problem_id"], row["task"]) for row in read_rows(tmp_path / "o.jsonl")] == [("ignores", "output")]


@pytest.mark.proof
def test_programs_without_a_proven_label_are_left_out_by_name(tmp_path):
    file = tmp_path / "programs.jsonl"
    rows = [{"id": name, "code": code, "call": call} for name, (code, call, _) in FAILING.items()]
    write_rows(file, rows)
    output = said("export", "--programs", file, "-o", tmp_path / "rows.jsonl")
    assert "rows.jsonl: 0 rows" in output
    for name, (_, _, reason) in FAILING.items():
        (line,) = [line for line in output.splitlines() if line.startswith(f"left out: {name}: ")]
        assert reason in line


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    out = tmp_path_factory.mktemp("own") / "rows.jsonl"
    assert "left out" not in said("export", "--programs", PROGRAMS, "--inputs", "1", "--seed", "11", "-o", out)
    return read_rows(out)


def problem_of(row: dict[str, Any]) -> Problem:
    asked = question(row)
    columns = ("problem_id", "benchmark", "kind", "language", "code", "entry_point", "input", "output")
    return Problem(**{column: asked[column] for column in columns})


@pytest.mark.proof
def test_plain_python_gives_every_label_of_twenty_programs(own):
    outputs = [row for row in own if row["task"] == "output"]
    assert {row["problem_id"].partition("#")[0] for row in outputs} == {row["id"] for row in read_rows(PROGRAMS)}
    assert len(read_rows(PROGRAMS)) == 20 and len(outputs) > 30
    for row in outputs:
        asked = question(row)
        script = asked["kind"] == "script"
        code = asked["code"] + ("" if script else f"\nprint(repr({asked['input']}))\n")
        stdin = asked["input"] if script else ""
        done = subprocess.run([sys.executable, "-c", code], input=stdin, capture_output=True, text=True)
        if script:
            assert done.stdout == asked["output"]
        else:
            assert literal_eval(done.stdout) == literal_eval(asked["output"]), row["problem_id"]


@pytest.mark.proof
def test_rewritten_programs_log_every_step_that_is_asked(own):
    asked = [row for row in own if row["task"] in ("loops", "branches", "lines", "states")]
    assert {row["task"] for row in asked} == {"loops", "branches", "lines", "states"}
    run_inputs = [inputs_of(problem_of(row))[0] for row in asked]
    sources = [(self_logging(one, {}), one.input if one.expression is None else "") for one in run_inputs]
    records = run_all(sys.executable, 5, "", sources)
    for row, record in zip(asked, records, strict=True):
        seen = [(line, values.get("", "")) for line, values in record[0]]
        label = question(row)
        if row["task"] in ("loops", "branches"):
            values = [value for line, value in seen if line == label["line"] and value]
            assert values == [as_logged(value) for value in label["values"]], row["problem_id"]
        else:
            steps = [(line, value) for line, value in seen if value or row["task"] == "lines"]
            expected = zip(label["lines"], map(as_logged, label["values"]), strict=True)
            assert steps == list(expected), row["problem_id"]


@pytest.mark.proof
def test_targets_of_own_programs_have_the_reward(own):
    assert {row["task"] for row in own} == set(export.QUESTIONS)
    assert rewards(own, [row["target"] for row in own]) == [1.0] * len(own)
