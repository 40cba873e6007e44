"""The proof of labels on programs whose outputs depend on what they should not depend on."""

import dataclasses
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.data.facts.labels import Proof
from lm_eval_codemind.problems import Case, Problem
from lm_eval_codemind.proof import prove
from lm_eval_codemind.proof.prove import MissingExtra, prove_labels

pytestmark = pytest.mark.slow


def function(name: str, code: str, label: str | None, call: str = "f()") -> Problem:
    return Problem(name, "made", "function", "python", code, "f", call, None, published_output=label)


PROBLEMS = [
    function("right", "def f():\n    return [1, 2]", "[1,2]"),
    function("wrong", "def f():\n    return [1, 2]", "[1]"),
    function("unpublished", "def f():\n    return 'x'", None),
    function("bare", "def f():\n    return '101'", "101"),
    function("numpy", "import numpy\ndef f():\n    return numpy.int64(3), [numpy.float64(0.5)]", "(3, [0.5])"),
    function("set", "def f():\n    return {'a', 'b', 'c', 'd'}", "{'d', 'c', 'b', 'a'}"),
    function("day", "import datetime\ndef f():\n    return str(datetime.date.today())", "'2024-10-13'"),
    function("year", "import time\ndef f():\n    return time.gmtime().tm_year", "2024"),
    function("address", "def f():\n    return id(object())", "1"),
    function("hashing", "def f():\n    return list({'a', 'b', 'c', 'd', 'e', 'f'})", "['a']"),
    function("chance", "import random\ndef f():\n    return random.random()", "0.5"),
    function("numpy_chance", "import numpy\ndef f():\n    return numpy.random.random()", "0.5"),
    function("last_digit", "def f():\n    return sum([0.1] * 10)", "0.9999999999999999"),
    function("same_sum", "def f():\n    return sum([0.5, 2, True]), sum([[1], [2]], [])", "(3.5, [1, 2])"),
    function("seeded", "import random\ndef f():\n    random.seed(1)\n    return random.randint(1, 1)", "1"),
    function("left_over", "def f():\n    open('log', 'a').write('x')\n    return len(open('log').read())", "7"),
    function("needs_a_file", "def f():\n    return open('not there').read()", "''"),
    function("object", "def f():\n    return object()", "None"),
    function("raises", "def f():\n    return [][0]", "None"),
    function("package", "import no_such_package\ndef f():\n    return 1", "1"),
    function("folder", "import os\ndef f():\n    return os.getcwd()", "'/'"),
    Problem(
        "method",
        "made",
        "method",
        "python",
        "class Box:\n    def __init__(self, n):\n        self.n = n",
        "Box.n",
        "def test(self):\n    self.box = Box(3)\n    self.assertTrue(True)\n    return self.box.n",
        None,
        published_output="3",
    ),
    Problem(
        "script",
        "made",
        "script",
        "python",
        "n = int(input())\nprint(n * 2)\n",
        "",
        "3\n",
        None,
        cases=(Case("1\n", "2\n\n"), Case("x\n", "0\n"), Case("2\n", "5\n"), Case("3\n", "6")),
        published_output="7",
    ),
]

EXPECTED = {
    "right": Proof("confirmed"),
    "wrong": Proof("corrected", output="[1, 2]"),
    "unpublished": Proof("added", output="'x'"),
    "bare": Proof("confirmed", output="'101'"),
    "numpy": Proof("confirmed"),
    "set": Proof("confirmed"),
    "day": Proof("excluded", "time"),
    "year": Proof("excluded", "time"),
    "address": Proof("excluded", "identity"),
    "hashing": Proof("excluded", "identity"),
    "chance": Proof("excluded", "identity"),
    "numpy_chance": Proof("excluded", "identity"),
    "last_digit": Proof("excluded", "version"),
    "same_sum": Proof("confirmed"),
    "seeded": Proof("confirmed"),
    "left_over": Proof("excluded", "state"),
    "needs_a_file": Proof("excluded", "state"),
    "object": Proof("excluded", "no_literal"),
    "raises": Proof("excluded", "no_literal"),
    "package": Proof("excluded", "dependency"),
    "folder": Proof("excluded", "identity"),
    "method": Proof("confirmed"),
    "script": Proof("corrected", output="6\n", cases={1: None, 2: "4\n"}),
}


@pytest.fixture(scope="module")
def proofs() -> dict[str, Proof]:
    try:
        prove.require_packages()
    except MissingExtra as error:
        pytest.skip(str(error))
    published = {problem.problem_id: problem for problem in PROBLEMS if problem.published_output is not None}
    return prove_labels(PROBLEMS, published)


@pytest.mark.parametrize("problem_id", EXPECTED)
def test_what_execution_proves(proofs: dict[str, Proof], problem_id: str) -> None:
    assert proofs[problem_id] == EXPECTED[problem_id]


def test_a_program_that_only_runs_in_our_version_is_repaired() -> None:
    ours = PROBLEMS[0]
    upstream = dataclasses.replace(ours, code="def f():\n    return helper()")
    assert prove_labels([ours], {ours.problem_id: upstream}) == {"right": Proof("repaired")}


@given(st.lists(st.floats() | st.integers(-(2**60), 2**60) | st.booleans() | st.fractions(), max_size=8))
def test_addition_as_this_interpreter_does_it(items: list[Any]) -> None:
    scope: dict[str, Any] = {}
    exec(prove.ADDITIONS["plain" if sys.version_info < (3, 12) else "compensated"], scope)
    assert repr(scope["_add"](items)) == repr(sum(items))


def test_missing_packages_are_named_with_the_command_that_installs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove, "REQUIRED_MODULES", ("json", "no_such_package"))
    with pytest.raises(MissingExtra, match=r"\(no_such_package\).*pip install 'lm-eval-codemind\[classeval\]'"):
        prove_labels([], {})
