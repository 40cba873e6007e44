"""The view of IER results on unrolled programs: like that of IER, compared with IER on the same problems."""

from lm_eval_codemind.views.ier import ExecutionView


class UnrolledView(ExecutionView):
    """IER's view, compared with IER on the same problems."""

    changes = "ier"
