"""Each rule at all of its sites, on programs that hold the hazards: what is seen of C+ is what is seen of C."""

from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.workshop.transforms.composer import GROUPS, RULES
from tests.workshop.transforms.behaviour import count_sites, observe, variants

_FILE = read_yaml(Path(__file__).parent / "programs.yaml")
PROGRAMS: dict[str, dict[str, Any]] = _FILE["functions"]
SCRIPTS: dict[str, dict[str, Any]] = _FILE["scripts"]


@pytest.mark.parametrize("rule", RULES)
def test_functions_do_what_they_did(rule):
    applied = 0
    for title, program in PROGRAMS.items():
        code, calls = program["code"], program["calls"]
        expected = observe(code, calls)
        public = {word for call in calls for word in call.replace("(", " ").replace("=", " ").replace("'", " ").split()}
        for settings in ({}, {"public": public}):
            for variant in variants(rule, code, **settings):
                assert observe(variant, calls) == expected, f"{rule} on {title}:\n{variant}"
                applied += 1
    assert applied >= 2, f"{rule} had no site in any program"


@pytest.mark.parametrize("rule", RULES)
def test_scripts_do_what_they_did(rule):
    applied = 0
    for title, program in SCRIPTS.items():
        code, stdin = program["code"], program["stdin"]
        expected = observe(code, [], stdin)
        for variant in variants(rule, code, script=True):
            assert observe(variant, [], stdin) == expected, f"{rule} on {title}:\n{variant}"
            applied += 1
    assert applied or rule == "numpy_builtin", f"{rule} had no site in any script"


def test_there_are_twenty_rules_in_four_groups():
    assert len(RULES) == 20
    assert [sum(rule.group == group for rule in RULES.values()) for group in GROUPS] == [6, 7, 5, 2]


@pytest.mark.parametrize(("rule", "title", "sites"), [
    ("loop_to_recursion", "generator", 0), ("loop_to_recursion", "closure", 0),
    ("loop_to_recursion", "late_generator", 0), ("loop_to_recursion", "super", 0),
    ("loop_to_recursion", "loop_else", 0), ("loop_to_recursion", "unbound_after_loop", 0),
    ("loop_to_recursion", "carried_over", 0), ("loop_to_recursion", "long_loop", 2), ("thread", "coroutine", 0),
    ("thread", "super", 0), ("thread", "recursion", 0), ("decorator", "coroutine", 1), ("decorator", "recursion", 0),
    ("decorator", "decorated", 1), ("extract_assignment", "super", 0), ("extract_assignment", "unbound_name", 0),
    ("extract_assignment", "short_circuit", 0), ("extract_assignment", "comprehensions", 1),
    ("augmented_assignment", "mutable_augmentation", 2), ("numpy_builtin", "stop_iteration", 0),
    ("numpy_builtin", "shadowed_builtins", 0), ("numpy_builtin", "small_integers", 5), ("rename_variable", "eval", 0),
    ("rename_function", "type_names", 0), ("single_trip_for", "shadowed_builtins", 0), ("base64", "recursion", 0),
    *((rule, "locals", 0) for rule in RULES if rule != "box_and_index"),
    *((rule, "stack", 0) for rule in RULES if rule != "box_and_index"),
])  # fmt: skip
def test_hazards_are_refused(rule, title, sites):
    assert count_sites(rule, PROGRAMS[title]["code"]) == sites


@pytest.mark.parametrize(("rule", "code", "sites"), [
    ("always_true_guard", "def f(x):\n    if x:\n        pass\n    elif x > 1:\n        pass\n", 1),
    (
        "augmented_assignment",
        "def f(xs):\n    n = 0\n    for x in xs:\n        n += 1\n    xs += [n]\n    return n\n",
        1,
    ),
    ("rename_variable", "def f(x):\n    y = x\n    return y\n", 1),
    ("rename_function", "def helper():\n    return 1\n\ndef f():\n    return helper()\n", 0),
    ("thread", "import sqlite3\n\ndef f(x):\n    y = len(x)\n    return y\n", 0),
    ("box_and_index", "class A:\n    x = 1\n", 0), ("base64", "def f(x):\n    return x\n    x = 1\n", 1),
    ("base64", "def f(x):\n    if x:\n        return 1\n    else:\n        raise x\n    x = 1\n", 1),
    ("base64", "def f(x):\n    try:\n        return x.y\n    except KeyError:\n        pass\n    x = 1\n", 3),
    ("box_and_index", "def f(x):\n    y = [x][0]\n    return y\n", 0),
    ("try_except", "def f(x):\n    y = [1, {}]\n    z = y\n    return len(z)\n", 1),
    ("base64", "def g(x):\n    return x\n\ndef f(xs):\n    return [g(x) for x in xs]\n", 1), ("base64", "x = 1\n", 0),
])  # fmt: skip
def test_number_of_sites(rule, code, sites):
    assert count_sites(rule, code) == sites


def test_what_tests_mention_keeps_its_name():
    code = "def helper(width):\n    return width\n\ndef f(x):\n    return helper(x)\n"
    assert count_sites("rename_function", code, public={"f", "helper"}) == 0
    assert count_sites("rename_function", code, public={"f"}) == 1
    assert count_sites("rename_variable", code, public={"f", "width", "x"}) == 0
    assert count_sites("rename_variable", code, public={"f"}) == 2


def test_imports_get_out_of_the_way_of_the_programs_names():
    code = "def f(shuffle):\n    base64 = shuffle + 1\n    return base64\n"
    for rule in ("base64", "shuffle"):
        made = list(variants(rule, code))
        assert made
        for variant in made:
            assert " as " in variant.splitlines()[0]
            assert observe(variant, ["f(1)", "f('')"]) == observe(code, ["f(1)", "f('')"])


def test_an_import_that_is_there_is_used():
    code = "import functools\n\n\ndef f(x):\n    return functools.reduce(max, x)\n"
    (variant,) = variants("decorator", code)
    assert variant.count("import functools") == 1
    assert "@functools.wraps" in variant
