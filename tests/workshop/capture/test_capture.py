"""From tests to a folder of programs that are asked about, on a made-up package with hostile functions."""

import ast
import sys
from collections import Counter
from pathlib import Path

import pytest

from lm_eval_codemind.data import own
from lm_eval_codemind.data.own import literals_of
from lm_eval_codemind.families.own.score import baselines
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.capture import installed
from lm_eval_codemind.workshop.capture.choosing import balanced, by_function, reason_against
from lm_eval_codemind.workshop.capture.recording import Call, Called
from lm_eval_codemind.workshop.capture.trying import Cut, Tried, tried
from tests.cli import said
from tests.run_files import read_rows
from tests.workshop.capture.package import write


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a capture of the package's tests writes."""
    path = write(tmp_path_factory.mktemp("shop"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        patch.setenv("PYTHONPATH", str(path))
        command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
        shown = said("capture", "--package", "shop", "-o", "mine", "--", *command)
    assert "1 tests failed" in shown and "read mine/summary.md" in shown
    return path


@pytest.mark.proof
def test_programs_and_what_is_left_out(folder):
    mine = folder / "mine"
    assert sorted(path.name for path in mine.iterdir()) == [
        "left_out.jsonl", "programs.jsonl", "programs.proven.json.gz", "summary.md",
    ]  # fmt: skip
    rows = {row["id"]: row for row in read_rows(mine / "programs.jsonl")}
    assert rows["shop.prices.total/1"]["call"] == "total([100, 50])" and rows["shop.prices.total/1"]["output"] == "178"
    assert rows["shop.prices.total/1"]["file"] == "shop/prices.py"
    calls = {row["call"] for row in rows.values()}
    assert {"list(islice(counted(3), 10))", "applied(double, (4, 7))", "Basket([3, 1, 2]).cheapest(2)"} <= calls
    assert not any("shop.hostile" in name for name in rows)
    reasons = {row["name"].removeprefix("shop.hostile."): row["reason"] for row in read_rows(mine / "left_out.jsonl")}
    for name, reason in (
        ("endless: endless(1)", "the program fails in the sandbox: timeout"),
        ("huge: huge(2)", "the program fails in the sandbox: output"),
        ("leaves: leaves(2)", "the program fails in the sandbox: error"),
        ("forks: forks(1)", "the installed package gives something else (value)"),
        ("chance: chance(1)", "two runs give different results"),
        ("Loud.twice: Loud('ab').twice()", "the execution has fewer than 3 steps"),
    ):
        assert reasons[name] == reason
    summary = (mine / "summary.md").read_text()
    assert "| tests that failed | 1 |" in summary and "`tests/test_shop.py::test_that_fails`" in summary


@pytest.mark.proof
def test_the_folder_is_evaluated_and_exported(folder, tmp_path):
    mine, out = folder / "mine", tmp_path / "rows.jsonl"
    problems = own.load_own(mine).problems
    assert len(problems) == len(read_rows(mine / "programs.jsonl"))
    # The file alone, which is proven again, has the same questions.
    (tmp_path / "programs.jsonl").write_bytes((mine / "programs.jsonl").read_bytes())
    assert own.load_own(tmp_path).problems == problems and any(each.execution.labels.labels for each in problems)
    assert [each.execution for each in own.load_own(tmp_path).problems] == [each.execution for each in problems]
    shown = said("run", "--model", "codemind-oracle", "--programs", mine, "--tasks", "own_ier")
    assert "from shop/baskets.py" in shown and "|strict-match    |     1|r_ier     |↑  |    1|" in shown
    said("export", "--programs", mine, "--questions", "output", "-o", out)
    assert {row["problem_id"] for row in read_rows(out)} == {row["id"] for row in read_rows(mine / "programs.jsonl")}


EXAMPLES = """\
import os


def value(n):
    return n + 1


def items(n):
    yield from range(n)


def parts(n):
    return [n], (each for each in range(n))


def endless(n):
    while True:
        yield n
        n += 1


def fails(n):
    raise KeyError(n)


def leaves(n):
    os._exit(n)


def huge(n):
    return 'x' * n


def thing(n):
    return object()


class Stack:
    def __init__(self, items):
        self.items = items

    def pop(self, place):
        return self.items.pop(place)
"""


def cut_of(source: str, call: str) -> Cut:
    name = call.partition("(")[0]
    function = Called("capture_example", name, "capture_example.py", "function")
    return Cut(function, Call(call, ((name, f"capture_example:{name}"),), ()), source)


def test_calls_whose_program_and_package_agree(tmp_path, monkeypatch):
    source = EXAMPLES
    (tmp_path / "capture_example.py").write_text(source.replace("return n + 1", "return n + 2 if n > 5 else n + 1"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    calls = (
        "value(1)",
        "value(6)",
        "items(3)",
        "parts(2)",
        "endless(4)",
        "fails(2)",
        "leaves(3)",
        "huge(10**7)",
        "thing(1)",
        "Stack([1]).pop(3)",
    )
    agreeing, failed = tried([cut_of(source, call) for call in calls], sys.executable)
    assert [(each.call, each.label, each.form) for each in agreeing] == [
        ("value(1)", "2", "value"), ("list(items(3))", "[0, 1, 2]", "items"),
        ("list(map(list, parts(2)))", "[[2], [0, 1]]", "lists"),
        ("list(islice(endless(4), 10))", "[4, 5, 6, 7, 8, 9, 10, 11, 12, 13]", "first"),
        ("error_of_fails(2)", "'KeyError: 2'", "error"),
        ("error_of_pop(Stack([1]), 3)", "'IndexError: pop index out of range'", "error"),
    ]  # fmt: skip
    assert "from itertools import islice" in agreeing[3].code and "def error_of_fails" in agreeing[4].code
    reasons = {cut.call.text: reason for cut, reason in failed}
    assert reasons["value(6)"] == "the installed package gives something else (value)"
    assert all("fails in the sandbox" in reasons[call] for call in ("leaves(3)",))
    assert reasons["thing(1)"] == "the result is no plain value" and "huge(10**7)" in reasons


def test_hostile_calls_of_the_installed_package(tmp_path, monkeypatch):
    (tmp_path / "hostile_example.py").write_text(
        "import itertools, os, time\n\n\ndef endless(n):\n    return list(itertools.count(n))\n\n\n"
        "def leaves(n):\n    os._exit(n)\n\n\ndef huge(n):\n    return 'x' * n\n\n\n"
        "def forks(n):\n    if not os.fork():\n        time.sleep(60)\n    return n\n\n\n"
        "class Loud:\n    def __del__(self):\n        os._exit(3)\n\n\ndef drops(n):\n    Loud()\n    return n\n\n\n"
        "def fills(n):\n    open('file', 'w').write('x' * n)\n    return n\n\n\ndef fine(n):\n    return {n: [n]}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(installed, "SECONDS", 1)

    def outcome(call: str) -> list[str]:
        name = call.partition("(")[0]
        return installed.outcome(
            {"call": call, "needs": {name: f"hostile_example:{name}"}, "definitions": [], "before": ""}
        )

    monkeypatch.chdir(tmp_path)
    assert outcome("endless(1)") in (["raises", "MemoryError"], ["ends", "its process ended, or did not end in time"])
    assert outcome("leaves(4)")[0] == outcome("drops(4)")[0] == "ends"
    assert outcome("huge(10**10)")[0] == "raises" and outcome("huge(10**6)") == ["raises", "ValueError"]
    assert outcome("fills(10**7)")[0] != "value"
    assert outcome("forks(5)") == ["value", "5"] and outcome("fine(2)") == ["value", "{2: [2]}"]


def made(
    label: str, call: str = "f(1, [2, 3])", code: str = "def f(a, b):\n    return a\n", form: str = "value"
) -> Tried:
    function = Called("m", "f", "m.py", "function")
    return Tried(function, code, call, label, form)


def test_what_makes_no_good_question():
    assert reason_against(made("7"), 120) == ""
    for tried_call, reason in (
        (made("None"), "returns None"),
        (made("[2, 3]"), "the result is an argument"),
        (made("3"), "the result is an argument"),
        (made("7", code="def f(a, b):\n    return 5\n"), "does not use its input"),
        (made("7", code="x = 1\n" * 121 + "def f(a, b):\n    return a\n"), "more than 120 lines"),
        (made(repr("y" * 300)), "too long"),
        (made("7", code="def f(a, b):\n    return a + 'ghp_" + "a1" * 15 + "'\n"), "looks like a key"),
    ):
        assert reason in reason_against(tried_call, 120)
    assert list(map(ast.unparse, literals_of("f(1, [2, 'a'])"))) == ["1", "[2, 'a']", "2", "'a'"]


def test_calls_of_a_function_have_different_outputs():
    calls = [made(label) for label in ("1", "2", "1", "3", "4", "5", "6")] + [made("'E: x'", form="error")]
    assert [call.label for call in by_function(calls)] == ["1", "2", "3", "4", "5"]
    errors = [made(f"'E: {number}'", form="error") for number in range(3)]
    assert len(by_function(errors)) == 3 and [call.label for call in by_function([*errors, made("9")])] == [
        "9",
        "'E: 0'",
    ]


def test_no_output_is_frequent_and_few_stand_in_the_call():
    pairs = [(0, "True")] * 20 + [(1, str(number)) for number in range(100, 150)] + [(7, "7")] * 20
    problems = [
        Problem(f"f{number % 30}/{number}", "own", "function", "python", "", "f", f"f({argument})", output)
        for number, (argument, output) in enumerate(pairs)
    ]
    stay, gone = balanced(problems)
    assert len(stay) + len(gone) == 90 and Counter(problem.output for problem in stay)["True"] <= 0.07 * len(stay)
    assert all(share <= 0.1 for share in baselines(stay).values())
    assert stay == [problem for problem in problems if problem in stay]
