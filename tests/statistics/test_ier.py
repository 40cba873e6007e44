import pytest

from lm_eval_codemind.families.ier.score import r_ier, s_ier, s_ier_text


def test_scores_of_one_response() -> None:
    assert s_ier("`[1,2]`", "[1, 2]", printed=False)
    assert not s_ier_text("`[1,2]`", "[1, 2]")
    assert s_ier_text("[1,2]", "[1, 2]")
    assert not s_ier(None, "[]", printed=False)
    assert not s_ier(None, "", printed=True)
    assert not s_ier_text(None, "")


def test_r_ier_is_the_mean() -> None:
    assert r_ier([True, False, True, True]) == 0.75
    with pytest.raises(ValueError, match="no scores"):
        r_ier([])
