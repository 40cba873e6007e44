"""Guesses about loops and branches: they are right where the syntax tree decides, and only there."""

import pytest

from flow_rules import arguments, decisions, iterations

CODE = """\
def f(xs, n=2):
    for i, x in enumerate(xs):
        if x > n:
            return x
        for j in range(n):
            while j:
                j -= 1
    for y in g(xs):
        pass
    return [z for z in xs]
"""


@pytest.mark.parametrize(("document", "expected"), [
    ({"code": CODE, "input": "f([1, 2], n=3)"}, {"xs": [1, 2], "n": 3}),
    ({"code": CODE, "shown": '{"self": {}, "args": {"xs": [1]}, "kwargs": {"n": 4}}'}, {"xs": [1], "n": 4}),
    ({"code": "print(input())", "input": "3 4"}, {}), ({"code": "print(input())", "shown": "3 4"}, {}),
    ({"code": CODE, "input": "g(open('x'))"}, {}),
])  # fmt: skip
def test_arguments(document, expected):
    assert arguments(document) == expected


def test_iterations_follow_the_iterable_and_decisions_are_as_many():
    loops = iterations(CODE, {"xs": [7, 8], "n": 2})
    assert loops == {2: {"i": [0, 1], "x": [7, 8]}, 5: {"j": [0, 1, 0, 1]}, 8: {"y": []}, 10: {"z": [7, 8]}}
    assert iterations(CODE, {})[5] == {"j": []}
    truths = decisions(CODE, {"xs": [7, 8], "n": 2}, last=True)
    assert truths == {3: [False, True], 6: [True, True, True, False]}


@pytest.mark.parametrize("text", ["__import__('os').listdir()", "(lambda: xs)()", "xs.pop()", "range(10**9)"])
def test_nothing_of_the_program_runs(text):
    values = [1]
    assert iterations(f"for i in {text}:\n    pass\n", {"xs": values}) == {1: {"i": []}} and values == [1]
