"""The scores as metrics of the ``evaluate`` package, for use without the harness.

    metric = ExecutionReasoningMetric()
    metric.add_batch(predictions=["[1, 2]"], references=["[1,2]"], printed=[False])
    metric.compute()  # {"r_ier": 1.0, "r_ier_text": 1.0}

They score answers and outcomes. They do not read responses and do not execute programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import datasets
import evaluate

from lm_eval_codemind.scores.dsr import r_dsr, s_dsr, shorter
from lm_eval_codemind.scores.ier import r_ier, s_ier, s_ier_text
from lm_eval_codemind.scores.sr import mean_s_sr, r_sr

_CITATION = "Liu, Chen, Jabbarvand: CodeMind: Evaluating Large Language Models for Code Reasoning. arXiv 2402.09664"


class _Metric(evaluate.Metric):  # type: ignore[misc]
    _about = ""
    _inputs = ""
    _columns: dict[str, str] = {}

    def __init__(self, **options: Any) -> None:
        # evaluate stores predictions in a file named after this; two metrics must not share it.
        super().__init__(config_name=type(self).__name__, **options)

    def _info(self) -> evaluate.MetricInfo:
        features = datasets.Features({name: datasets.Value(kind) for name, kind in self._columns.items()})
        return evaluate.MetricInfo(
            description=self._about, citation=_CITATION, inputs_description=self._inputs, features=features
        )


class ExecutionReasoningMetric(_Metric):
    """IER: ``r_ier`` compares values, ``r_ier_text`` compares text like the CodeMind artifact."""

    _about = "Share of problems with a right prediction of the output (R_IER)."
    _inputs = (
        "predictions: the predicted outputs; references: the true outputs; printed: whether they are printed text, "
        "which is compared line by line, or Python literals."
    )
    _columns = {"predictions": "string", "references": "string", "printed": "bool"}

    def _compute(
        self, predictions: Sequence[str], references: Sequence[str], printed: Sequence[bool]
    ) -> dict[str, float]:
        rows = list(zip(predictions, references, printed, strict=True))
        return {
            "r_ier": r_ier([s_ier(answer, output, text) for answer, output, text in rows]),
            "r_ier_text": r_ier([s_ier_text(answer, output) for answer, output, _ in rows]),
        }


class SpecificationReasoningMetric(_Metric):
    """SR: ``r_sr``, ``s_sr`` and the pass rates without and with the test."""

    _about = "R_SR and the mean of S_SR over a benchmark."
    _inputs = (
        "predictions: the share of responses with the test that pass, 0 or 1 for one response; references: the same "
        "without the test."
    )
    _columns = {"predictions": "float64", "references": "float64"}

    def _compute(self, predictions: Sequence[float], references: Sequence[float]) -> dict[str, float]:
        pairs = list(zip(references, predictions, strict=True))
        return {
            "r_sr": r_sr(pairs),
            "s_sr": mean_s_sr(pairs),
            "pass@1_no_test": sum(references) / len(references),
            "pass@1_with_test": sum(predictions) / len(predictions),
        }


class SemanticsReasoningMetric(_Metric):
    """DSR: ``r_dsr``, ``pass@1`` and ``shorter``, from verdicts and the lines of the three programs."""

    _about = "R_DSR, the mean of S_DSR over a benchmark."
    _inputs = (
        "predictions: LoC of the simplified programs; references: LoC of the original ones; transformed: LoC of the "
        "transformed ones; passed: whether the simplified programs pass their tests."
    )
    _columns = {"predictions": "int64", "references": "int64", "transformed": "int64", "passed": "bool"}

    def _compute(
        self,
        predictions: Sequence[int],
        references: Sequence[int],
        transformed: Sequence[int],
        passed: Sequence[bool],
    ) -> dict[str, float]:
        rows = list(zip(passed, references, transformed, predictions, strict=True))
        return {
            "r_dsr": r_dsr([s_dsr(*row) for row in rows]),
            "pass@1": sum(passed) / len(passed),
            "shorter": sum(shorter(ok, longer, lines) for ok, _, longer, lines in rows) / len(rows),
        }
