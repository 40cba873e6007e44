import contextlib
import io

import pytest

from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.workshop.benchmarks import sample
from lm_eval_codemind.workshop.build import LOOP_LENGTHS
from measure_loops import COUNTER, count_loops, measure_loop_lengths


def iterations(code: str) -> int:
    namespace: dict = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(count_loops(code), namespace)
    return namespace[COUNTER][0]


@pytest.mark.parametrize(("code", "expected"), [
    ("x = 1", 0), ("for i in range(5): pass", 5), ("for i in range(5):\n  if i == 2: break", 3),
    ("for i in range(5):\n  if i == 2: continue\n  j = i", 5),
    ("for i in range(3):\n  for j in range(4): pass", 3 + 12), ("i = 10\nwhile i > 0: i -= 3", 4),
    ("for i in []: pass\nelse: x = 1", 0), ("x = [i for i in range(6) if i % 2]", 6),
    ("x = [j for i in range(2) for j in range(3)]", 2 + 6), ("x = any(i > 1 for i in range(9))", 3),
    ("x = sum(range(100)) + len(sorted([3, 1, 2]))", 0), ("class A:\n  y = {i: i for i in range(3)}", 3),
    ('"""Doc."""\nfrom __future__ import annotations\nfor i in "ab": pass', 2),
    ("def f(n):\n  for i in range(n):\n    f(n - 1)\nf(3)", 3 + 3 * (2 + 2 * 1)), ("print(*(i for i in range(2)))", 2),
])  # fmt: skip
def test_iterations_counted_by_hand(code, expected):
    assert iterations(code) == expected


def test_the_program_does_what_it_did():
    code = "out = []\nfor i in range(4):\n  out += [j * i for j in range(i)]\nelse:\n  out.append('done')\n"
    plain: dict = {}
    counted: dict = {}
    exec(code, plain)
    exec(count_loops(code), counted)
    assert counted["out"] == plain["out"]


@pytest.mark.proof
def test_every_program_can_be_counted(programs):
    for codes in programs.values():
        for code in codes:
            compile(count_loops(code), "program", "exec")


# Counted on paper from the programs and their inputs.
BY_HAND = {
    ("humaneval", "HumanEval_0"): 2 + 2 * 6,  # the close pair is found at the end of the second round
    ("humaneval", "HumanEval_3"): 6,
    ("humaneval", "HumanEval_13"): 3,  # gcd of 3 and 7: (3, 7), (7, 3), (3, 1)
    ("cruxeval", "sample_0"): 6,
    ("cruxeval", "sample_7"): 0,  # the list is empty
    ("cruxeval", "sample_15"): 0,  # it has no loop
    ("avatar", "atcoder_ABC042_A"): 0,
    ("avatar", "atcoder_AGC046_B"): 4 + 2 + 2 * 4,  # a comprehension and a nested loop
    ("avatar", "codeforces_32_B"): 2,
    ("classeval", "ClassEval_0@AccessGatewayFilter.is_start_with"): 2,
}


@pytest.mark.parametrize(("benchmark", "problem_id"), BY_HAND)
def test_shipped_loop_lengths_are_those_counted_by_hand(benchmark, problem_id):
    assert shipped.load(LOOP_LENGTHS)["code"][benchmark][problem_id] == BY_HAND[benchmark, problem_id]


def test_the_sandbox_counts_what_is_shipped():
    assert measure_loop_lengths(sample.read()) == shipped.load(LOOP_LENGTHS)["code"]["sample"]
