from __future__ import annotations

import contextlib
import io

import pytest

from lm_eval_codemind.complexity import COUNTER, count_loops


def iterations(code: str) -> int:
    namespace: dict = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(count_loops(code), namespace)
    return namespace[COUNTER][0]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = 1", 0),
        ("for i in range(5): pass", 5),
        ("for i in range(5):\n  if i == 2: break", 3),
        ("for i in range(5):\n  if i == 2: continue\n  j = i", 5),
        ("for i in range(3):\n  for j in range(4): pass", 3 + 12),
        ("i = 10\nwhile i > 0: i -= 3", 4),
        ("for i in []: pass\nelse: x = 1", 0),
        ("x = [i for i in range(6) if i % 2]", 6),
        ("x = [j for i in range(2) for j in range(3)]", 2 + 6),
        ("x = any(i > 1 for i in range(9))", 3),
        ("x = sum(range(100)) + len(sorted([3, 1, 2]))", 0),
        ("class A:\n  y = {i: i for i in range(3)}", 3),
        ('"""Doc."""\nfrom __future__ import annotations\nfor i in "ab": pass', 2),
        ("def f(n):\n  for i in range(n):\n    f(n - 1)\nf(3)", 3 + 3 * (2 + 2 * 1)),
        ("print(*(i for i in range(2)))", 2),
    ],
)
def test_iterations_counted_by_hand(code: str, expected: int) -> None:
    assert iterations(code) == expected


def test_the_program_does_what_it_did() -> None:
    code = "out = []\nfor i in range(4):\n  out += [j * i for j in range(i)]\nelse:\n  out.append('done')\n"
    plain: dict = {}
    counted: dict = {}
    exec(code, plain)
    exec(count_loops(code), counted)
    assert counted["out"] == plain["out"]


@pytest.mark.upstream
def test_every_program_can_be_counted(programs: dict[str, list[str]]) -> None:
    for codes in programs.values():
        for code in codes:
            compile(count_loops(code), "program", "exec")
