"""Figures of the tables about programs, and of REval's average against its consistency."""

import math
from xml.etree import ElementTree

import pytest

from lm_eval_codemind.families.table import described
from lm_eval_codemind.results.figures import Figure, Scatter
from lm_eval_codemind.results.plots import plots


def place(text: str) -> float:
    return float(text.removesuffix("%"))


def test_complexity_has_a_figure_for_each_measure_with_the_middle_half():
    ends = {"mean": 4.0, "lowest": 1.0, "lower_quartile": 2.0, "median": 3.0, "upper_quartile": 8.0, "highest": 90.0}
    rows = [
        {"benchmark": name, "measure": measure, **ends, "n": 7}
        for name in ("avatar", "mbpp")
        for measure in ("CC", "LL")
    ]
    figures = plots([described("complexity", rows)])
    assert [figure.name for figure in figures] == ["complexity-cc", "complexity-ll"]
    for figure in figures:
        assert isinstance(figure, Figure) and figure.stop == 8 and figure.series == ["programs"]
        assert [(mark.row, mark.value, mark.low, mark.high) for mark in figure.marks] == [
            ("avatar", 3, 2, 8),
            ("mbpp", 3, 2, 8),
        ]
        assert figure.place(8) == figure.place(900) and place(figure.place(4)) == pytest.approx(49)
        assert 'aria-label="' in figure.svg(["model"])


def test_differences_of_written_programs_lie_around_zero():
    row = {"family": "SR", "benchmark": "mbpp", "model": "m", "measure": "LoC", "written": 5.0, "given": 6.0}
    rows = [{**row, "difference": -1.0, "low": -1.5, "high": -0.5, "p": 0.01, "n": 9}]
    (figure,) = plots([described("written", rows)])
    assert isinstance(figure, Figure) and (figure.start, figure.stop) == (-1.5, 1.5)
    assert place(figure.place(0.0)) == pytest.approx(49) and 'class="g zero"' in figure.svg(["m"])


def test_lines_of_simplified_programs_are_drawn_from_zero():
    row = {"model": "m", "programs": "all", "C": 4.0, "C+": 10.0, "C'": 8.0, "n": 3}
    (figure,) = plots([described("lines_simplified", [row])])
    assert isinstance(figure, Figure) and figure.stop == 10
    assert [(mark.row, mark.value) for mark in figure.marks] == [("C, all", 4), ("C+, all", 10), ("C', all", 8)]


def test_reval_s_figure_has_the_average_across_and_the_consistency_upwards():
    rows = [
        {"model": "gpt", "average": 75.0, "average_sd": math.nan, "ic": 42.5, "ic_sd": math.nan, "repeats": 1},
        {"model": "gemma", "average": 0.0, "average_sd": math.nan, "ic": 100.0, "ic_sd": math.nan, "repeats": 1},
    ]
    (figure,) = plots([described("reval_average", rows)])
    assert isinstance(figure, Scatter) and figure.points == [("gpt", 75.0, 42.5), ("gemma", 0.0, 100.0)]
    for standalone in (True, False):
        drawing = ElementTree.fromstring(figure.svg(["gpt", "gemma"], standalone))
        marks = [group.find(".//*[@x]") for group in drawing.iter() if group.get("data-series")]
        (x1, y1), (x2, y2) = ((place(mark.get("x")), float(mark.get("y"))) for mark in marks if mark is not None)
        assert x1 == pytest.approx(72) and x2 == pytest.approx(3)
        assert y1 - y2 == pytest.approx(240 * 0.575)
