from lm_eval_codemind.families.ier.score import s_ier, s_ier_text


def test_scores_of_one_response() -> None:
    assert s_ier("`[1,2]`", "[1, 2]", printed=False)
    assert not s_ier_text("`[1,2]`", "[1, 2]")
    assert s_ier_text("[1,2]", "[1, 2]")
    assert not s_ier(None, "[]", printed=False)
    assert not s_ier(None, "", printed=True)
    assert not s_ier_text(None, "")
