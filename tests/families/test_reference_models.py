"""The model that knows all answers gets full marks, and the one that says nothing gets none."""

import pytest

from tests.families.reference import reference_run

BOTH = ("strict-match", "flexible-extract")
IER = (24, BOTH, ("r_ier", "r_ier_text", "answered"))
INPUT = (24, BOTH, ("r_input", "r_input_searched", "as_recorded", "answered"))
# Task -> number of documents, filters and metrics.
TASKS = {
    "codemind_ier_sample": IER,
    "codemind_ier_direct_sample": IER,
    "codemind_ier_unrolled_sample": (16, BOTH, ("r_ier",)),
    "codemind_input_sample": INPUT,
    "codemind_input_direct_sample": INPUT,
    "codemind_sr_sample": (38, ("extract-code",), ("r_sr", "pass@1_no_test", "pass@1_with_test", "code_found")),
    "codemind_sr_misleading_sample": (13, ("extract-code",), ("pass@1", "code_found")),
    "codemind_dsr_sample": (24, ("extract-code",), ("r_dsr", "pass@1", "shorter", "similarity", "code_found")),
}


@pytest.mark.parametrize(
    ("model", "value", "chat"),
    [("oracle", 1, False), pytest.param("oracle", 1, True, marks=pytest.mark.proof), ("null", 0, False)],
)
def test_ceiling_and_floor(model, value, chat):
    results = reference_run(model, *TASKS, apply_chat_template=chat)
    for task, (size, filters, metrics) in TASKS.items():
        assert results["n-samples"][task]["effective"] == size
        for name in (f"{metric},{filter_name}" for metric in metrics for filter_name in filters):
            assert results["results"][task][name] == value, (task, name)
            assert results["results"][task][name.replace(",", "_stderr,")] == 0, (task, name)
