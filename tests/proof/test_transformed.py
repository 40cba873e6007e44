import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.data.facts.recipes import Recipe, apply_recipe, load_recipes
from lm_eval_codemind.data.manifest import benchmark_path
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.python.complexity import lines_of_code
from lm_eval_codemind.languages.python.kinds import observing_call
from lm_eval_codemind.problems import TRANSFORM_SEED, Problem, load_problems
from lm_eval_codemind.proof.equivalence import Equivalence, further_inputs
from lm_eval_codemind.proof.make_recipes import transform, verify_transformed
from lm_eval_codemind.sandbox import Job, Sandbox
from lm_eval_codemind.transforms import RULES, RecipeError
from ship import record_of

FUNCTION = Problem(
    problem_id="Test_0",
    benchmark="test",
    kind="function",
    language="python",
    code="""def double(xs):
    out = []
    for i in range(len(xs)):
        out.append(xs[i] * 2)
    return out
""",
    entry_point="double",
    input="double([1, 2, 3])",
    output="[2, 4, 6]",
    tests="""def check(candidate):
    assert candidate([1, 2, 3]) == [2, 4, 6]
    assert candidate('ab') == ['aa', 'bb']
""",
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=2) as opened:
        yield opened


def suite_job(problem: Problem, code: str) -> Job:
    return kind_of(problem).suite_job(problem, code, limits=limits_of(problem))


def test_the_samples_recipes_are_complete() -> None:
    recipes = load_recipes("sample")
    problems = load_benchmark("sample")
    assert list(recipes) == [problem.problem_id for problem in problems]
    for problem in problems:
        assert recipes[problem.problem_id].usable
        assert problem.transformations == tuple(rule for rule, _ in recipes[problem.problem_id].steps)
        assert lines_of_code(problem.transformed) > lines_of_code(problem.code) + 10
    rules = {rule for problem in problems for rule in problem.transformations}
    assert len(rules) >= len(RULES) - 2


@pytest.mark.slow
def test_the_samples_programs_do_what_they_did(sandbox: Sandbox) -> None:
    check = verify_transformed(load_benchmark("sample"), sandbox)
    assert (check.programs, check.differences) == (24, {})
    assert check.inputs > 300


@pytest.mark.parametrize(("name", "size"), [("humaneval", 164), ("cruxeval", 800), ("classeval", 400), ("avatar", 86)])
def test_every_problem_has_its_program(built_data: Path, name: str, size: int) -> None:
    problems = load_problems(benchmark_path(built_data, name))
    assert sum(bool(problem.transformed) for problem in problems) == size
    added = [lines_of_code(problem.transformed) - lines_of_code(problem.code) for problem in problems]
    assert 25 <= sum(added) / size <= 45
    distinct = sorted(len(set(problem.transformations)) for problem in problems)
    assert distinct[size // 2] >= 8


def test_a_recipe_survives_its_file() -> None:
    recipe = Recipe((("base64", 1), ("thread", 0)), "ab" * 32, ("decorator",), usable=False)
    for one in (recipe, Recipe((), "")):
        assert Recipe.from_json(json.loads(json.dumps(record_of(one)))) == one


def test_a_wrong_digest_is_told_with_the_python_version() -> None:
    problem = load_benchmark("sample")[0]
    recipe = dataclasses.replace(load_recipes("sample")[problem.problem_id], sha256="0" * 64)
    with pytest.raises(RecipeError, match=f"{problem.problem_id}: the C\\+ that Python 3") as raised:
        apply_recipe(problem, recipe, TRANSFORM_SEED)
    assert "is not the one that was verified (0000" in str(raised.value)


def test_two_seeds_share_nothing() -> None:
    problems = load_benchmark("sample")
    first = {problem.problem_id: problem.transformed for problem in problems}
    unverified = cast(Equivalence, SimpleNamespace(difference=lambda *_: "", original_passes=lambda _: True))
    other, again = ({each.problem_id: transform(each, 1, unverified) for each in problems} for _ in range(2))
    assert other == again
    shipped = load_recipes("sample")
    differing = sum(other[name].steps != shipped[name].steps for name in first)
    assert differing >= 0.95 * len(problems)
    for problem in problems:
        assert apply_recipe(problem, other[problem.problem_id], 1).transformed != first[problem.problem_id]


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        # Fails a test.
        (FUNCTION.code.replace("* 2", "* 3"), "tests: "),
        # Passes the tests, and differs beyond them.
        (FUNCTION.code.replace("    out = []", "    if len(xs) > 3:\n        return None\n    out = []"), "input "),
        (FUNCTION.code.replace("    return out", "    if not xs:\n        print()\n    return out"), "input "),
        (
            FUNCTION.code.replace("    out = []", "    if len(xs) > 3:\n        raise ValueError\n    out = []"),
            "input ",
        ),
        (FUNCTION.code.replace("    return out", "    if len(xs) > 3:\n        xs.clear()\n    return out"), "input "),
        # Does not even load.
        ("raise KeyError\n" + FUNCTION.code, "tests: "),
    ],
)
def test_differences_are_found(sandbox: Sandbox, wrong: str, place: str) -> None:
    assert Equivalence(sandbox).difference(FUNCTION, wrong).startswith(place)


def test_equal_programs_do_not_differ(sandbox: Sandbox) -> None:
    same = "def double(xs):\n    return [xs[i] * 2 for i in range(len(xs))]\n"
    equivalence = Equivalence(sandbox)
    assert equivalence.difference(FUNCTION, same) == ""
    assert equivalence.compared_inputs(FUNCTION) >= 20


def test_a_recipe_is_verified_while_it_is_made(sandbox: Sandbox) -> None:
    recipe = transform(FUNCTION, 3, Equivalence(sandbox))
    assert recipe.usable and recipe.dropped == ()
    made = apply_recipe(FUNCTION, recipe, 3)
    assert sandbox.run([suite_job(made, made.transformed)])[0].passed
    failing = dataclasses.replace(FUNCTION, tests=FUNCTION.tests.replace("[2, 4, 6]", "[1]"))
    assert not transform(failing, 3, Equivalence(sandbox)).usable


def test_further_inputs_are_new_and_always_the_same() -> None:
    for problem in [FUNCTION, *load_benchmark("sample")]:
        inputs = further_inputs(problem, 20)
        assert inputs == further_inputs(problem, 20)
        assert len(set(inputs)) == len(inputs)
        assert not {problem.input, *(case.input for case in problem.cases)} & set(inputs)
    assert len(further_inputs(FUNCTION, 20)) == 20


def test_calls_are_observed_with_their_arguments() -> None:
    assert observing_call("f([1], 2)").endswith("_result = f(*_arguments)\n(_result, _arguments)")
    assert observing_call("f(x=1)") == "f(x=1)"


def test_tests_see_the_values_of_the_problems_own_program(sandbox: Sandbox) -> None:
    problem = dataclasses.replace(
        FUNCTION, code=FUNCTION.code + "\ngiven = [4]\n", tests="assert double(given) == [8]\n"
    )
    assert sandbox.run([suite_job(problem, FUNCTION.code)])[0].passed
