import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.languages.python.complexity import cyclomatic_complexity, unit_complexities


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("pass", 1),
        ("if a:\n        pass", 2),
        ("if a:\n        pass\n    elif b:\n        pass\n    else:\n        pass", 3),
        ("return 1 if a else 2", 2),
        ("for x in a:\n        pass", 2),
        ("for x in a:\n        pass\n    else:\n        pass", 3),
        ("while a and b or c:\n        pass", 4),
        ("try:\n        pass\n    except A:\n        pass\n    except B:\n        pass\n    finally:\n        pass", 3),
        ("return [x for x in a if x if x > 1]", 4),
        ("match a:\n     case 1:\n      b\n     case [b]:\n      b\n     case _:\n      b", 3),
        ("assert a and b", 3),
        ("with a:\n        pass", 1),
        ("return lambda x: x or 1", 2),
    ],
)
def test_each_decision_point_of_a_function(body: str, expected: int) -> None:
    assert cyclomatic_complexity(f"def f(a, b, c):\n    {body}\n") == expected


def test_a_program_is_the_sum_of_its_units() -> None:
    code = (
        "import os\n"
        "class A:\n"
        "    def m(self):\n"
        "        def inner(x):\n"
        "            return x and 1\n"
        "        if self:\n"
        "            return inner\n"
        "def g():\n"
        "    pass\n"
        "for i in range(3):\n"
        "    g()\n"
    )
    assert unit_complexities(code) == {("m", 3): 2, ("inner", 4): 2, ("g", 8): 1, ("<module>", 0): 2}
    assert cyclomatic_complexity(code) == 7


def test_imports_definitions_and_docstrings_are_no_unit() -> None:
    assert cyclomatic_complexity('"""Doc."""\nfrom typing import List\n\ndef f(x):\n    return x\n') == 1
    assert cyclomatic_complexity("") == 1


def test_a_program_that_does_not_parse_is_refused() -> None:
    with pytest.raises(SyntaxError):
        cyclomatic_complexity("def f(:")


@given(st.lists(st.sampled_from(["if x:\n    y\n", "for i in x:\n    y\n", "while x:\n    y\n"]), max_size=8))
def test_each_statement_in_a_row_adds_one(statements: list[str]) -> None:
    assert cyclomatic_complexity("x\n" + "".join(statements)) == 1 + len(statements)


@pytest.mark.upstream
@pytest.mark.parametrize("benchmark", ["humaneval", "cruxeval", "classeval", "avatar", "transformed"])
def test_every_unit_of_every_program_has_the_complexity_that_radon_gives(
    programs: dict[str, list[str]], benchmark: str
) -> None:
    visitors = pytest.importorskip("radon.visitors")

    def of_functions(functions: list) -> dict[tuple[str, int], int]:
        units = {}
        for function in functions:
            units[(function.name, function.lineno)] = function.complexity
            units.update(of_functions(function.closures))
        return units

    def of_classes(classes: list) -> dict[tuple[str, int], int]:
        units = {}
        for item in classes:
            units.update(of_functions(item.methods))
            units.update(of_classes(item.inner_classes))
        return units

    assert len(programs[benchmark]) == {"humaneval": 164, "cruxeval": 800, "classeval": 400, "avatar": 86}.get(
        benchmark, 386
    )
    for code in programs[benchmark]:
        visitor = visitors.ComplexityVisitor.from_code(code)
        expected = of_functions(visitor.functions) | of_classes(visitor.classes)
        units = unit_complexities(code)
        module = units.pop(("<module>", 0), 1)
        assert units == expected
        assert module == visitor.complexity
