from __future__ import annotations

from collections import Counter

from lm_eval_codemind.facts.runtime_labels import Label
from lm_eval_codemind.proof.runtime_questions import Candidate, candidates, choose

CODE = """\
import math
LIMIT = 5

def f(xs, d):
    n = 0
    total, count = sum(xs), len(xs)
    if total > LIMIT: return xs
    for x in xs:
        d[x] = x + 1
        d[x - 1] += n
        xs.sort()
    y = n
    print(y)
    z: int = max(xs)
    while z:
        z -= 1
    if y:
        return True
    return d
"""


def test_candidates_of_a_program() -> None:
    """By hand: constants, copies and lines with two statements are not asked about."""
    found = {(each.line, each.variable): (each.ends_block, each.effect) for each in candidates(CODE)}
    assert found == {
        (6, "(total, count)"): (True, False),
        (9, "d[x]"): (False, False),
        (10, "d[x - 1]"): (False, False),
        (11, "xs"): (True, True),
        (14, "z"): (True, False),
        (16, "z"): (True, False),
        # A constant is asked by what was assigned last.
        (18, "z"): (True, False),
        (19, "d"): (True, False),
    }


def test_half_of_the_lines_are_executed_often_or_never() -> None:
    fit = [
        (Candidate(line, "x", line % 2 == 0), Label(line, "x", times))
        for line, times in enumerate([1] * 6 + [0, 4] * 3)
    ]
    drawn = [choose(fit, str(seed)) for seed in range(40)]
    assert all(len(labels) == 3 and labels == sorted(labels, key=lambda label: label.line) for labels in drawn)
    assert set(Counter(sum(label.times != 1 for label in labels) for labels in drawn)) == {1, 2}
    # Last lines of blocks come first.
    assert all(label.line % 2 == 0 for labels in drawn for label in labels)
    assert choose(fit, "7") == choose(fit, "7")


def test_where_there_is_only_one_kind_all_are_of_it() -> None:
    once = [(Candidate(line, "x", True), Label(line, "x", 1)) for line in range(4)]
    assert len(choose(once, "s")) == 3 and len(choose(once[:1], "s")) == 1 and choose([], "s") == []
    often = [(Candidate(line, "x", True), Label(line, "x", 0)) for line in range(4)]
    assert len(choose(often + once[:1], "s")) == 3
