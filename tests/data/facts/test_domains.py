"""Domains of MBPP's problems: strategies for arguments, in the language of ``utils/prove/program_inputs.py``.

Their writers were given the specification and one shown test, and no solution and no other test.
"""

from pathlib import Path

import pytest

import program_inputs
from lm_eval_codemind.data.facts import shipped, suites
from tests.run_files import read_rows

ROWS = read_rows(Path(__file__).parents[2] / "programs" / "mbpp_domains.jsonl")


def test_each_fair_problem_has_a_domain():
    verdicts = shipped.load(suites.FILE)["mbpp"]
    fair = {name for name, verdict in verdicts.items() if verdict["class"] == "fair"}
    assert {row["problem"] for row in ROWS} == fair and len(ROWS) == len(fair)


@pytest.mark.proof
def test_domains_give_arguments_that_are_literals():
    for row in ROWS:
        strategy = eval(row["inputs"], vars(program_inputs).copy())(program_inputs.BOUNDED)
        drawn = list(program_inputs._drawn(strategy, 10))
        assert drawn, row["problem"]
        assert all(isinstance(eval(repr(arguments)), tuple) for arguments in drawn), row["problem"]
