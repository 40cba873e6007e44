import dataclasses
import json
from collections.abc import Iterator
from statistics import median
from types import SimpleNamespace
from typing import cast

import pytest

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.data.manifest import benchmark_path
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.python.complexity import lines_of_code
from lm_eval_codemind.problems import TRANSFORM_SEED, Problem, load_problems
from lm_eval_codemind.sandbox import Sandbox
from lm_eval_codemind.workshop.facts.recipes import Recipe, apply_recipe, load_recipes
from lm_eval_codemind.workshop.proof.equivalence import Equivalence, further_inputs
from lm_eval_codemind.workshop.proof.make_recipes import transform, verify_transformed
from lm_eval_codemind.workshop.python.kinds import observing_call
from lm_eval_codemind.workshop.transforms.composer import RULES, RecipeError
from ship import record_of

CODE = """def double(xs):
    out = []
    for i in range(len(xs)):
        out.append(xs[i] * 2)
    return out
"""
TESTS = """def check(candidate):
    assert candidate([1, 2, 3]) == [2, 4, 6]
    assert candidate('ab') == ['aa', 'bb']
"""
FUNCTION = Problem(
    "Test_0", "test", "function", "python", CODE, "double", "double([1, 2, 3])", "[2, 4, 6]", tests=TESTS
)


def passes(sandbox: Sandbox, problem: Problem, code: str) -> bool:
    return sandbox.run([kind_of(problem).suite_job(problem, code, limits=limits_of(problem))])[0].passed


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=2) as opened:
        yield opened


@pytest.mark.proof
def test_the_samples_recipes_are_complete_and_further_inputs_always_the_same():
    recipes = load_recipes("sample")
    problems = load_benchmark("sample")
    assert list(recipes) == [problem.problem_id for problem in problems]
    for problem in problems:
        recipe = recipes[problem.problem_id]
        assert recipe.usable and problem.transformations == tuple(rule for rule, _ in recipe.steps)
        assert lines_of_code(problem.transformed) > lines_of_code(problem.code) + 10
    rules = {rule for problem in problems for rule in problem.transformations}
    assert len(rules) >= len(RULES) - 2
    for problem in [FUNCTION, *load_benchmark("sample")]:
        inputs = further_inputs(problem, 20)
        assert inputs == further_inputs(problem, 20) and len(set(inputs)) == len(inputs)
        assert not {problem.input, *(case.input for case in problem.cases)} & set(inputs)
    assert len(further_inputs(FUNCTION, 20)) == 20


@pytest.mark.proof
def test_the_samples_programs_do_what_they_did(sandbox):
    check = verify_transformed(load_benchmark("sample"), sandbox)
    assert (check.programs, check.differences) == (24, {}) and check.inputs > 300


@pytest.mark.parametrize(("name", "size"), [("humaneval", 164), ("cruxeval", 800), ("classeval", 400), ("avatar", 86)])
def test_every_problem_has_its_program(built_data, name, size):
    problems = load_problems(benchmark_path(built_data, name))
    assert sum(bool(problem.transformed) for problem in problems) == size
    added = [lines_of_code(problem.transformed) - lines_of_code(problem.code) for problem in problems]
    assert 25 <= sum(added) / size <= 45
    assert median(len(set(problem.transformations)) for problem in problems) >= 8


@pytest.mark.parametrize(
    "recipe", [Recipe((), ""), Recipe((("base64", 1), ("thread", 0)), "ab" * 32, ("decorator",), usable=False)]
)
def test_a_recipe_survives_its_file(recipe):
    assert Recipe.from_json(json.loads(json.dumps(record_of(recipe)))) == recipe


def test_a_wrong_digest_is_told_with_the_python_version():
    problem = load_benchmark("sample")[0]
    recipe = dataclasses.replace(load_recipes("sample")[problem.problem_id], sha256="0" * 64)
    with pytest.raises(RecipeError, match=f"{problem.problem_id}: the C\\+ that Python 3") as raised:
        apply_recipe(problem, recipe, TRANSFORM_SEED)
    assert "is not the one that was verified (0000" in str(raised.value)


@pytest.mark.proof
def test_two_seeds_share_nothing():
    problems = load_benchmark("sample")
    first = {problem.problem_id: problem.transformed for problem in problems}
    unverified = cast(Equivalence, SimpleNamespace(difference=lambda *_: "", original_passes=lambda _: True))
    other, again = ({each.problem_id: transform(each, 1, unverified) for each in problems} for _ in range(2))
    assert other == again
    shipped = load_recipes("sample")
    assert sum(other[name].steps != shipped[name].steps for name in first) >= 0.95 * len(problems)
    for problem in problems:
        assert apply_recipe(problem, other[problem.problem_id], 1).transformed != first[problem.problem_id]


def before(line: str, text: str) -> str:
    """Return the program with lines in front of one of its lines."""
    return CODE.replace(f"    {line}", f"    {text}\n    {line}")


@pytest.mark.parametrize(("wrong", "place"), [
    # Fails a test.
    (CODE.replace("* 2", "* 3"), "tests: "),
    # Passes the tests, and differs beyond them.
    (before("out = []", "if len(xs) > 3:\n        return None"), "input "),
    (before("return out", "if not xs:\n        print()"), "input "),
    (before("out = []", "if len(xs) > 3:\n        raise ValueError"), "input "),
    (before("return out", "if len(xs) > 3:\n        xs.clear()"), "input "),
    # Does not even load.
    ("raise KeyError\n" + CODE, "tests: "),
])  # fmt: skip
def test_differences_are_found(sandbox, wrong, place):
    assert Equivalence(sandbox).difference(FUNCTION, wrong).startswith(place)


@pytest.mark.proof
def test_equal_programs_do_not_differ_and_a_recipe_is_verified_while_it_is_made(sandbox):
    same = "def double(xs):\n    return [xs[i] * 2 for i in range(len(xs))]\n"
    equivalence = Equivalence(sandbox)
    assert equivalence.difference(FUNCTION, same) == "" and equivalence.compared_inputs(FUNCTION) >= 20
    # Calls are observed with their arguments.
    assert observing_call("f([1], 2)").endswith("_result = f(*_arguments)\n(_result, _arguments)")
    assert observing_call("f(x=1)") == "f(x=1)"
    # Tests see the values of the problem's own program.
    tests = "assert double(given) == [8]\n"
    assert passes(sandbox, dataclasses.replace(FUNCTION, code=CODE + "\ngiven = [4]\n", tests=tests), CODE)
    recipe = transform(FUNCTION, 3, Equivalence(sandbox))
    assert recipe.usable and recipe.dropped == ()
    made = apply_recipe(FUNCTION, recipe, 3)
    assert passes(sandbox, made, made.transformed)
    failing = dataclasses.replace(FUNCTION, tests=FUNCTION.tests.replace("[2, 4, 6]", "[1]"))
    assert not transform(failing, 3, Equivalence(sandbox)).usable
