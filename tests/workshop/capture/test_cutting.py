"""Programs that are cut out of a package: what belongs to them, and that they do what the package does."""

import pytest

from lm_eval_codemind.workshop.capture.cutting import NotCut, Package, cut
from tests.workshop.capture.package import write

TOTAL = """\
from __future__ import annotations


RATES = {'food': 7, 'other': 19}
ORDER = []
for name in sorted(RATES):
    ORDER.append(name)


def total(prices, kind='other'):
    result = 0
    for price in prices:
        result += price * (100 + RATES[kind]) // 100
    return result
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    folder = write(tmp_path_factory.mktemp("shop"))
    return Package("shop", {"shop.prices": folder / "shop" / "prices.py"})


def evaluated(program: str, call: str) -> object:
    names: dict[str, object] = {"__name__": "program"}
    exec(program, names)
    return eval(call, names)


def test_a_function_with_names_of_other_modules(package):
    program = cut(package, [("shop.prices", "total")], ())
    assert program == TOTAL
    assert evaluated(program, "total([100], 'food')") == 107


def test_statements_that_change_a_name_and_imports_under_another_name(package):
    program = cut(package, [("shop.prices", "kinds")], ())
    assert "ORDER.append(name)" in program and "KINDS = ORDER" in program
    assert evaluated(program, "kinds('f')") == ["food"]


def test_imports_inside_of_functions(package):
    program = cut(package, [("shop.prices", "written")], ())
    assert "pad = padded" in program and "import shop" not in program and "from .texts" not in program
    assert evaluated(program, "written('3.14159')") == "....3.14"


def test_classes_keep_what_is_mentioned(package):
    program = cut(package, [("shop.baskets", "Basket")], ["cheapest"])
    assert "def cheapest" in program and "never_called" not in program and "def add" not in program
    assert evaluated(program, "Basket([3, 1]).cheapest()") == [1]


def test_what_cannot_be_cut_is_named(package, tmp_path):
    def module(source: str) -> Package:
        file = tmp_path / "shop" / "odd.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(source)
        return Package("shop", {"shop.odd": file})

    for source, reason in (
        ("import numpy\ndef f(x):\n    return numpy.sum(x)\n", "it needs numpy, which is not of Python's library"),
        ("def f(x):\n    return g(x)\n", "shop.odd does not define g"),
        ("from . import odd\ndef f(x):\n    return str(odd)\n", "uses the module odd as a value"),
        ("def f(x:\n", "cannot be read as Python"),
        ("def f(x):\n    return open(__file__)\n", "__file__"),
    ):
        with pytest.raises(NotCut, match=reason):
            cut(module(source), [("shop.odd", "f")], ())
