"""Fresh inputs of small programs: as hard as the original, and right as plain Python computes them."""

import ast
import dataclasses
import subprocess
import sys

import pytest

from lm_eval_codemind.data.facts.fresh import REASONS, Fresh, from_records, records_of
from lm_eval_codemind.problems import Case, Problem
from lm_eval_codemind.workshop.proof.carried import carried_outputs
from lm_eval_codemind.workshop.proof.fresh import make_fresh, run_on_own_input
from lm_eval_codemind.workshop.python.words import _WORDS

LOOP = Problem(
    "loop", "own", "function", "python",
    "def f(words, k):\n    out = []\n    for w in words:\n        if len(w) > k:\n            out.append(w.upper())\n"
    "    return out\n",
    "f", "f(['tree', 'ox', 'house'], 3)", "['TREE', 'HOUSE']",
)  # fmt: skip
SCRIPT = Problem(
    "script", "own", "script", "python",
    "n = int(input())\nxs = list(map(int, input().split()))\nassert len(xs) == n\nprint(sum(xs), max(xs))\n",
    "", "3\n4 10 7\n", "21 10\n", cases=(Case("2\n1 2\n", "3 2\n"), Case("4\n1 12 9 3\n", "25 12\n")),
)  # fmt: skip
METHOD = Problem(
    "method", "own", "method", "python",
    "class Shop:\n    def __init__(self):\n        self.items = {}\n\n    def add(self, name, price):\n"
    "        self.items[name] = price * 2\n        return self.items\n",
    "Shop.add",
    "def test(self):\n    shop = Shop()\n    shop.add('pear', 12)\n    return shop.add('fig', 30)\n",
    "{'pear': 24, 'fig': 60}",
)  # fmt: skip
SETS = dataclasses.replace(
    LOOP, problem_id="sets", code="def f(s):\n    return ''.join(set(s))\n", input="f('a')", output="'a'"
)
CONSTANT = dataclasses.replace(LOOP, problem_id="constant", code="def f(x):\n    return 5\n", input="f(7)", output="5")
BARE = dataclasses.replace(LOOP, problem_id="bare", code="def f():\n    return 5\n", input="f()", output="5")


@pytest.fixture(scope="module")
def by_problem() -> dict[str, Fresh]:
    return make_fresh([LOOP, SCRIPT, METHOD, CONSTANT, BARE], seed=0, count=2)


def test_outputs_are_what_plain_python_computes(by_problem):
    programs = []
    for problem, call in ((LOOP, "{}"), (METHOD, "{}\nimport unittest\ntest(unittest.TestCase())")):
        for run in by_problem[problem.problem_id].runs:
            body, _, last = call.format(run.input).rpartition("\n")
            programs.append((f"{problem.code}\n{body}\nprint(repr({last}))", "", f"{run.output}\n"))
    programs += [(SCRIPT.code, run.input, run.output or "") for run in by_problem["script"].runs]
    assert len(programs) == 6
    for code, stdin, output in programs:
        ran = subprocess.run([sys.executable, "-c", code], input=stdin, capture_output=True, text=True, check=True)
        assert ran.stdout == output


def test_inputs_are_fresh_as_hard_and_the_same_for_equal_seeds(by_problem):
    for problem in (LOOP, SCRIPT, METHOD):
        fresh = by_problem[problem.problem_id]
        assert len({run.input for run in fresh.runs}) == 2
        for run in fresh.runs:
            assert run.input not in (problem.input, *(case.input for case in problem.cases))
            assert run.output != problem.output
            assert fresh.steps <= 2 * run.steps and run.steps <= 2 * fresh.steps
    assert make_fresh([LOOP, METHOD], seed=0, count=2) == {name: by_problem[name] for name in ("loop", "method")}
    assert make_fresh([LOOP], seed=1, count=2)["loop"] != by_problem["loop"]


def test_problems_without_one_are_named_with_the_reason_and_words_stay_words(by_problem):
    assert (by_problem["constant"].reason, by_problem["bare"].reason) == ("plain", "plain")
    assert {each.reason for each in by_problem.values()} <= {"", *REASONS}
    # One letter comes out of a set the same in every run, several do not.
    assert all(len(set(run.input[3:-2])) == 1 for run in make_fresh([SETS], seed=0)["sets"].runs)
    texts = [run.input for seed in range(3) for run in make_fresh([LOOP], seed, count=2)["loop"].runs]
    words = [word for text in texts for word in ast.literal_eval(text.removeprefix("f(").rpartition(",")[0])]
    assert all(len(word) < 3 or word in set().union(*_WORDS.values()) | {"tree", "ox", "house"} for word in words)


def test_seeds_for_training_draw_no_input_of_the_evaluation():
    def drawn(seeds: range) -> set[str]:
        return {run.input for seed in seeds for run in make_fresh([LOOP], seed, count=9)["loop"].runs}

    evaluation, training = drawn(range(1, 5)), drawn(range(10, 14))
    assert len(evaluation) > 9 and len(training) > 9 and not evaluation & training


def test_what_needs_no_execution_is_not_asked():
    code = "def f(word, count):\n    return {}\n"
    returned = {
        "truth": ("len(word) > count", "True", "plain"),
        "first": ("word", "'house'", "plain"),
        "written": ("'ok' if count else 'no'", "'ok'", "plain"),
        "copied": ("[word, count]", "['house', 2]", "carried"),
        "empty": ("[char for char in word if char > 'z']", "[]", "plain"),
        "zero": ("word.count('z') / count", "0.0", "plain"),
    }
    problems = [
        dataclasses.replace(LOOP, problem_id=name, code=code.format(value), input="f('house', 2)", output=output)
        for name, (value, output, _) in returned.items()
    ]
    assert {name: each.reason for name, each in make_fresh(problems, seed=0).items()} == {
        name: reason for name, (*_, reason) in returned.items()
    }


def test_no_constant_is_more_frequent_on_one_side():
    """Ten programs whose output is 3: most of the fresh ones would be 2 or 4."""
    words = ["ant", "bee", "cow", "dog", "eel", "fox", "gnu", "hen", "owl", "pig"]
    problems = []
    for number in range(2, 8):
        code = f"def f(words):\n    # {number}\n    return len(words) + {number}\n"
        call = f"f({words[: 12 - number]})"
        problems.append(dataclasses.replace(LOOP, problem_id=f"count {number}", code=code, input=call, output="12"))
    fresh = [each.runs[0].output for each in make_fresh(problems, seed=0).values() if each.runs]
    assert not fresh or max(map(fresh.count, fresh)) <= 1


def test_a_test_method_must_not_depend_on_the_files_of_an_earlier_run():
    count = "with open('log', 'a') as file:\n            file.write(word)\n        return len(open('log').read())"
    code = f"class Log:\n    def add(self, word):\n        {count}\n"
    test = "def test(self):\n    return Log().add('abc')\n"
    keeps = dataclasses.replace(METHOD, code=code, entry_point="Log.add", input=test, output="3")
    assert make_fresh([keeps], seed=0)[keeps.problem_id].reason == "unproven"


def test_records_give_back_what_was_made_and_a_program_that_raises_says_so(by_problem):
    problems = [LOOP, SCRIPT, METHOD, CONSTANT, BARE]
    records = records_of(by_problem, problems)
    again = from_records(records, problems)
    assert [[run.input for run in again[each.problem_id].runs] for each in problems] == [
        [run.input for run in by_problem[each.problem_id].runs] for each in problems
    ]
    with pytest.raises(ValueError, match="loop: its fresh inputs were made for another program"):
        from_records(records, [dataclasses.replace(LOOP, code="def f(*a):\n    return 0\n")])
    assert run_on_own_input(LOOP).output == LOOP.output
    with pytest.raises(ValueError, match="raises, returns no literal"):
        run_on_own_input(dataclasses.replace(LOOP, input="f(3, 3)"))


@pytest.mark.parametrize(("published", "output", "changed", "carried"), [
    ("f('house', 2)", "['house', 2]", "f('tiger', 5)", "['tiger', 5]"),
    ("f('Hello world')", "'HELLO-WORLD'", "f('Tiger cabin')", "'TIGER-CABIN'"),
    ("f('abba')", "'ab'", "f('cddc')", "'cd'"),
    ("f('tree fork')", "'Tree fork!'", "f('eret korf')", "'Eret korf!'"), ("f(4)", "10", "f(7)", "13"),
    ("f(4)", "12", "f(7)", "21"), ("f([1, 2, 3])", "[3, 2, 1]", "f([1, 2])", "[2, 1]"),
])  # fmt: skip
def test_changes_are_carried_over(published, output, changed, carried):
    problem = dataclasses.replace(BARE, input=published, output=output)
    assert carried in set(carried_outputs(problem, changed))


def test_a_script_prints_what_its_words_became_and_what_must_be_computed_is_not_carried_over():
    problem = dataclasses.replace(BARE, kind="script", entry_point="", input="3 pear\n", output="pear pear 3\n")
    assert "fig fig 5\n" in set(carried_outputs(problem, "5 fig\n"))
    problem = dataclasses.replace(BARE, input="f([3, 1, 2])", output="[1, 2, 3]")
    assert "[4, 5, 9]" not in set(carried_outputs(problem, "f([4, 9, 5])"))
