import ast
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lm_eval_codemind.workshop.python.kinds import needed_functions
from lm_eval_codemind.workshop.transforms.composer import (
    LEAST_GROWTH,
    RULES,
    RecipeError,
    compose,
    compose_verified,
    recreate,
)
from lm_eval_codemind.workshop.transforms.program import Program
from tests.workshop.transforms.behaviour import observe_drawn
from tests.workshop.transforms.generated import CALLS, functions, scripts

CODE = """import math


def area(sides):
    total = 0
    for i in range(len(sides)):
        total += sides[i] * math.pi
    if total > 10:
        return total - 10
    return total
"""


def make() -> Program:
    return Program(CODE, public={"area"})


def test_a_recipe_gives_the_same_bytes():
    made = compose(make(), "7")
    again = recreate(make(), "7", made.steps)
    assert again == made
    assert compose(make(), "7") == made


def test_seeds_give_different_programs():
    made = [compose(make(), str(seed)) for seed in range(20)]
    assert len({one.code for one in made}) == 20
    assert len({one.steps for one in made}) == 20


def test_neither_hashing_nor_the_run_matters():
    program = "from lm_eval_codemind.workshop.transforms.composer import compose\n"
    program += "from lm_eval_codemind.workshop.transforms.program import Program\n"
    program += f"print(compose(Program({CODE!r}, public={{'area'}}), '7').digest)"
    for seed in ("1", "2"):
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True)
        assert done.stdout == compose(make(), "7").digest + "\n"


def test_growth():
    grown = [len(compose(make(), str(seed)).code.splitlines()) for seed in range(10)]
    assert min(grown) > len(CODE.splitlines()) + LEAST_GROWTH


def test_a_recipe_for_another_program_is_told():
    with pytest.raises(RecipeError, match="wants site 40 of rule 'base64'"):
        recreate(make(), "7", [("base64", 40)])
    with pytest.raises(RecipeError, match="no rule 'sleep'"):
        recreate(make(), "7", [("sleep", 0)])


@pytest.mark.parametrize(("wrong", "mark"), [
    ("thread", "threading"), ("base64", "b64encode"), ("decorator", "functools"),
])  # fmt: skip
def test_a_rule_that_changes_behaviour_is_dropped(wrong, mark):
    seed = next(str(n) for n in range(50) if wrong in compose(make(), str(n)).rules)
    dropped: list[str] = []
    made = compose_verified(make, seed, lambda code: mark in code, dropped=lambda rule, code: dropped.append(rule))
    assert dropped == [wrong]
    assert wrong not in made.rules
    assert len(set(made.rules)) > 5


def test_only_what_is_in_focus_changes():
    code = "class A:\n    def f(self, x):\n        return x + 1\n\n    def g(self, x):\n        return x + 2\n"
    made = compose(Program(code, focus=["A.f"]), "1")
    (original,) = ast.parse(code).body
    changed = next(node for node in ast.parse(made.code).body if isinstance(node, ast.ClassDef))
    assert isinstance(original, ast.ClassDef)
    assert ast.dump(changed.body[1]) == ast.dump(original.body[1])
    assert ast.dump(changed.body[0]) != ast.dump(original.body[0])


def test_needed_functions():
    code = "def a(): return b()\n\ndef b(): return len\n\ndef c(): return a()\n"
    assert needed_functions(code, "a") == ["a", "b"]
    assert needed_functions(code, "c") == ["c", "a", "b"]


@pytest.mark.proof
@settings(deadline=None, max_examples=60)
@given(functions(), st.integers(0, 10**6))
def test_generated_functions_do_what_they_did(code, seed):
    made = compose(Program(code, public={"f"}), str(seed))
    before, after = observe_drawn([code, made.code], CALLS)
    assert after == before, made.code


@pytest.mark.proof
@settings(deadline=None, max_examples=30)
@given(scripts(), st.integers(0, 10**6))
def test_generated_scripts_do_what_they_did(code, seed):
    made = compose(Program(code, script=True), str(seed))
    before, after = observe_drawn([code, made.code], [], "3\nab\n")
    assert after == before, made.code


@pytest.mark.proof
@pytest.mark.parametrize("rule", RULES)
@settings(deadline=None, max_examples=15)
@given(code=functions(), site=st.integers(0, 10**6))
def test_each_rule_alone_on_generated_functions(rule, code, site):
    program = Program(code, public={"f"})
    sites = RULES[rule].sites(program)
    if sites:
        changed = recreate(program, "0", [(rule, site % len(sites))]).code
        before, after = observe_drawn([code, changed], CALLS)
        assert after == before, changed
