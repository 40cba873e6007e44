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
    return Package({"shop.prices": folder / "shop" / "prices.py"})


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


OTHERS = {
    "shop/__init__.py": "",
    "shop/marks.py": "def mark(name):\n    return f'<{name}>'\n",
    "shop/old.py": "",
    "shop/tried.py": """\
import sys
from operator import itemgetter

from other import doubled

try:
    from .marks import mark
    NONE = mark('none')
except ImportError:
    mark = NONE = None

try:
    from ._fast import first
except ImportError:
    first = itemgetter(0)

if sys.version_info < (3, 0):
    import shop.old
    from .old import text
else:
    text = str


def described(items):
    if sys.version_info < (3, 0):
        import shop.old
    if len(items) > 9:
        return text(shop.old)
    return [text(doubled(first(items))), mark('x'), NONE]


class Pair:
    def __init__(self, left, right):
        self.left, self.right = left, right

    def __len__(self):
        return 2

    def __add__(self, other):
        return Pair(self.left + other.left, self.right + other.right)

    def __reduce__(self):
        return Pair, (self.left, self.right)

    def join(self):
        return '-'.join([self.left, self.right])

    def strip(self):
        return self.join().strip()

    def title(self):
        return getattr(self, 'left') + 'strip'


def total(pairs):
    result = pairs[0]
    for pair in pairs[1:]:
        result = result + pair
    return result.left, len(result)
""",
    "shop/copied.py": """\
import other

class Pair:
    def __init__(self, left, right):
        raise TypeError(left)

try:
    from .tried import Pair
except ImportError:
    pass

class Twin(Pair):
    def sum(self):
        return other.doubled(self.left) + self.right
""",
    "other/__init__.py": "from .numbers import *\n\ndef __getattr__(name):\n    globals()[name] = 1\n    return 1\n",
    "other/numbers.py": "def doubled(number):\n    return 2 * number\n",
}


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Package:
    folder = tmp_path_factory.mktemp("others")
    for name, content in OTHERS.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    return Package({"shop.tried": folder / "shop" / "tried.py", "other": folder / "other" / "__init__.py"})


def test_blocks_that_try_imports_conditions_on_the_version_and_other_packages(others):
    program = cut(others, [("shop.tried", "described")], ())
    assert "try" not in program and "version_info" not in program and "first = itemgetter(0)" in program
    assert evaluated(program, "described([4, 5])") == ["8", "<x>", "<none>"]


def test_an_import_that_takes_the_place_of_a_definition_and_names_that_a_module_imports_all_at_once(others):
    program = cut(others, [("shop.copied", "Twin")], ["sum"])
    assert program.count("class Pair") == 1 and "def doubled" in program
    assert evaluated(program, "Twin(3, 4).sum()") == 10


def test_special_methods_that_nothing_calls_and_methods_of_texts_are_left_out(others):
    program = cut(others, [("shop.tried", "total"), ("shop.tried", "Pair")], ())
    assert evaluated(program, "total([Pair(1, 2), Pair(3, 4)])") == (4, 2) and "__reduce__" not in program
    program = cut(others, [("shop.tried", "Pair")], ["join"])
    assert "def join" in program and "def strip" not in program and "__add__" not in program
    assert evaluated(program, "Pair('a', 'b').join()") == "a-b"
    # A text may be the name of a method where a method is found by its name.
    program = cut(others, [("shop.tried", "Pair")], ["title"])
    assert "def strip" in program and "def join" in program


def test_what_cannot_be_cut_is_named(package, tmp_path):
    def module(source: str) -> Package:
        file = tmp_path / "shop" / "odd.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(source)
        return Package({"shop.odd": file})

    for source, reason in (
        (
            "import numpy\ndef f(x):\n    return numpy.sum(x)\n",
            "it needs numpy, which is not of Python's library and has no source",
        ),
        ("def f(x):\n    import numpy\n    return numpy.sum(x)\n", "it needs numpy"),
        ("def f(x):\n    from numpy.linalg import norm\n    return norm(x)\n", "it needs numpy"),
        ("def f(x):\n    return g(x)\n", "shop.odd does not define g"),
        ("from . import odd\ndef f(x):\n    return str(odd)\n", "uses the module odd as a value"),
        ("def f(x:\n", "cannot be read as Python"),
        ("def f(x):\n    return open(__file__)\n", "__file__"),
    ):
        with pytest.raises(NotCut, match=reason):
            cut(module(source), [("shop.odd", "f")], ())
