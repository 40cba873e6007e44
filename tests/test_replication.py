"""docs/replication has what the scripts print, and the studies' own rules give the results that they published."""

import importlib.util
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.data.catalogue import ARCHIVES, get_benchmark
from lm_eval_codemind.sandbox import Job, Limits, Outcome, ScriptCase, Status, shared_sandbox
from lm_eval_codemind.workshop.benchmarks.upstream import ArchivePart
from tests.docs.replication import FOLDER, undocumented
from tests.docs.replication import lines as documented_lines
from tests.docs.replication import read as read_table
from tests.run_files import read_rows

ROOT = Path(__file__).parents[1]
PAGE = documented_lines()
LIMITS = Limits(cpu_seconds=10, wall_seconds=10, memory_bytes=4 << 30)
# The inputs and outputs of Avatar's programs in Java, which the first study's translations ran on.
AVATAR = ArchivePart(
    ARCHIVES["CodeMind-v1"],
    "dataset/Intermediate/Translation/Avatar/Java/tests",
    ("*_in.txt", "*_out.txt"),
    "84059063d37f38e95dfa665aa3165fb9ae5416c79ab475a8f6dc249fdf9bcdbe",
)


def loaded(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "utils" / "compare" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, script)
    spec.loader.exec_module(script)
    return script


def test_the_first_studys_own_programs(shared_data, built, monkeypatch):
    report = loaded("der", monkeypatch).report(read_rows(shared_data / "recorded" / "v1_der_gpt-4.jsonl.gz"))
    assert undocumented("\n".join(report)) == []


def without_ends(text: str | None) -> str:
    """Return an answer or a label as the first study compares it."""
    text = re.sub(r"[ \r\n]", "", text or "").replace('"', "'")
    text = text[1:] if text[:1] in ("'", "`") else text
    return text[:-1] if text[-1:] in ("'", "`") else text


def test_the_first_studys_lists_of_solved_problems(shared_data, upstream):
    labels: dict[str, dict[str, str | None]] = {}
    for path in sorted((shared_data / "recorded").glob("v1_ier_*.jsonl.gz")):
        verdicts: dict[str, list[tuple[bool, bool]]] = {}
        for row in read_rows(path):
            name = row["benchmark"]
            if name not in labels:
                problems = get_benchmark(f"published_{name}").read(upstream)
                labels[name] = {problem.problem_id.removeprefix("MBPP_"): problem.output for problem in problems}
            ours = without_ends(row["published_prediction"]) == without_ends(labels[name][row["problem_id"]])
            verdicts.setdefault(name, []).append((bool(row["published_verdict"]), ours))
        assert len(verdicts) == 7
        for name, pairs in verdicts.items():
            solved, ours_solved = (sum(side) for side in zip(*pairs, strict=True))
            differ = sum(one != other for one, other in pairs)
            assert f"| {row['model']} | {name} | {len(pairs)} | {solved} | {ours_solved} | {differ} |" in PAGE


def test_specifications_by_the_first_studys_rule(shared_data):
    """It counts the code of the first fence, with one assertion behind it, that writes nothing to standard error."""
    runs: dict[tuple[str, str, str], Any] = {}
    for path in (shared_data / "recorded").glob("v1_sr_*.jsonl.gz"):
        for row in read_rows(path):
            test = row["assertion_" if row["setting"] == "misleading" else "assertion"]
            place = (row["model"], row["setting"], row["problem_name"])
            if row["benchmark"] != "humaneval" or not test or place in runs:
                continue
            code = (row["generated_code"] or "").rpartition("@@ Response")[2].partition("```python")[2]
            lines = code.partition("```")[0].split("\n")
            counted = [line for line in lines if not line.startswith(("assert", "#", "print"))]
            source = "\n".join(["from typing import *", *counted, test, ""]) if "```" in code else "assert False"
            runs[place] = shared_sandbox().submit(Job.script(source, [ScriptCase()], limits=LIMITS))
    right: Counter[tuple[str, str]] = Counter()
    for (model, setting, _), run in runs.items():
        outcome = run.result()
        ended = outcome.status is Status.PASSED or outcome.exception_type == "SystemExit"
        right[model, setting] += ended and not outcome.stderr.strip()
    assert len(right) == 5
    for (model, setting), count in right.items():
        pattern = rf"\| {model} \| HumanEval \| {setting.replace('_', ' ')} \| [\d.]+ \| {count} of 162: "
        assert re.search(pattern, PAGE), (model, setting, count)


def study_verdict(outcome: Outcome, expected: str) -> str:
    """Return what the first study says of a translation's run on one input."""
    if outcome.exception_type in ("SyntaxError", "IndentationError", "TabError"):
        return "compilation_error"
    if outcome.status is Status.TIMEOUT:
        return "timeout"
    if outcome.observations and outcome.observations[0].stdout.strip() == expected.strip():
        return "correct"
    silent = outcome.status in (Status.PASSED, Status.FAILED) or outcome.exception_type == "SystemExit"
    return "test_failed" if silent and not outcome.stderr.strip() else "runtime_error"


def test_translations_by_the_first_studys_rule(shared_data, upstream):
    texts = {name: content.decode().replace("\r\n", "\n") for name, content in upstream.files(AVATAR).items()}
    chosen = {"benchmark": "avatar", "target_language": "python", "setting": "no_test"}
    recorded = read_rows(shared_data / "recorded" / "v1_translation_gpt-4.jsonl.gz")
    rows = [row for row in recorded if chosen.items() <= row.items()]
    assert len(rows) == 86
    outcomes = shared_sandbox().run(
        Job.script(row["code"], [ScriptCase(texts[f"{row['problem_id']}_in.txt"])], limits=LIMITS) for row in rows
    )
    for row, outcome in zip(rows, outcomes, strict=True):
        verdict = study_verdict(outcome, texts[f"{row['problem_id']}_out.txt"])
        assert verdict == row["published_verdict"], row["problem_id"]


# An answer of CRUXEval's leaderboard site: the output depends on the order of a set.
OTHER_VERDICT = ("sample_664", 'f({"3", "4"})')


def test_verdicts_of_cruxevals_leaderboard_site(shared_data, built, monkeypatch):
    script = loaded("cruxeval", monkeypatch)
    files = {path: read_rows(path) for path in sorted((shared_data / "cruxeval_recordings").iterdir())}
    assert len(files) == 67
    table = {tuple(row[:4]): row for row in read_table("cruxeval_site")}
    # All 499,200 verdicts are in the table; here those of some problems are computed again.
    some = {path: rows[:: 8 if "_output" in path.name else 40] for path, rows in files.items()}
    known = script.judge_files(some)
    for path, rows in files.items():
        kind = "output" if "_output" in path.name else "input"
        cells, differing = script.table_row(path, some[path], known[kind])
        documented = table[tuple(cells[:4])]
        recorded = sum(sum(row["verdicts"]) / len(row["verdicts"]) for row in rows) / len(rows)
        assert documented[4] == f"{sum(len(row['answers']) for row in rows)}"
        assert documented[6] == f"{100 * recorded:.2f}", path.name
        assert all("{}: {!r}".format(*OTHER_VERDICT) in line for line in differing), differing
    assert sum(int(row[9]) for row in list(table.values())[1:]) == 10


# The files that the tables of the papers are made of.
OF_THE_PAPERS = ("ier_*", "v1_ier_*", "v1_sr_*", "re2_*")


def test_tables_and_figures_of_the_papers(shared_data, built, monkeypatch, tmp_path):
    recorded = shared_data / "recorded"
    chosen = tmp_path / "chosen"
    chosen.mkdir()
    for path in (path for pattern in OF_THE_PAPERS for path in recorded.glob(f"{pattern}.jsonl.gz")):
        (chosen / path.name).symlink_to(path.resolve())
    script = loaded("recorded", monkeypatch)
    script.main.callback(chosen, tmp_path / "results")
    assert "Not scored" not in (tmp_path / "results" / "results.md").read_text(encoding="utf-8")
    tables = loaded("papers", monkeypatch).tables(recorded, tmp_path / "results", FOLDER)
    assert len(tables) == 6
    for name, rows in tables.items():
        assert [list(row) for row in rows()] == read_table(name), name
