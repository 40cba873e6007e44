"""The views of CRUXEval's published form."""

from lm_eval_codemind.families.ier.view import ExecutionView
from lm_eval_codemind.families.input.view import InputView

_REPORTED = ("pass@1", "pass@5", "pass@1_upstream", "pass@5_upstream")


class CruxevalOutputView(ExecutionView):
    """Both scores of an answer."""

    scores: tuple[str, ...] = ("pass@1",)
    reported: tuple[str, ...] = _REPORTED


class LcbExecutionView(CruxevalOutputView):
    """Upstream's score of an answer, and ours where the label is proven."""

    scores = ("pass@1_upstream",)
    reported = ("pass@1_upstream", "pass@1", "pass@5")


class CruxevalInputView(InputView):
    """Both scores of an answer."""

    scores = ("pass@1",)
    reported = _REPORTED
