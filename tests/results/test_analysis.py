import csv
import io
import json
import math
from pathlib import Path

import pytest
from scipy import stats

from lm_eval_codemind.families.table import Column, Table, show
from lm_eval_codemind.languages.python.complexity import cyclomatic_complexity, measure
from lm_eval_codemind.results.analysis import analyses, natural
from lm_eval_codemind.results.observations import ALL, observe
from lm_eval_codemind.results.runs import read_runs


@pytest.fixture(scope="module")
def observations(output: Path) -> list:
    return observe(read_runs([output]))


@pytest.fixture(scope="module")
def tables(output: Path, observations: list) -> dict[str, Table]:
    return {table.name: table for table in analyses(read_runs([output]), observations)}


def test_scores_are_the_harness_s(output: Path, tables: dict[str, Table]) -> None:
    records = tables["summary"].records()
    assert {record["model"] for record in records} == {"org/right", "org/scripts"}
    for record in records:
        (file,) = output.glob(f"*{record['model'].partition('/')[2]}/results_*.json")
        results = json.loads(file.read_text())["results"][record["task"]]
        assert record["value"] == results[f"{record['metric']},strict-match"]
        assert record["low"] <= record["value"] <= record["high"]


def test_means_of_samples_give_the_harness_s_scores(tables: dict[str, Table], observations: list) -> None:
    records = [record for record in tables["summary"].records() if record["metric"] == "r_ier"]
    assert [record["model"] for record in records] == ["org/right", "org/scripts"]
    for record in records:
        scores = [o.score for o in observations if o.model == record["model"] and o.task == record["task"]]
        assert sum(scores) / len(scores) == record["value"]


def test_correlations_are_those_of_the_programs(tables: dict[str, Table], observations: list) -> None:
    mine = [o for o in observations if o.model == "org/scripts"]
    expected = stats.spearmanr([cyclomatic_complexity(o.unit[0].doc["code"]) for o in mine], [o.score for o in mine])
    (record,) = [
        r
        for r in tables["correlations"].records()
        if r["model"] == "org/scripts" and r["measure"] == "CC" and r["benchmark"] == ALL
    ]
    assert record["rho"] == pytest.approx(expected.statistic)
    assert record["p"] == pytest.approx(expected.pvalue)
    assert record["p_corrected"] >= record["p"]
    # All scores of the other model are 1, so there is nothing to correlate.
    others = [r["rho"] for r in tables["correlations"].records() if r["model"] == "org/right"]
    assert others == [None] * len(others) != []


def test_a_program_counts_under_each_of_its_constructs(tables: dict[str, Table], observations: list) -> None:
    mine = [o for o in observations if o.model == "org/scripts"]
    records = [
        record
        for record in tables["constructs"].records()
        if record["model"] == "org/scripts" and record["benchmark"] == ALL
    ]
    codes = {o.unit[0].doc["code"] for o in mine}
    tags = {code: measures.constructs for code in codes if (measures := measure(code)) is not None}
    there = {construct for of_program in tags.values() for construct in of_program}
    assert {record["construct"] for record in records} == there
    assert len(records) == len(there) > 4
    for record in records:
        scores = [o.score for o in mine if record["construct"] in tags[o.unit[0].doc["code"]]]
        assert (record["n"], record["score"]) == (len(scores), pytest.approx(sum(scores) / len(scores)))


def test_type_and_value_match(tables: dict[str, Table]) -> None:
    records = [r for r in tables["output_types"].records() if r["benchmark"] == ALL]
    assert {r["type_match"] for r in records if r["model"] == "org/right"} == {1.0}
    assert {r["value_match"] for r in records if r["model"] == "org/right"} == {1.0}
    # The other model answers every function and method with a string.
    others = {r["type"]: r for r in records if r["model"] == "org/scripts"}
    assert others["List"]["value_match"] == 0
    assert others["List"]["type_match"] == 0
    assert others["String"]["type_match"] == 1
    assert sum(r["n"] for r in others.values()) == 24


def test_the_models_are_compared_on_the_problems_both_ran(tables: dict[str, Table], observations: list) -> None:
    (record,) = [r for r in tables["comparisons"].records() if r["benchmark"] == ALL]
    lost = sum(1 - o.score for o in observations if o.model == "org/scripts")
    assert record["difference"] == pytest.approx(lost / 24)
    assert record["p"] == pytest.approx(stats.binomtest(int(lost), int(lost)).pvalue)
    assert record["test"] == "McNemar"


def test_the_hardest_problems_come_first(tables: dict[str, Table]) -> None:
    scores = [r["score"] for r in tables["problems"].records()]
    assert scores == sorted(scores)
    assert scores[0] == 0.5


def test_tables_say_the_same_in_every_form(tables: dict[str, Table]) -> None:
    assert {"summary", "correlations", "constructs", "output_types", "comparisons", "problems"} <= set(tables)
    assert all(table.rows for table in tables.values())
    for table in tables.values():
        records = list(csv.DictReader(io.StringIO(table.to_csv())))
        assert records == [
            {name: "" if value is None else str(value) for name, value in record.items()} for record in table.records()
        ]
        assert json.loads(table.to_json())["rows"] == table.records()
        assert len(table.to_text().splitlines()) == len(table.rows) + 2


def test_how_readers_see_values() -> None:
    assert show(0.71512, "percent") == "71.5%"
    assert show(0.0000001, "p") == "<0.001"
    assert show(math.nan, "percent") == "\u2013"
    table = Table(
        "t", "T", "", [{"a": "x", "low": 0.5, "b": 1}, {"a": "y", "low": math.nan, "b": 2}], {"b": Column("B")}
    )
    assert table.columns == {"a": Column("A"), "low": Column("95% from", "percent"), "b": Column("B")}
    assert table.shown() == [["x", "50.0%", "1"], ["y", "\u2013", "2"]]
    assert table.where(lambda row: row["b"] > 1).rows == [table.rows[1]]
    assert table.without("a", "low").rows == [{"b": 1}, {"b": 2}]
    assert table.frame["low"].mean() == 0.5
    assert table.to_csv() == "a,low,b\nx,0.5,1\ny,,2\n"
    names = ["HumanEval_1", "HumanEval_10", "HumanEval_2", "HumanEval"]
    assert sorted(names, key=natural) == ["HumanEval", "HumanEval_1", "HumanEval_2", "HumanEval_10"]
