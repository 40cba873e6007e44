"""Tasks on programs of the user: what is read, proven, asked and announced, and what results do with it."""

import dataclasses
import json
import re
from math import isnan
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.commands.run import with_programs
from lm_eval_codemind.data import making, own
from lm_eval_codemind.data.facts.executions import ProgramExecution
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families.own import task
from lm_eval_codemind.families.own.score import baselines
from lm_eval_codemind.families.runtime.items import SETTINGS
from lm_eval_codemind.harness.location import task_manager
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Key
from tests.cli import codemind, said
from tests.results.harness import evaluate
from tests.run_files import write_rows

EVENS = """\
def evens(ns):
    total = 0
    for n in sorted(ns):
        if n % 2 == 0:
            total += n
    return total
"""
BOX = """\
class Box:
    def __init__(self, n):
        self.n = n

    def plus(self, k):
        return self.n + k
"""
PROGRAMS: tuple[dict[str, str], ...] = (
    {"id": "evens/1", "code": EVENS, "call": "evens([9, 3, 6, 4])", "file": "pkg/evens.py"},
    {"id": "evens/2", "code": EVENS, "call": "evens([8, 2, 5, 8])", "file": "pkg/evens.py", "output": "18"},
    {"id": "box", "code": BOX, "call": "Box(3).plus(4)"},
    {"id": "pairs", "code": "def pairs(ns):\n    yield from zip(ns, ns[1:])\n", "call": "list(pairs('abc'))"},
    {"id": "echo", "code": "print(int(input()) * 2)\n", "stdin": "4"},
)
NAMES = [f"codemind_own_{name}" for name in ("ier", "input", "loops", "branches", "trace_lines", "runtime")]
LEFT_OUT = (
    ({"id": "stated", "code": EVENS, "call": "evens([2])", "output": "3"}, "states the output 3, and execution"),
    ({"id": "prints", "code": "def f(x):\n    print(x)\n", "call": "f(3)"}, "returns None"),
    ({"id": "raises", "code": "def f(x):\n    return 1 // x\n", "call": "f(0)"}, "ends with an exception"),
    ({"id": "ignores", "code": "def f(x):\n    return 5\n", "call": "f(3)"}, "does not use its input"),
    ({"id": "nothing", "code": "def f():\n    return 5\n", "call": "f()"}, "does not use its input"),
    ({"id": "chance", "code": "import time\ndef f(x):\n    return x + time.time()\n", "call": "f(3)"}, "different"),
    ({"id": "object", "code": "def f(x):\n    return type('T', (), {'x': x})()\n", "call": "f(1)"}, "literal"),
    ({"id": "key", "code": f"{EVENS}KEY = 'ghp_0123456789abcdefghijABCDEFGHIJ'\n", "call": "evens([2])"}, "a key"),
    ({"id": "path", "code": f"{EVENS}HOME = '/home/jo/data'\n", "call": "evens([2])"}, "path of a user's file"),
)  # fmt: skip


def written(folder: Path, *programs: dict[str, str]) -> Path:
    write_rows(folder / own.PROGRAMS, programs)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Has the programs that something is asked about, proven."""
    path = written(tmp_path_factory.mktemp("mine"), *PROGRAMS)
    own.load_own(path)
    return path


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Has one program, without a loop."""
    return written(tmp_path_factory.mktemp("box"), PROGRAMS[2])


def documents(name: str, folder: Path, suite: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    settings = {"ier": ["steps"], "input": ["steps"], "trace": ["lines"], "runtime": SETTINGS}.get(name, [name])
    dataset = getattr(task, f"{name}_dataset")
    return list(dataset(benchmark="own", settings=settings, suite=suite, programs=str(folder))["test"])


def test_questions_about_functions_methods_generators_and_scripts(folder):
    outputs = {Key.of(row): row["output"] for row in documents("ier", folder)}
    assert {(key.problem_id, key.item): output for key, output in outputs.items()} == {
        ("evens", "call 1"): "10", ("evens", "call 2"): "18", ("box", ""): "7",
        ("pairs", ""): "[('a', 'b'), ('b', 'c')]", ("echo", ""): "8\n",
    }  # fmt: skip
    masked = {row["problem_id"]: row["masked"] for row in documents("input", folder)}
    assert masked["box"] == "Box(??).plus(4)" and masked["pairs"] == "list(pairs(??))"
    (first, second) = documents("loops", folder)
    assert (first["item"], first["values"], second["item"]) == (
        "call 1, line 3",
        ["3", "4", "6", "9"],
        "call 2, line 3",
    )
    assert [row["values"] for row in documents("branches", folder)] == [
        ["False", "True", "True", "False"], ["True", "False", "True", "True"],
    ]  # fmt: skip
    assert documents("trace", folder)[0]["lines"][:4] == [2, 3, 4, 3]


@pytest.mark.parametrize(
    ("call", "asked"),
    [
        ("f([1, 2])", "f(??)"),
        ("list(f(range(1, 3), start=1))", "list(f(??))"),
        ("f(iter([1, 2]))", None),
        ("f([1, 2], key=lambda n: n)", None),
        ("f(int, '12')", None),
        # The function that is asked about would not be shown.
        ("list(islice(f(1), 2))", None),
    ],
)
def test_an_input_is_asked_for_if_literals_can_be_its_arguments(call, asked):
    code = "from itertools import islice\n\ndef f(*values, **named):\n    return values\n"
    problem = dataclasses.replace(making.own_problem("f", code, call, None), output="(1, 2)")
    questions = task.INPUT_PREDICTION.own_questions(problem, ProgramExecution(), "steps")
    assert [question["masked"] for question in questions] == ([asked] if asked else [])


def test_inputs_that_need_no_reasoning(tmp_path):
    """The run says how many the output and a trivial input solve; ``r_input_searched`` is without the latter."""
    programs = {
        "low": ("def low(text):\n    return text.lower()\n", "low('Ab')"),
        "shop": ("class Box:\n    def of(self, n):\n        return abs(n)\n", "Box().of(-3)"),
        "total": ("def total(ns):\n    return sum(ns) + 5\n", "total([2, -2])"),
        "optional": ("def optional(n, more=2):\n    return n + more + 1\n", "optional(1, 1)"),
        "sized": ("def sized(ns):\n    return len(ns)\n", "sized([7, 8])"),
        "function": ("def function(f):\n    return f(0)\n", "function(abs)"),
    }
    rows = [{"id": name, "code": code, "call": call} for name, (code, call) in programs.items()]
    script = {"id": "script", "code": "print(input().strip())\n", "stdin": " a"}
    suite: dict[str, Any] = {}
    asked = documents("input", written(tmp_path, *rows, script), suite)
    assert {row["problem_id"]: row["plain"] for row in asked} == {
        "low": False, "shop": True, "total": True, "optional": True, "sized": False, "script": False,
    }  # fmt: skip
    assert suite["own"]["baselines"] == {"echo of the output": 2 / 6, "trivial input": 3 / 6}
    # What is kept says the same.
    own._loaded.cache_clear()
    assert documents("input", tmp_path) == asked


def test_questions_about_runtime_behaviour(folder):
    """By hand. The calls of a function are the inputs of one problem, so it has at most two questions of a kind."""
    suite: dict[str, Any] = {}
    rows = documents("runtime", folder, suite)
    answers = {tuple(row[name] for name in ("setting", "item", "asked_run", "variable")): row["answer"] for row in rows}
    assert {row["problem_id"] for row in rows[:6]} == {"evens"} and {row["run"] for row in rows[:6]} == {"1", "2"}
    assert answers == {
        ("state", "call 1, line 3", 5, "total"): "10; int", ("state", "call 2, line 6", 1, "total"): "18; int",
        ("path", "call 1, line 3", 5, ""): "6", ("path", "call 2, line 3", 2, ""): "4",
        ("output", "call 1", 0, ""): "10", ("output", "call 2", 0, ""): "18",
        # Of three other programs, only one answer is in this table.
        ("output", "", 0, ""): "8\n",
    }  # fmt: skip
    assert suite["own"]["baselines"] == {"constant state": 0.5, "next line of the file": 0.5, "constant output": 0.2}


def test_own_stands_for_the_tasks_with_a_question(folder, box):
    (_, names, _, _) = with_programs(["--programs", str(folder)])
    assert names.split(",") == NAMES
    shown = said("run", "--model", "codemind-oracle", "--programs", box, "--tasks", "own")
    assert "codemind_own_loops: no program is fit for such a question" in shown and "codemind_own_input: 1 req" in shown


def test_the_run_says_what_goes_where(folder):
    tasks = "own_ier,own_input,own_branches,own_runtime"
    result = said("run", "--model", "codemind-oracle", "--programs", folder, "--tasks", tasks)
    assert "source of 4 functions goes into prompts, from mine0 (3), pkg/evens.py (1)" in result.replace(
        folder.name, "mine0"
    )
    assert result.count("go into prompts") + result.count("goes into prompts") == 1
    assert "The prompts go to codemind-oracle." in result and "codemind_own_ier: 5 requests" in result
    assert "of all outputs are right: constant 20.0%, echo 0.0%, last literal 0.0%" in result
    assert "of all inputs are right: echo of the output 0.0%, trivial input 0.0%" in result
    assert "behaviour are right: constant state 50.0%, next line of the file 50.0%, constant output 20.0%" in result
    assert "are right" not in said("run", "--model", "codemind-oracle", "--programs", folder, "--tasks", "own_branches")


def test_a_plan_takes_programs_as_a_run_does(folder):
    shown = said("plan", "--programs", folder, "--tasks", "own_ier", "own_runtime")
    assert re.findall(r"^(codemind_own_\w+) +(\d+)", shown, re.MULTILINE) == [
        ("codemind_own_ier", "5"), ("codemind_own_runtime", "9"),
    ]  # fmt: skip


def test_programs_are_proven_once_and_nothing_is_written_elsewhere(folder, monkeypatch):
    monkeypatch.setattr(making, "prove_programs", lambda *_: pytest.fail("proven again"))
    own._loaded.cache_clear()
    assert len(own.load_own(folder).problems) == 5
    assert sorted(path.name for path in folder.iterdir()) == ["programs.jsonl", "programs.proven.json.gz"]
    suite: dict[str, Any] = {}
    documents("ier", folder, suite)
    assert suite["own"]["files"]["pkg/evens.py"] == 1 and suite["problems"] == 5 and len(suite["data_sha256"]) == 64


@pytest.mark.proof
@pytest.mark.parametrize(("program", "reason"), LEFT_OUT, ids=[program["id"] for program, _ in LEFT_OUT])
def test_a_program_that_is_unfit_is_named_and_the_others_stay(program, reason, tmp_path):
    programs = own.load_own(written(tmp_path, PROGRAMS[0], program))
    assert [problem.problem_id for problem in programs.problems] == ["evens/1"]
    assert reason in programs.left_out[program["id"]]


def test_a_missing_option_and_programs_without_such_questions_are_named(box, tmp_path):
    with pytest.raises(UserError, match=r"--metadata '\{\"programs\": \"DIR\"\}'"):
        task.ier_dataset(benchmark="own", setting="steps")
    with pytest.raises(UserError, match="does not exist; name a file"):
        task.ier_dataset(benchmark="own", setting="steps", programs=str(tmp_path))
    written(tmp_path, LEFT_OUT[7][0])
    with pytest.raises(UserError, match=r"no program to ask about(.|\n)*key: (.|\n)*a key"):
        own.load_own(tmp_path)
    with pytest.raises(UserError, match="no program is fit for a question of codemind_own_loops"):
        documents("loops", box)


CAUGHT = """
def error_of_{0}({1}*arguments, **options):
    try:
        {2}(*arguments, **options)
    except Exception as error:
        return str(error)
"""
FIXED = "class Fixed:\n    def __init__(self, n):\n        self.n = 4\n\n    def get(self, k):\n        return self.n\n"


@pytest.mark.parametrize(
    ("code", "call", "uses"),
    [
        (BOX, "Box(3).plus(4)", True),
        (FIXED, "Fixed(3).get(4)", False),
        (FIXED, "list(map(str, [Fixed(3).get(4)]))", False),
        (FIXED.replace("4", "n"), "Fixed(3).get(4)", True),
        # What it inherits may read.
        (FIXED.replace("Fixed:", "Fixed(list):"), "Fixed(3).get(4)", True),
        (FIXED + "\n    def other(self, k):\n        return k\n", "Fixed(3).get(4)", False),
        (FIXED + CAUGHT.format("get", "receiver, ", "receiver.get"), "error_of_get(Fixed(3), 4)", False),
        ("def f(n):\n    raise KeyError(5)\n" + CAUGHT.format("f", "", "f"), "error_of_f(3)", False),
        ("def f(n):\n    raise KeyError(n)\n" + CAUGHT.format("f", "", "f"), "error_of_f(3)", True),
        ("def error_of_f(n):\n    return 5\n", "error_of_f(3)", False),
        ("def error_of_f(n):\n    return n\n", "error_of_f(3)", True),
        ("def f(self):\n    return self\n", "f(3)", True),
    ],
)  # fmt: skip
def test_programs_that_use_their_input(code, call, uses):
    assert own.uses_input(making.own_problem("f", code, call, None)) == uses


def test_texts_that_look_like_keys():
    for key in ("AKIA" + "A1" * 8, "sk-proj-" + "a" * 24, "-----BEGIN RSA PRIVATE KEY-----", "q7Wx2Lp9Za4Kd8Vb3Nt6"):
        assert own.has_key(f"token = '{key}'"), key
    plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    for text in (
        plain,
        "test_that_utf8_names_are_read",
        "0123456789abcdef0123456789abcdef",
        "a" * 40,
        "HTTPServer2Handler",
    ):
        assert not own.has_key(f"x = '{text}'"), text


def test_baselines_of_made_up_outputs():
    def problem(call: str, output: str) -> Problem:
        return Problem(call, "own", "function", "python", "", "f", call, output)

    problems = [
        problem("f('a', 'b')", "'a'"),
        problem("f(1, [2, 3])", "[2, 3]"),
        problem("f()", "9"),
        problem("f(7)", "9"),
        # The only argument is both the first and the last literal.
        problem("f(2 + 3j)", "(2+3j)"),
        problem("f(2 +\n3j)", "(2+3j)"),
    ]
    assert baselines(problems) == {"constant": 1 / 3, "echo": 0.5, "last literal": 0.5}


def test_programs_of_codemind_run():
    assert with_programs(["--tasks", "codemind_ier", "--limit", "3"]) == ["--tasks", "codemind_ier", "--limit", "3"]
    arguments = with_programs(["--programs", "mine", "--tasks=own_loops,codemind_ier", "--metadata", '{"items": 3}'])
    assert arguments[:2] == ["--tasks", "codemind_own_loops,codemind_ier"]
    assert json.loads(arguments[3]) == {"items": 3, "programs": "mine"}
    # As the harness reads its tasks.
    arguments = with_programs(["-t", "own_loops", "own_ier", "--programs=mine", "--limit", "3"])
    assert arguments[:4] == ["--limit", "3", "--tasks", "codemind_own_loops,codemind_own_ier"]
    for wrong, message in (
        (["--programs"], "--programs: expected one argument"),
        (["--programs", "p", "--metadata", "a=1"], "JSON"),
    ):
        with pytest.raises(UserError, match=message):
            with_programs(wrong)


@pytest.mark.parametrize(("answer", "right"), [(lambda doc: doc["target"], 1.0), (lambda doc: "", 0.0)])
def test_full_marks_and_none_and_what_results_do(folder, tmp_path, answer, right):
    manager = task_manager({"programs": str(folder)})
    results = evaluate(tmp_path, "model", answer, NAMES, manager)["results"]
    metrics = ("r_ier", "r_input", "loops", "branches", "trace", "state_executed")
    filters = ["strict-match"] * 2 + ["extract-answer"] * 4
    scores = [results[name][f"{metric},{filter}"] for name, metric, filter in zip(NAMES, metrics, filters, strict=True)]
    assert scores == [right] * 6
    runtime = results["codemind_own_runtime"]
    assert runtime["path_executed,extract-answer"] == runtime["output,extract-answer"] == right
    # No program has a line of which both answers occur.
    assert isnan(runtime["coverage_balanced,extract-answer"])
    for command in ("show", "verify", "cite"):
        shown = said(command, tmp_path)
        assert "own" in shown
    assert "not submitted" in codemind("submit", tmp_path, "--model", "a/b", "--dataset", "a/c").output
