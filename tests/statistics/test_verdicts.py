"""What counts as a pass without proof."""

from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.harness.pass_at_k import unproven_passes


def test_only_passes_count() -> None:
    assert unproven_passes([(True, True), (True, False), (False, False), (False, True)]) == 1
    assert unproven_passes([]) == 0


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_it_is_between_none_and_all_passes(verdicts: list[tuple[bool, bool]]) -> None:
    assert 0 <= unproven_passes(verdicts) <= sum(passed for passed, _ in verdicts)
    assert unproven_passes([(passed, True) for passed, _ in verdicts]) == 0
