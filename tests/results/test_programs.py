"""Tables about the programs, languages and orders of models, against values that are counted by hand."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lm_eval_codemind.families.views import views
from lm_eval_codemind.languages import measured
from lm_eval_codemind.questions import Answer
from lm_eval_codemind.results.programs import between_languages, complexity, orders, written_programs

PLAIN = "def f(x):\n    return x\n"
LOOP = "def f(x):\n    for i in range(x):\n        if i:\n            x += i\n    return x\n"


def observation(
    problem: str, score: float, *, model: str = "m", family: str = "ier", benchmark: str = "b", **more: Any
) -> SimpleNamespace:
    code, language = more.get("code", PLAIN), more.get("language", "python")
    scores = {"code_found": 1.0} if family == "sr" else {}
    sample = SimpleNamespace(doc={"language": language, "code": code}, answer=Answer(more.get("answer")), scores=scores)
    return SimpleNamespace(
        view=views()[family], model=model, benchmark=benchmark, problem_id=problem, score=score, unit=(sample,),
        complexity=measured(language, code),
    )  # fmt: skip


def test_each_problem_counts_once_in_the_distribution_of_its_benchmark():
    several = [observation(f"p{n}", 1, code=PLAIN if n < 3 else LOOP, model=model) for model in "ab" for n in range(4)]
    rows = {row["measure"]: row for row in complexity(several).rows}
    assert rows["CC"]["n"] == 4 and rows["CC"]["lowest"] == 1 and rows["CC"]["highest"] == 3
    assert rows["CC"]["mean"] == 1.5 and rows["LoC"]["median"] == 2
    assert rows["LoC"]["upper_quartile"] == np.quantile([2, 2, 2, 5], 0.75)


def test_written_programs_are_set_against_the_given_ones():
    answers = [observation(f"p{n}", 1, family="sr", answer=LOOP) for n in range(12)]
    answers += [observation("broken", 0, family="sr", answer="def f(:"), observation("none", 0, family="sr")]
    # An input that was executed is no program.
    answers.append(observation("input", 1, family="input", answer="f(1)"))
    rows = {row["measure"]: row for row in written_programs(answers).rows}
    assert set(rows) == {"CC", "LoC", "DEP", "NC"}
    assert (rows["CC"]["written"], rows["CC"]["given"], rows["CC"]["difference"], rows["CC"]["n"]) == (3, 1, 2, 12)
    assert rows["LoC"]["difference"] == 3 and rows["LoC"]["p"] < 0.01


def test_a_problem_in_two_languages_is_one_pair_however_many_programs_it_has():
    scores = [observation(f"p{n}", n % 2, benchmark="codenet_python") for n in range(10)]
    scores += [
        observation("p0_s123", 1, benchmark="codenet_python"),
        observation("only", 1, benchmark="codenet_python"),
    ]
    java = "class Main { public static void main(String[] a) { } }"
    scores += [observation(f"p{n}", 1, benchmark="codenet_java", language="java", code=java) for n in range(10)]
    (row,) = between_languages(scores).rows
    assert (row["benchmark"], row["first"], row["second"], row["n"]) == ("codenet", "python", "java", 10)
    assert row["first_score"] == pytest.approx(0.55) and row["second_score"] == 1
    assert row["difference"] == pytest.approx(-0.45)


def test_orders_need_three_models_and_agree_where_scores_do():
    names = "abcde"
    for models, n in ((names, 5), (names[:2], 0)):
        scores = [
            observation(f"p{k}", float(k < place + shift), model=model, family=family)
            for family, shift in (("ier", 1), ("sr", 3))
            for place, model in enumerate(models)
            for k in range(10)
        ]
        rows = orders(scores).rows
        assert [(row["rho"], row["n"]) for row in rows] == ([(pytest.approx(1), n)] if n else [])


def test_three_models_have_a_row_and_no_interval():
    scores = [observation("p", k / 3, model=str(k), family=family) for family in ("ier", "sr") for k in range(3)]
    (row,) = orders(scores).rows
    assert row["n"] == 3 and row["rho"] == pytest.approx(1) and math.isnan(row["low"])


def test_lines_of_simplified_programs_are_those_of_the_samples():
    def unit(shorter: float, *lines: int | None) -> tuple[SimpleNamespace]:
        answers = [Answer("x", {} if each is None else {"loc": each}) for each in lines]
        scores = {"r_dsr": shorter / 2, "pass@1": shorter, "shorter": shorter}
        return (SimpleNamespace(doc={"loc": 4, "loc_transformed": 10}, answers=answers, scores=scores),)

    (table,) = views()["dsr"].findings({"m": [unit(1.0, 4), unit(1.0, 7), unit(0.0, 13), unit(0.0, None)]})
    rows = {row["programs"]: (row["C"], row["C+"], row["C'"], row["n"]) for row in table.rows}
    assert rows == {"all": (4, 10, 8, 3), "simplified": (4, 10, 5.5, 2), "not simplified": (4, 10, 13, 1)}
    # Of several responses to a problem the lines are their mean, and it is solved if all of them solve it.
    (table,) = views()["dsr"].findings({"m": [unit(1.0, 4, 8), unit(0.5, 6, 12), unit(0.5, 5, None)]})
    rows = {row["programs"]: (row["C'"], row["n"]) for row in table.rows}
    assert rows == {"all": (20 / 3, 3), "simplified": (6, 1), "not simplified": (7, 2)}


@pytest.mark.parametrize(
    ("passes", "shorter", "outcome"),
    [(1.0, 1.0, "simplified"), (1.0, 0.5, "not shorter"), (0.5, 0.5, "fails its tests"), (0.0, 0.0, "fails its tests")],
)
def test_a_problem_of_dsr_is_solved_if_all_responses_solve_it(passes, shorter, outcome):
    scores = {"r_dsr": shorter / 2, "pass@1": passes, "shorter": shorter}
    unit = (SimpleNamespace(answer=Answer("x"), scores=scores),)
    assert views()["dsr"].solved(unit) == (shorter == 1) and views()["dsr"].outcome(unit) == outcome


def test_reval_s_average_has_a_deviation_over_repeats():
    """One line, and its four answers: all right in the first repeat, and only coverage in the second."""
    record = {"program": "p", "run": "0", "line": 1, "executed": True, "goes_on": True}
    unit = []
    for setting in ("coverage", "state", "path", "output"):
        right = [True, setting == "coverage"]
        said = [True, True] if setting == "coverage" else [None, None]
        own = {**record, "setting": setting, "right": right, "said_executed": said}
        unit.append(SimpleNamespace(scores={setting: own, "ic": own}))
    (table,) = views()["runtime_published"].findings({"m": [tuple(unit)]})
    (row,) = table.rows
    assert (row["average"], row["ic"], row["repeats"]) == (62.5, 56.25, 2)
    assert row["average_sd"] == pytest.approx(75 / math.sqrt(2)) and row["ic_sd"] == pytest.approx(87.5 / math.sqrt(2))
