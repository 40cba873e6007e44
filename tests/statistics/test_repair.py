"""The scores of bug repair."""

import pytest

from lm_eval_codemind.families.repair.task import repaired_by_test
from lm_eval_codemind.languages import get_language


@pytest.mark.parametrize(
    ("without", "with_test", "score"), [(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 0), (0.5, 0.5, 0.25), (0.25, 1, 0.75)]
)
def test_repaired_by_test(without: float, with_test: float, score: float) -> None:
    halves = [{"problem_id": "p", "with_test": half > 0, "passed": x} for half, x in enumerate((without, with_test))]
    assert repaired_by_test(halves) == score


def test_layout_and_documentation_change_nothing() -> None:
    form = get_language("python").bare_form
    bug = form("def f(x):\n    return x-1\n")
    assert form('def f( x ):\n    """Take one away."""\n    return (x - 1)  # done\n') == bug
    assert form("def f(x):\n    return x + 1\n") != bug
    assert form("def f(:") == "def f(:"
    # The text before a program may be repeated, once or twice, or not.
    context = 'import math\n\ndef g(x):\n    """Help."""\n    return x\n'
    for repeated in ("import math\n", context, "", context + "import math\n"):
        assert form(f"{repeated}def f(x):\n    return x - 1\n", context) == bug
    assert form("def g(x):\n    return 0\ndef f(x):\n    return x - 1\n", context) != bug
    # A docstring that is all of a body is all that the function does.
    assert form('def f():\n    "nothing"\n') == form('def f():\n    """nothing"""\n') != form("def f():\n    pass\n")
