"""The proof of labels on programs whose outputs depend on what they should not depend on."""

import dataclasses
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.errors import MissingExtra
from lm_eval_codemind.problems import Case, Problem
from lm_eval_codemind.workshop.facts.labels import Proof
from lm_eval_codemind.workshop.proof import prove
from lm_eval_codemind.workshop.proof.prove import prove_labels

pytestmark = pytest.mark.proof


def function(name: str, code: str, label: str | None) -> Problem:
    return Problem(name, "made", "function", "python", code, "f", "f()", None, published_output=label)


CONFIRMED = Proof("confirmed")
TIME, IDENTITY, STATE, NO_LITERAL = (Proof("excluded", why) for why in ("time", "identity", "state", "no_literal"))
# Name, code, published label, and what execution proves.
FUNCTIONS: list[tuple[str, str, str | None, Proof]] = [
    ("right", "def f():\n    return [1, 2]", "[1,2]", CONFIRMED),
    ("wrong", "def f():\n    return [1, 2]", "[1]", Proof("corrected", output="[1, 2]")),
    ("unpublished", "def f():\n    return 'x'", None, Proof("added", output="'x'")),
    ("bare", "def f():\n    return '101'", "101", Proof("confirmed", output="'101'")),
    ("numpy", "import numpy\ndef f():\n    return numpy.int64(3), [numpy.float64(0.5)]", "(3, [0.5])", CONFIRMED),
    ("set", "def f():\n    return {'a', 'b', 'c', 'd'}", "{'d', 'c', 'b', 'a'}", CONFIRMED),
    ("day", "import datetime\ndef f():\n    return str(datetime.date.today())", "'2024-10-13'", TIME),
    ("year", "import time\ndef f():\n    return time.gmtime().tm_year", "2024", TIME),
    ("address", "def f():\n    return id(object())", "1", IDENTITY),
    ("hashing", "def f():\n    return list({'a', 'b', 'c', 'd', 'e', 'f'})", "['a']", IDENTITY),
    ("chance", "import random\ndef f():\n    return random.random()", "0.5", IDENTITY),
    ("numpy_chance", "import numpy\ndef f():\n    return numpy.random.random()", "0.5", IDENTITY),
    ("last_digit", "def f():\n    return sum([0.1] * 10)", "0.9999999999999999", Proof("excluded", "version")),
    ("same_sum", "def f():\n    return sum([0.5, 2, True]), sum([[1], [2]], [])", "(3.5, [1, 2])", CONFIRMED),
    ("seeded", "import random\ndef f():\n    random.seed(1)\n    return random.randint(1, 1)", "1", CONFIRMED),
    ("left_over", "def f():\n    open('log', 'a').write('x')\n    return len(open('log').read())", "7", STATE),
    ("needs_a_file", "def f():\n    return open('not there').read()", "''", STATE),
    ("object", "def f():\n    return object()", "None", NO_LITERAL),
    ("raises", "def f():\n    return [][0]", "None", NO_LITERAL),
    ("package", "import no_such_package\ndef f():\n    return 1", "1", Proof("excluded", "dependency")),
    ("folder", "import os\ndef f():\n    return os.getcwd()", "'/'", IDENTITY),
]
METHOD = Problem(
    "method", "made", "method", "python", "class Box:\n    def __init__(self, n):\n        self.n = n", "Box.n",
    "def test(self):\n    self.box = Box(3)\n    self.assertTrue(True)\n    return self.box.n", None,
    published_output="3",
)  # fmt: skip
SCRIPT = Problem(
    "script", "made", "script", "python", "n = int(input())\nprint(n * 2)\n", "", "3\n", None, published_output="7",
    cases=(Case("1\n", "2\n\n"), Case("x\n", "0\n"), Case("2\n", "5\n"), Case("3\n", "6")),
)  # fmt: skip
PROBLEMS = [function(*row[:3]) for row in FUNCTIONS]
EXPECTED = {
    **{row[0]: row[3] for row in FUNCTIONS},
    "method": CONFIRMED,
    "script": Proof("corrected", output="6\n", cases={1: None, 2: "4\n"}),
}


def test_what_execution_proves():
    try:
        prove.require_packages()
    except MissingExtra as error:
        pytest.skip(str(error))
    problems = [*PROBLEMS, METHOD, SCRIPT]
    published = {problem.problem_id: problem for problem in problems if problem.published_output is not None}
    assert prove_labels(problems, published) == EXPECTED


def test_a_program_that_only_runs_in_our_version_is_repaired_and_missing_packages_are_named(monkeypatch):
    ours = PROBLEMS[0]
    upstream = dataclasses.replace(ours, code="def f():\n    return helper()")
    assert prove_labels([ours], {ours.problem_id: upstream}) == {"right": Proof("repaired")}
    monkeypatch.setattr(prove, "REQUIRED_MODULES", ("json", "no_such_package"))
    with pytest.raises(MissingExtra, match=r"\(no_such_package\).*pip install 'lm-eval-codemind\[classeval\]'"):
        prove_labels([], {})


@given(st.lists(st.floats() | st.integers(-(2**60), 2**60) | st.booleans() | st.fractions(), max_size=8))
def test_addition_as_this_interpreter_does_it(items):
    scope: dict[str, Any] = {}
    exec(prove.ADDITIONS["plain" if sys.version_info < (3, 12) else "compensated"], scope)
    assert repr(scope["_add"](items)) == repr(sum(items))
