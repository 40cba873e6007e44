import ast
from collections import Counter

import pytest

from lm_eval_codemind.data.benchmarks import Upstream
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.studies.re2.data import PROGRAMS, plain_listing, read, record_of


@pytest.fixture(scope="module")
def problems(upstream: Upstream) -> dict[str, Problem]:
    return {problem.problem_id: problem for problem in read(upstream)}


def test_problems_by_task_difficulty_and_source(problems: dict[str, Problem]) -> None:
    records = {name: record_of(problem.upstream_questions) for name, problem in problems.items()}
    values = Counter((record["difficulty"], record["source"]) for record in records.values() if "values" in record)
    assert values["easy", "HumanEval"] == values["easy", "ClassEval"] == 43 and values["easy", "Avatar"] == 34
    assert values["easy", "CRUXEval"] == 44 and values["difficult", "Real"] == 157
    assert sum(values.values()) == 500
    # Two files of inputs and outputs are missing upstream, and three files of loops and one of branches.
    missing = {task: sum(task in x and (x[task] or {}).get("label", x[task]) is None for x in records.values())
               for task in ("values", "loop", "branch")}  # fmt: skip
    assert missing == {"values": 2, "loop": 3, "branch": 1}
    for task in ("loop", "branch"):
        assert sum(task in record for record in records.values()) == 200
    for name, record in records.items():
        if record["source"] in PROGRAMS.values():
            ast.parse(problems[name].code)


def test_one_problem_with_all_its_parts(problems: dict[str, Problem]) -> None:
    problem = problems["HumanEval_24"]
    record = record_of(problem.upstream_questions)
    # Upstream's label is about line 9, where the listing that it asks about has five lines.
    assert record["loop"]["label"] == {"9": {"i": [2], "reversed(range(n))": [[2, 1, 0]]}}
    assert record["loop"]["code"].split("\n")[2].startswith("3     for i in reversed(range(n)):## [STATE]i=??[/STATE]")
    assert problem.entry_point == "largest_divisor"
    script = problems["codeforces_99_A"]
    assert (script.kind, script.entry_point) == ("script", "")
    # A number that the program reads as text.
    assert record_of(script.upstream_questions)["values"] == {"inputs": 2.4, "return": 2}


def test_a_listing_without_numbers_and_marks() -> None:
    listing = "1 def f(x):\n2 \n3     while x: ## [STATE]x=??[/STATE]\n4         x -= 1## [BRANCH]taken=??[/BRANCH]"
    assert plain_listing(listing) == "def f(x):\n\n    while x:\n        x -= 1\n"
