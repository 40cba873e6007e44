import csv
import io
import json
import math
from pathlib import Path

import pytest
from scipy import stats

from lm_eval_codemind.families.table import Column, Table, show
from lm_eval_codemind.families.views import views
from lm_eval_codemind.languages.python.complexity import cyclomatic_complexity, measure
from lm_eval_codemind.results.analysis import analyses, natural, summary
from lm_eval_codemind.results.observations import ALL
from lm_eval_codemind.results.runs import read_runs
from tests.results.harness import evaluate


@pytest.fixture(scope="module")
def tables(output: Path, observations: list) -> dict[str, Table]:
    return {table.name: table for table in analyses(read_runs([output]), observations)}


def test_scores_are_the_harness_s(output, tables, observations):
    records = tables["summary"].records()
    assert {record["model"] for record in records} == {"org/right", "org/scripts"}
    for record in records:
        (file,) = output.glob(f"*{record['model'].partition('/')[2]}/results_*.json")
        results = json.loads(file.read_text())["results"][record["task"]]
        assert record["value"] == results[f"{record['metric']},strict-match"]
        assert record["low"] <= record["value"] <= record["high"]
    means = [record for record in records if record["metric"] == "r_ier"]
    assert [record["model"] for record in means] == ["org/right", "org/scripts"]
    for record in means:
        scores = [o.score for o in observations if o.model == record["model"] and o.task == record["task"]]
        assert sum(scores) / len(scores) == record["value"]


def test_correlations_are_those_of_the_programs(tables, observations):
    mine = [o for o in observations if o.model == "org/scripts"]
    expected = stats.spearmanr([cyclomatic_complexity(o.unit[0].doc["code"]) for o in mine], [o.score for o in mine])
    of_model = [r for r in tables["correlations"].records() if r["model"] == "org/scripts" and r["benchmark"] == ALL]
    (record,) = (r for r in of_model if r["measure"] == "CC")
    assert (record["rho"], record["p"]) == pytest.approx((expected.statistic, expected.pvalue))
    assert record["p_corrected"] >= record["p"]
    # All scores of the other model are 1, so there is nothing to correlate.
    others = [r["rho"] for r in tables["correlations"].records() if r["model"] == "org/right"]
    assert others == [None] * len(others) != []


def test_a_program_counts_under_each_of_its_constructs(tables, observations):
    mine = [o for o in observations if o.model == "org/scripts"]
    records = [r for r in tables["constructs"].records() if r["model"] == "org/scripts" and r["benchmark"] == ALL]
    codes = {o.unit[0].doc["code"] for o in mine}
    tags = {code: measures.constructs for code in codes if (measures := measure(code)) is not None}
    there = {construct for of_program in tags.values() for construct in of_program}
    assert {record["construct"] for record in records} == there
    assert len(records) == len(there) > 4
    for record in records:
        scores = [o.score for o in mine if record["construct"] in tags[o.unit[0].doc["code"]]]
        assert (record["n"], record["score"]) == (len(scores), pytest.approx(sum(scores) / len(scores)))


def test_type_and_value_match(tables):
    records = [r for r in tables["output_types"].records() if r["benchmark"] == ALL]
    assert {(r["type_match"], r["value_match"]) for r in records if r["model"] == "org/right"} == {(1.0, 1.0)}
    # The other model answers every function and method with a string.
    others = {r["type"]: r for r in records if r["model"] == "org/scripts"}
    assert others["List"]["value_match"] == others["List"]["type_match"] == 0 and others["String"]["type_match"] == 1
    assert sum(r["n"] for r in others.values()) == 24


def test_the_models_are_compared_on_the_problems_both_ran(tables, observations):
    (record,) = [r for r in tables["comparisons"].records() if r["benchmark"] == ALL]
    lost = sum(1 - o.score for o in observations if o.model == "org/scripts")
    assert record["difference"] == pytest.approx(lost / 24)
    assert record["p"] == pytest.approx(stats.binomtest(int(lost), int(lost)).pvalue)
    assert record["test"] == "McNemar"


def test_the_hardest_problems_come_first(tables):
    scores = [r["score"] for r in tables["problems"].records()]
    assert scores == sorted(scores)
    assert scores[0] == 0.5


def test_tables_say_the_same_in_every_form(tables):
    assert {"summary", "correlations", "constructs", "output_types", "comparisons", "problems"} <= set(tables)
    assert all(table.rows for table in tables.values())
    for table in tables.values():
        records = list(csv.DictReader(io.StringIO(table.to_csv())))
        texts = [[str("" if value is None else value) for value in record.values()] for record in table.records()]
        assert [list(record.values()) for record in records] == texts
        assert list(records[0]) == list(table.records()[0])
        assert json.loads(table.to_json())["rows"] == table.records()
        assert len(table.to_text().splitlines()) == len(table.rows) + 2


def test_how_readers_see_values():
    assert show(0.71512, "percent") == "71.5%"
    assert show(0.0000001, "p") == "<0.001"
    assert show(math.nan, "percent") == "\u2013"
    rows = [{"a": "x", "low": 0.5, "b": 1}, {"a": "y", "low": math.nan, "b": 2}]
    table = Table("t", "T", "", rows, {"b": Column("B")})
    assert table.columns == {"a": Column("A"), "low": Column("95% from", "percent"), "b": Column("B")}
    assert table.shown() == [["x", "50.0%", "1"], ["y", "\u2013", "2"]]
    assert table.where(lambda row: row["b"] > 1).rows == [table.rows[1]]
    assert table.without("a", "low").rows == [{"b": 1}, {"b": 2}]
    assert table.frame["low"].mean() == 0.5
    assert table.to_csv() == "a,low,b\nx,0.5,1\ny,,2\n"
    names = ["HumanEval_1", "HumanEval_10", "HumanEval_2", "HumanEval"]
    assert sorted(names, key=natural) == ["HumanEval", "HumanEval_1", "HumanEval_2", "HumanEval_10"]


# -- baselines

RUNTIME = "codemind_runtime_sample"


def test_a_task_that_nobody_has_measured_has_no_baseline():
    view = views()["runtime"]
    assert view.baseline(RUNTIME, "coverage_balanced") == 0.5
    assert math.isnan(view.baseline(RUNTIME, "answered")) and math.isnan(view.baseline("codemind_of_a_user", "right"))


@pytest.mark.parametrize("task", ["humaneval", "classeval", "cruxeval", "avatar", "sample"])
def test_baselines_of_runtime_behaviour_are_low(task):
    """What needs no execution: at most 65 % of coverage, 60 % of the path, 9 % of states, 11 % of outputs."""
    view = views()["runtime"]
    best = {
        metric: view.baseline(f"codemind_runtime_{task}", metric)
        for metric in ("coverage_balanced", "path_executed", "state_executed", "output")
    }
    assert best["coverage_balanced"] <= 0.65 and best["path_executed"] <= 0.6
    assert best["state_executed"] <= 0.09 and best["output"] <= 0.11


def test_the_summary_shows_them(tmp_path):
    evaluate(tmp_path, "org/silent", lambda document: "", [RUNTIME])
    runs = read_runs([tmp_path])
    rows = {row["metric"]: row for row in summary(runs).records()}
    assert rows["coverage_balanced"]["baseline"] == 0.5 and rows["coverage_balanced"]["value"] == 0
    assert 0 < rows["path_executed"]["baseline"] < 0.55
