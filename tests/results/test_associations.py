"""The table of associations between families, and the UpSet plot, on facts made by hand."""

from typing import cast
from xml.etree import ElementTree

import pytest

from lm_eval_codemind.families.views import views
from lm_eval_codemind.questions import Key
from lm_eval_codemind.results.associations import associations, on_same_problems, overlap
from lm_eval_codemind.results.figures import UpSet
from lm_eval_codemind.results.observations import Observation
from lm_eval_codemind.results.plots import plots


def observed(model: str, family: str, verdicts: dict[str, bool], benchmark: str = "sample") -> list[Observation]:
    of, task = views()[family], f"codemind_{family}_{benchmark}"
    return [
        Observation(model, task, of, Key(benchmark, problem), {of.scores[0]: float(solved)}, solved, (), {"C": None})
        for problem, solved in verdicts.items()
    ]


# Ten problems under IER and DSR, nine of them under SR too.
IER = dict.fromkeys("abcdef", True) | dict.fromkeys("ghij", False)
DSR = dict.fromkeys("abcd", True) | dict.fromkeys("efgh", False) | dict.fromkeys("ij", True)
SR = dict.fromkeys("abcdefghi", False)
FACTS = observed("m", "ier", IER) + observed("m", "dsr", DSR) + observed("m", "sr", SR)


def test_pairs_of_families_on_their_common_problems():
    rows = {(row["first"], row["second"]): row for row in associations(FACTS).records()}
    assert len(rows) == 6
    forwards, backwards = rows[("IER", "DSR")], rows[("DSR", "IER")]
    assert [forwards[name] for name in ("both", "first_only", "second_only", "neither", "n")] == [4, 2, 2, 2, 10]
    assert forwards["phi"] == pytest.approx((8 - 4) / 24)
    assert (forwards["given_right"], forwards["given_wrong"]) == (pytest.approx(4 / 6), pytest.approx(2 / 4))
    assert (backwards["given_right"], backwards["given_wrong"]) == (pytest.approx(4 / 6), pytest.approx(2 / 4))
    assert backwards["p"] == pytest.approx(forwards["p"]) and forwards["p_corrected"] >= forwards["p"]
    # Nothing is solved under SR: no correlation.
    assert rows[("IER", "SR")]["n"] == 9 and rows[("IER", "SR")]["phi"] is None and rows[("IER", "SR")]["p"] is None


def test_a_run_with_one_family_shows_nothing_and_says_what_is_missing():
    table = associations(observed("m", "ier", IER))
    assert not table.rows
    assert "Not asked: SR, DSR" in table.note and "cause" not in table.title


def test_the_same_problem_under_another_name_of_its_benchmark_is_one():
    both = observed("m", "ier", IER, "classeval") + observed("m", "sr", SR, "classeval_methods")
    assert associations(both).records()[0]["n"] == 9


def test_an_upset_plot_shows_the_exact_intersections():
    table = overlap(FACTS[:20])
    (figure,) = plots([table])
    assert isinstance(figure, UpSet)
    assert set(figure.sets) == {"IER", "DSR"}
    counts = {" and ".join(sorted(sets, reverse=True)) or "none": count for sets, count in figure.counts}
    assert counts == {"IER and DSR": 4, "IER": 2, "DSR": 2, "none": 2}
    drawn = cast(ElementTree.Element, ElementTree.fromstring(figure.svg(["m"], standalone=True)))
    titles = [element.text for element in drawn.iter("{http://www.w3.org/2000/svg}title")]
    assert sorted(filter(None, titles)) == sorted(f"solved under {sets}: {count}" for sets, count in counts.items())


def test_only_common_problems_count():
    unrolled = observed("m", "ier_unrolled", {"a": True, "b": True, "c": False, "x": True})
    plain = observed("m", "ier", {"a": True, "b": False, "c": False, "y": True})
    (row, total) = on_same_problems([*unrolled, *plain, *observed("n", "ier", {"a": True})]).records()
    assert (row["benchmark"], total["benchmark"], row["model"], row["n"]) == ("sample", "all", "m", 3)
    assert (row["metric"], row["metric_same"]) == ("r_ier", "r_ier_same")
    assert (row["score"], row["score_same"]) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert row["difference"] == pytest.approx(1 / 3) and row["low"] <= row["difference"] <= row["high"]


def test_without_the_other_family_there_is_nothing():
    assert not on_same_problems(observed("m", "ier_unrolled", {"a": True})).rows
