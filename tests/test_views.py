"""Views of families that other packages bring."""

from dataclasses import replace

import pytest

from lm_eval_codemind import families
from lm_eval_codemind.families.ier.task import ExecutionReasoning
from lm_eval_codemind.families.views import views
from lm_eval_codemind.family import Family, Variant
from lm_eval_codemind.samples import Sample


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch) -> type[Family]:
    """A family whose variants the tests change."""

    class Mine(ExecutionReasoning):
        pass

    known = dict(families.families())
    monkeypatch.setattr("lm_eval_codemind.families.views.families", lambda: {**known, "mine": Mine()})
    return Mine


def test_a_family_without_a_view_has_the_plain_one(mine):
    mine.variants = (Variant("mine", "Mine"),)
    assert views()["mine"].title == "Mine" and views()["mine"].scores == ("r_ier",)
    assert next(iter(views())) == "ier"


def test_two_variants_of_one_name(mine):
    mine.variants = (Variant("mine", "Mine"), Variant("ier_buggy", "Mine, buggy"))
    with pytest.raises(ValueError, match="'ier' and 'mine' both have a variant 'ier_buggy'; rename one"):
        views()


@pytest.mark.parametrize("place", ["no_such_module:View", "lm_eval_codemind.families.views:NoSuchView"])
def test_a_view_that_is_not_there(mine, place):
    mine.variants = (Variant("mine", "Mine", view=place),)
    with pytest.raises(ValueError, match=f"'mine' names the view '{place}', which cannot be imported"):
        views()


def test_an_interval_is_over_problems_and_not_over_samples():
    def sample(problem: str, value: float) -> Sample:
        doc = {"benchmark": "b", "problem_id": problem}
        return Sample(doc, 0, "", (), (), (), "f", {"found": value}, {})

    view = views()["ier"]
    once = [sample(f"p{number}", float(number % 4 > 0)) for number in range(20)]
    assert view.estimate([*once, *once], "found") == replace(view.estimate(once, "found"), n=40)
    assert view.estimate(once, "found").low == pytest.approx(0.531, abs=0.001)  # Wilson: 15 of 20
    uneven = [*once, *once[:5]]
    estimate = view.estimate(uneven, "found")
    assert estimate.value == pytest.approx(sum(one.scores["found"] for one in uneven) / 25) and estimate.n == 25
    assert estimate.low < estimate.value < estimate.high
