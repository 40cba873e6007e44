"""Scores of families and of studies: their definitions by hand, and the laws that hold for all answers."""

from fractions import Fraction
from itertools import combinations, product
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lm_eval.api.metrics import mean_stderr

from lm_eval_codemind.families.der.score import ProgramScores, mean_s_der, mean_s_der_stderr, r_der, r_der_common
from lm_eval_codemind.families.dsr.score import s_dsr, shorter, similarity
from lm_eval_codemind.families.execution import score as execution
from lm_eval_codemind.families.execution.score import lucky, prefix, right_reason_stderr, trace
from lm_eval_codemind.families.execution.trace import right_for_the_right_reason as aggregation
from lm_eval_codemind.families.ier.score import s_ier, s_ier_text
from lm_eval_codemind.families.input.score import s_input
from lm_eval_codemind.families.repair.task import repaired_by_test
from lm_eval_codemind.families.verdict.score import balanced, both
from lm_eval_codemind.harness.aggregations import pass_at_k, pass_at_reported_k, unproven_passes
from lm_eval_codemind.languages import get_language
from lm_eval_codemind.statistics import clustered_mean_stderr
from lm_eval_codemind.studies.traces.score import coherent, collapsed, program_hard, program_mean


def test_output_prediction():
    assert s_ier("`[1,2]`", "[1, 2]", printed=False)
    assert not s_ier_text("`[1,2]`", "[1, 2]") and s_ier_text("[1,2]", "[1, 2]")
    assert not s_ier(None, "[]", printed=False) and not s_ier(None, "", printed=True) and not s_ier_text(None, "")


@pytest.mark.parametrize(("recorded", "computed", "right"), [
    (True, None, True), (False, None, False), (False, "[1, 2]", True), (False, "(1, 2)", False),
])  # fmt: skip
def test_an_input_is_right_if_it_gives_the_output(recorded, computed, right):
    assert s_input(recorded, computed, "[1,2]", printed=False) is right


def test_verdicts():
    assert balanced(1, 0.5) == 0.75 and both(0.5, 0.5) == 0.25 and both(1, 0) == 0


# -- repair


@pytest.mark.parametrize(
    ("without", "with_test", "score"), [(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 0), (0.5, 0.5, 0.25), (0.25, 1, 0.75)]
)
def test_repaired_by_test(without, with_test, score):
    halves = [{"problem_id": "p", "with_test": half > 0, "passed": x} for half, x in enumerate((without, with_test))]
    assert repaired_by_test(halves) == score


def test_layout_and_documentation_change_nothing():
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


# -- dynamic semantics reasoning


@pytest.mark.parametrize(("passed", "original", "transformed", "answer", "score"), [
    (False, 10, 40, 10, 0.0),  # Pass = 0 gives 0, whatever the lengths.
    (False, 10, 40, 0, 0.0),
    (True, 10, 40, 10, 1.0),  # floor(10 / 40) = 0: 10 * 1 / max(10, 10).
    (True, 10, 40, 5, 1.0),  # Shorter than C: 10 * 1 / max(5, 10).
    (True, 10, 40, 20, 0.5),  # floor(20 / 40) = 0: 10 / 20.
    (True, 10, 40, 39, 10 / 39),  # One line shorter than C+: floor(39 / 40) = 0: 10 / 39.
    (True, 10, 40, 40, 0.0),  # As long as C+: floor(40 / 40) = 1: 10 * 0 / 40.
    (True, 10, 40, 80, 0.0),  # floor(80 / 40) = 2 would give 10 * (-1) / 80: cut off at 0.
    (True, 12, 12, 12, 0.0),  # C+ no longer than C: 12 * (1 - floor(12 / 12)) / 12.
    (True, 12, 12, 11, 1.0),
    (True, 1, 2, 1, 1.0),  # The shortest counts.
    (True, 1, 1, 1, 0.0),  # floor(1 / 1) = 1: 1 * 0 / 1.
])  # fmt: skip
def test_s_dsr_worked_by_hand(passed, original, transformed, answer, score):
    assert s_dsr(passed, original, transformed, answer) == pytest.approx(score)


@given(st.booleans(), st.integers(1, 500), st.integers(1, 500), st.integers(0, 2000))
def test_s_dsr_is_above_0_for_a_shorter_answer(passed, original, transformed, answer):
    score = s_dsr(passed, original, transformed, answer)
    assert 0 <= score <= 1
    assert (score > 0) == shorter(passed, transformed, answer)


@given(st.integers(1, 300), st.integers(1, 300), st.integers(0, 300))
def test_a_longer_answer_never_scores_more(original, growth, answer):
    transformed = original + growth
    assert s_dsr(True, original, transformed, answer + 1) <= s_dsr(True, original, transformed, answer)


@pytest.mark.parametrize("counts", [(0, 3, 1), (3, 0, 1), (3, 4, -1)])
def test_counts_of_lines_that_no_program_has(counts):
    with pytest.raises(ValueError, match="not defined"):
        s_dsr(True, *counts)


@pytest.mark.parametrize(("answer", "original", "value"), [
    ("abc", "abc", 1.0), ("", "", 1.0), ("", "abcd", 0.0), ("kitten", "sitting", 4 / 7), ("ab", "ba", 0.0),
])  # fmt: skip
def test_similarity(answer, original, value):
    assert similarity(answer, original) == pytest.approx(value)


# -- dependent execution reasoning


def test_a_mean_over_the_programs_that_pass():
    assert r_der([1.0, 0.0, 1.0, 1.0]) == 0.75 and isnan(r_der([]))
    # Not defined where nothing passes.
    assert mean_s_der(single([], 3)) == 0.0 and isnan(mean_s_der(single([], 0))) and isnan(mean_s_der([]))
    assert all(isnan(mean_s_der_stderr(single(*few))) for few in (([], 0), ([1.0], 0), ([], 1)))


def single(right: list[float], failed: int) -> list[ProgramScores]:
    """Problems with one program each: those that pass, and those that fail."""
    return [*((one, 1, 1) for one in right), (0.0, 1, failed)]


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=12), st.integers(0, 12))
def test_the_mean_and_its_error_are_those_with_the_failures_written_out(right, failed):
    values = [*right, *[0.0] * failed]
    if values:
        assert mean_s_der(single(right, failed)) == pytest.approx(sum(values) / len(values))
    if len(values) > 1:
        assert mean_s_der_stderr(single(right, failed)) == pytest.approx(mean_stderr(values))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(1, 2)), min_size=2, max_size=12))
def test_the_error_of_programs_is_clustered_by_problem(counts):
    rows: list[ProgramScores] = [(right, right + wrong + 1, problems) for right, wrong, problems in counts]
    every = [[1.0] * right + [0.0] * (wrong + 1) for right, wrong, problems in counts for _ in range(problems)]
    values, clusters = zip(*((value, place) for place, scored in enumerate(every) for value in scored), strict=True)
    assert mean_s_der(rows) == pytest.approx(sum(values) / len(values))
    assert mean_s_der_stderr(rows) == pytest.approx(clustered_mean_stderr(values, clusters), abs=1e-9)


def test_models_are_compared_on_what_all_solve():
    values, n = r_der_common({"one": {"a": 1.0, "b": 0.0, "c": 1.0}, "other": {"c": 0.0, "a": 1.0, "d": 1.0}})
    assert (values, n) == ({"one": [1.0, 1.0], "other": [1.0, 0.0]}, 2)
    assert r_der_common({"one": {"a": 1.0}, "other": {}}) == ({"one": [], "other": []}, 0)
    assert r_der_common({}) == ({}, 0)


# -- executions


@pytest.mark.parametrize(("matches", "steps", "share", "right"), [
    ([True, True], 2, 1.0, True), ([True, False], 2, 0.5, False), ([False, True, True], 3, 0.0, False),
    ([True], 4, 0.25, False), ([True, True, False], 2, 1.0, False), ([], 3, 0.0, False),
])  # fmt: skip
def test_right_steps_from_the_first_on(matches, steps, share, right):
    assert (prefix(matches, steps), trace(matches, steps)) == (share, right)


@given(st.lists(st.booleans()), st.integers(1, 30))
def test_a_right_trace_has_a_full_prefix(matches, steps):
    assert 0 <= prefix(matches, steps) <= 1
    assert not trace(matches, steps) or prefix(matches, steps) == 1
    assert prefix([*matches, True], steps) >= prefix(matches, steps)


def test_the_right_reason_by_hand():
    traces, outputs = [1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0]
    right_reason = execution.right_for_the_right_reason
    assert right_reason(traces, outputs) == 0.5
    assert [lucky(*pair) for pair in zip(traces, outputs, strict=True)] == [0, 1, 0, 0]
    # Influences 1/4, -1/4, 0, 0, and four problems.
    assert right_reason_stderr(traces, outputs, ["a", "b", "c", "d"]) == pytest.approx(sqrt(4 / 3 * 2 / 16))
    assert isnan(right_reason([1.0], [0.0])) and isnan(right_reason_stderr([1.0], [0.0], ["a"]))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1))
def test_with_all_outputs_right_it_is_a_mean(rows):
    traces, problems = [float(right) for right, _ in rows], [str(problem) for _, problem in rows]
    ones = [1.0] * len(rows)
    assert execution.right_for_the_right_reason(traces, ones) == pytest.approx(sum(traces) / len(traces))
    error, expected = right_reason_stderr(traces, ones, problems), clustered_mean_stderr(traces, problems)
    assert error == pytest.approx(expected) or (isnan(error) and isnan(expected))


def test_the_aggregation_counts_each_response():
    records = [
        {"problem_id": "a", "trace": [1.0, 0.0], "output": [1.0, 1.0]},
        {"problem_id": "b", "trace": [1.0, 1.0], "output": [0.0, 1.0]},
    ]
    assert aggregation(records) == pytest.approx(2 / 3) and aggregation(records).size == 3
    assert aggregation.stderr(records) > 0


# -- studies


def test_coherence_of_ces_pattern_by_pattern():
    fine = {True: {"111", "000", "100", "110", "010"}, False: {"111", "000", "100", "110"}}
    for loop, *bits in product((True, False), repeat=4):
        pattern = "".join(str(int(bit)) for bit in bits)
        assert coherent(loop, *bits) == (pattern in fine[loop]), (loop, pattern)


def test_coconut_s_scores():
    assert collapsed([1, 1, 2, 3, 3, 1]) == [1, 2, 3, 1] and collapsed([]) == []
    assert program_mean([1, 0, 1, 0]) == 0.5
    assert [program_hard(rights) for rights in ([1, 1], [1, 0], [0.5, 1])] == [1, 0, 0]


# -- several responses


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.data())
def test_pass_at_k_is_the_share_of_draws_with_a_right_one(verdicts, data):
    k = data.draw(st.integers(1, len(verdicts)))
    draws = list(combinations(verdicts, k))
    share = Fraction(sum(any(draw) for draw in draws), len(draws))
    assert pass_at_k(len(verdicts), sum(verdicts), k) == pytest.approx(float(share))


def test_pass_at_k_agrees_with_the_estimator_of_human_eval():
    # The product form of openai/human-eval's estimate_pass_at_k.
    for n, c, k in [(200, 3, 10), (200, 150, 100), (200, 0, 1), (10, 10, 10), (100, 1, 100)]:
        expected = 1.0 if n - c < k else 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))
        assert pass_at_k(n, c, k) == pytest.approx(expected)


@pytest.mark.parametrize(("n", "c", "k"), [(1, 2, 1), (3, -1, 1), (3, 1, 0), (3, 1, 4), (0, 0, 1)])
def test_pass_at_k_that_is_not_defined(n, c, k):
    with pytest.raises(ValueError, match="not defined"):
        pass_at_k(n, c, k)


def test_reported_k():
    assert pass_at_reported_k([True]) == pass_at_reported_k([True, False], largest=1) == {}
    assert pass_at_reported_k([True, False]) == {"pass@1": 0.5, "pass@2": 1.0}
    assert list(pass_at_reported_k([False] * 7)) == ["pass@1", "pass@2", "pass@5", "pass@7"]
    assert list(pass_at_reported_k([True, False, False], largest=2).values()) == pytest.approx([1 / 3, 2 / 3])


def test_passes_without_proof():
    assert unproven_passes([(True, True), (True, False), (False, False), (False, True)]) == 1
    assert unproven_passes([]) == 0
