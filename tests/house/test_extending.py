"""The recipes of docs/extending.md: a benchmark, a family and a language that no other module knows by name."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
ENTRY_POINTS = """\
[lm_eval_codemind.benchmarks]
sums = sums:SUMS
[lm_eval_codemind.families]
parity = parity:PARITY
[lm_eval_codemind.languages]
rpn = rpn:RPN
[lm_eval_codemind.tasks]
sums = sums_tasks:directory
"""
TASK = "codemind_parity_sums"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the page's files, installed as a package that names them in its entry points."""
    folder = tmp_path_factory.mktemp("package")
    for name, content in re.findall(r"<!-- (\S+) -->\n```\w+\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(content, encoding="utf-8")
    (folder / "sums_tasks.py").write_text(
        "from pathlib import Path\ndef directory():\n    return Path(__file__).parent / 'tasks'\n"
    )
    metadata = folder / "my_package-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder


def call(package: Path, command: str, *arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    program = Path(sys.executable).with_name(command)
    done = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def results(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the results of scoring recorded answers: right about evenness, always yes about the sign."""
    folder = tmp_path_factory.mktemp("results")
    answers = {("sum", "even"): "no", ("difference", "even"): "Yes.", ("nested", "even"): "I say no"}
    rows = [
        {"benchmark": "sums", "problem_id": problem, "item": item, "response": answers.get((problem, item), "yes")}
        for problem in ("sum", "difference", "nested")
        for item in ("even", "positive")
    ]
    recorded = folder / "responses.jsonl"
    recorded.write_text("".join(json.dumps({**row, "model": "mine"}) + "\n" for row in rows))
    arguments = ["--responses", str(recorded), "--tasks", TASK, "--output_path", str(folder / "out")]
    assert "r_parity" in call(package, "codemind", "score", *arguments)
    return folder / "out"


def test_the_harness_runs_it(package: Path) -> None:
    printed = call(package, "lm_eval", "--model", "dummy", "--tasks", TASK, "--include_path", str(package / "tasks"))
    assert TASK in printed and "r_parity" in printed
    oracle = call(package, "codemind", "run", "--model", "codemind-oracle", "--tasks", TASK)
    assert re.search(r"r_parity\s*\|↑\s*\|\s*1\|", oracle)


def test_each_question_is_scored_and_sealed_under_its_own_key(results: Path) -> None:
    (path,) = results.rglob("results_*.json")
    written = json.loads(path.read_text())
    assert written["results"][TASK]["r_parity,yes-or-no"] == pytest.approx(4 / 6)
    suite = written["configs"][TASK]["metadata"]["suite"]
    assert suite["family"] == "parity" and len(suite["responses"].split()) == 6


def test_two_questions_of_a_problem_are_shown(package: Path, results: Path) -> None:
    shown = call(package, "codemind", "show", str(results))
    assert "Hardest problems of Parity" in shown
    assert "difference/positive" in shown


def test_the_report_holds_every_question(package: Path, results: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    call(package, "codemind", "report", str(results), "-o", str(page))
    assert page.stat().st_size > 10_000


def test_it_verifies_and_a_changed_answer_is_named_by_its_key(package: Path, results: Path) -> None:
    assert "equal" in call(package, "codemind", "verify", str(results))
    (samples,) = results.rglob("samples_*.jsonl")
    content = samples.read_text()
    samples.write_text(content.replace("I say no", "I say yes"))
    with pytest.raises(AssertionError, match="nested/even"):
        call(package, "codemind", "verify", str(results))
    samples.write_text(content)
