from __future__ import annotations

import math

import evaluate
import pytest

from lm_eval_codemind.scores.metrics import (
    ExecutionReasoningMetric,
    SemanticsReasoningMetric,
    SpecificationReasoningMetric,
)


def test_execution_reasoning_over_batches() -> None:
    metric = ExecutionReasoningMetric(keep_in_memory=True)
    assert isinstance(metric, evaluate.EvaluationModule)
    metric.add_batch(predictions=["[1, 2]", "'a'"], references=["[1,2]", "'b'"], printed=[False, False])
    metric.add_batch(predictions=["YES", "{2, 1}"], references=["YES\n", "{1, 2}"], printed=[True, False])
    assert metric.compute() == {"r_ier": 0.75, "r_ier_text": 0.5}


def test_specification_reasoning_gives_the_paper_s_figure() -> None:
    # HumanEval, CodeLlama-Instruct-13b: 76 of 164 pass without a test, 4 with the test only.
    without = [1.0] * 76 + [0.0] * 88
    with_test = [1.0] * 76 + [1.0] * 4 + [0.0] * 84
    result = SpecificationReasoningMetric(keep_in_memory=True).compute(predictions=with_test, references=without)
    assert round(result["r_sr"], 4) == 0.4749
    assert result["r_sr"] == pytest.approx(76 / 164 * math.exp(4 / 164))
    assert result["pass@1_with_test"] == 80 / 164


def test_semantics_reasoning() -> None:
    metric = SemanticsReasoningMetric(keep_in_memory=True)
    # As short as C: 1; half as long again: 10 / 15; not shorter than C+: 0; fails: 0.
    metric.add_batch(
        predictions=[10, 15, 40, 10], references=[10] * 4, transformed=[40] * 4, passed=[True, True, True, False]
    )
    assert metric.compute() == {"r_dsr": pytest.approx((1 + 10 / 15) / 4), "pass@1": 0.75, "shorter": 0.5}
