"""The page on recorded models has the numbers of the tables of replication."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "replication" / "recorded.md").read_text(encoding="utf-8")
SUMMARY = (DOCS / "replication.md").read_text(encoding="utf-8")


def rows_of(name: str) -> Iterator[dict[str, str]]:
    with (DOCS / "replication" / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def test_cruxeval_by_both_rules():
    shown = re.findall(r"^\| (\S+) \| (direct|CoT) \| ([\d. |]+) \|$", PAGE, re.MULTILINE)
    settings: dict[tuple[str, str], dict[str, list[str]]] = {}
    for row in rows_of("cruxeval_site.csv"):
        if row["temperature"] == "0.2":
            scores = [f"{float(row[rule]):.1f}" for rule in ("pass@1_upstream", "pass@1")]
            settings.setdefault((row["model"], row["form"]), {})[row["question"]] = scores
    both = {name: [*scores["output"], *scores["input"]] for name, scores in settings.items() if len(scores) == 2}
    assert {(model, form): numbers.split(" | ") for model, form, numbers in shown} == both
    assert len(shown) == len(both) and f"{len({model for model, _ in both})} models by both rules" in PAGE
    by_value = [float(numbers.split(" | ")[1]) for _, _, numbers in shown]
    assert by_value == sorted(by_value, reverse=True)


def test_who_wins_on_the_branches_of_re2_bench():
    rows = {row["model"]: row for row in rows_of("re2_scores.csv") if row["benchmark"] == "branch"}
    for column, sentence in (("its rules", "By its own rules"), ("proven labels", "On proven labels")):
        (text,) = (line for line in PAGE.splitlines() if line.startswith(sentence))
        scores = {model: float(row[column].split()[0]) for model, row in rows.items()}
        ranked = sorted(scores, key=lambda model: -scores[model])
        found = re.findall(r"([\w.-]+) (?:is first )?with ([\d.]+) %", text)
        assert found == [(model, f"{scores[model] + 1e-9:.1f}") for model in ranked]
        error = float(rows[ranked[0]][column].split("(")[1].rstrip(")"))
        assert scores[ranked[0]] - scores[ranked[1]] < error
    difficult = [rows[m]["proven labels, difficult"].split()[0] for m in ("deepseek-v3.2-reasoning", "gpt-5-mini")]
    assert "it has {} against {} %".format(*(f"{float(share):.1f}" for share in difficult)) in PAGE
    assert {(row["excluded"], row["recorded"]) for row in rows.values()} == {("44", "200")}
    assert "44 of the 200 questions" in PAGE


def shown(table: str) -> list[str]:
    """Return the numbers of the row of the summary that leads to a table of the papers, published ones first."""
    (row,) = (line for line in SUMMARY.splitlines() if f"(replication/papers_{table}.csv)" in line)
    _, _, published, here, *_ = row.split("|")
    return re.findall(r"[+-]?\d+\.\d+", published + here)


def selected(table: str, **where: str) -> list[dict[str, str]]:
    rows = [row for row in rows_of(f"papers_{table}.csv") if where.items() <= row.items()]
    assert rows
    return rows


def test_the_tables_of_the_papers_are_summed_up():
    benchmarks = ("humaneval", "cruxeval", "classeval", "avatar")
    cc = [selected("complexity", benchmark=name, measure="CC")[0] for name in benchmarks]
    assert shown("complexity") == [row[name] for name in ("mean, published", "mean") for row in cc]
    of_der = [row for row in selected("written", family="DER") if row["measure"] in ("LoC", "CC")]
    differences = {(row["measure"], row["benchmark"]): row["difference"].split()[0] for row in of_der}
    assert shown("written") == [differences[m, name] for m in ("LoC", "CC") for name in ("humaneval", "mbpp")]
    codenet = {row["model"]: row for row in selected("languages", benchmark="codenet")}
    assert shown("languages") == [
        codenet[model][f"{column}{end}"]
        for end in (", published", "")
        for model in ("gpt-4", "magicoder")
        for column in ("Python", "Java", "p")
    ]
    of_table = {(row["first"], row["second"]): row["rho, published"] for row in rows_of("papers_orders.csv")}
    (cruxeval,) = selected("orders", study="CRUXEval")
    rhos = [of_table["IER", "SR, with test"], of_table["IER", "DER"], cruxeval["rho"]]
    assert shown("orders") == [rho.split()[0] for rho in rhos]
    (classeval,) = selected("lines", benchmark="classeval")
    assert shown("lines") == [classeval[name] for name in ("C, published", "C+, published", "C", "C+")]
    models = [row for row in rows_of("papers_reval.csv") if row["average, published"]]
    rounded = {row["model"] for row in models if near(row["average of the four"], row["average, published"])}
    (other,) = (row for row in models if row["model"] not in rounded)
    assert shown("reval") == [other["average of the four"], other["average, published"]]
    assert other["model"] in SUMMARY and f"{len(rounded)} averages are" in SUMMARY and len(models) == 16


def near(mean: str, printed: str) -> bool:
    """Whether a mean of rounded accuracies may have been printed so: both round by up to 0.05."""
    return abs(float(mean) - float(printed)) <= 0.1 + 1e-9
