from collections import Counter

import pytest

from lm_eval_codemind.data.benchmarks import Upstream
from lm_eval_codemind.data.build import read_proven
from lm_eval_codemind.data.facts.runtime_inputs import inputs_of
from lm_eval_codemind.data.facts.runtime_labels import load_labels
from runtime_questions import is_written, literals_in
from runtime_rules import END, Point, points, reachable

CODE = """\
def g(a):
    b = a + 1
    return b

def f(xs):
    t = 0
    for x in xs:
        if x > 3:
            t += g(x)
        else:
            continue
    while t:
        t -= 1; t += 0
        if t == 2: break
    if t:
        return 1
    return t
"""

BENCHMARKS = ("reval_humaneval", "reval_classeval", "cruxeval", "avatar", "sample")


def test_what_comes_next_by_the_syntax_tree() -> None:
    """By hand. Lines that statements share are not there: 13, 14."""
    by_line = {line: (point.kind, point.context, point.enters, point.skips) for line, point in points(CODE).items()}
    assert by_line == {
        2: ("statement", "", 3, 3),
        # The only call of g is on line 9, after which the loop goes on.
        3: ("return", "", 7, 7),
        6: ("statement", "", 7, 7),
        7: ("for", "", 8, 12),
        8: ("if", "loop", 9, 11),
        9: ("statement", "then", 2, 2),
        11: ("statement", "else", 7, 7),
        12: ("while", "", 13, 15),
        15: ("if", "", 16, 17),
        16: ("return", "guard", END, END),
        17: ("return", "after", END, END),
    }
    assert points(CODE)[7].variables == ("x", "xs", "t") and points(CODE)[2].variables == ("b", "a")


def test_a_condition_that_always_holds_leaves_no_choice() -> None:
    code = "n = 0\nwhile True:\n    n += 1\n    if n > 3:\n        break\nif __name__ == '__main__':\n    print(n)\n"
    assert (points(code)[2].enters, points(code)[2].skips) == (3, 3)
    assert (points(code)[6].enters, points(code)[6].skips) == (7, 7)


def test_reachable_by_name() -> None:
    code = "class C:\n def __init__(self): self.a()\n def a(self): pass\n def b(self): self.c()\n def c(self): pass\n"
    assert reachable(code, "C()") == {"__init__", "a"}
    assert reachable(code, "C().b()") == {"__init__", "a", "b", "c"}


@pytest.mark.parametrize("name", BENCHMARKS)
def test_no_rule_on_the_syntax_tree_answers_the_shipped_questions(upstream: Upstream, name: str) -> None:
    """And no state can be read off the prompt, coverage is balanced, and outputs rarely end the prompt."""
    labels = load_labels(name)
    executed: Counter[bool] = Counter()
    rules: Counter[str] = Counter()
    known = 0
    for problem in read_proven(name, upstream):
        for run_input in inputs_of(problem):
            of_input = labels.get(problem.problem_id, {}).get(run_input.number)
            if of_input is None or of_input.reason:
                continue
            prompt = f"{run_input.code}\n{run_input.set_up}\n{run_input.input}"
            sources = [run_input.code, run_input.set_up, *([] if run_input.expression is None else [run_input.input])]
            literals = literals_in(*sources)
            called = reachable(run_input.code, run_input.input) if run_input.expression is not None else set()
            for label in of_input.labels:
                point: Point = points(run_input.code)[label.line]
                if "c" in label.asked:
                    executed[label.executed] += 1
                    known += point.context != "" and (not point.function or point.function in called or not called)
                if "p" in label.asked:
                    assert label.next_line is not None
                    rules["asked"] += 1
                    rules["enters"] += point.enters == label.next_line
                    rules["skips"] += point.skips == label.next_line
                if "s" in label.asked:
                    assert label.value is not None and not is_written(label.value, prompt, literals)
    assert executed[True] == executed[False] > 0 and known == executed.total()
    assert max(rules["enters"], rules["skips"]) <= 0.55 * rules["asked"]
