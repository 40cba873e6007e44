"""The recipes of docs/extending.md: a benchmark, a family and a language that no other module knows by name."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lm_eval_codemind.plugins import loaded, registered
from tests.cli import refused, said
from tests.run_files import read_run

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
pytestmark = pytest.mark.proof


def forget() -> None:
    loaded.cache_clear()
    registered.cache_clear()


@contextmanager
def installed(folder: Path, points: str) -> Iterator[None]:
    """Install the modules of a directory as a package with these entry points."""
    metadata = folder / "my_package-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(points)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        forget()
        yield
    forget()
    for module in folder.glob("*.py"):
        sys.modules.pop(module.stem, None)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a directory with the page's files, installed as a package that names them in its entry points."""
    folder = tmp_path_factory.mktemp("package")
    blocks = re.compile(r"<!-- (\S+\.\w+) -->\n```\w+\n(.*?)```", re.DOTALL)
    for name, content in blocks.findall(PAGE.read_text(encoding="utf-8")):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    (folder / "sums_tasks.py").write_text(
        "from pathlib import Path\ndef directory():\n    return Path(__file__).parent / 'tasks'\n"
    )
    with installed(folder, ENTRY_POINTS):
        yield folder


@pytest.fixture(scope="module")
def results(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the results of scoring recorded answers: right about evenness, always yes about the sign."""
    folder = tmp_path_factory.mktemp("results")
    answers = {("sum", "even"): "no", ("difference", "even"): "Yes.", ("nested", "even"): "No, it is odd."}
    rows = [
        {"benchmark": "sums", "problem_id": problem, "item": item, "response": answers.get((problem, item), "yes")}
        for problem in ("sum", "difference", "nested")
        for item in ("even", "positive")
    ]
    recorded = folder / "responses.jsonl"
    recorded.write_text("".join(json.dumps({**row, "model": "mine"}) + "\n" for row in rows))
    arguments = ["--responses", str(recorded), "--tasks", TASK, "--output_path", str(folder / "out")]
    assert "r_parity" in said("score", *arguments)
    return folder / "out"


def test_the_harness_runs_it(package):
    # The harness's own program in a separate process: only an installed package tells it of these modules.
    arguments = ["--model", "dummy", "--tasks", TASK, "--include_path", str(package / "tasks")]
    environment = os.environ | {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [Path(sys.executable).with_name("lm_eval"), *arguments]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=550)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert TASK in ended.stdout and "r_parity" in ended.stdout


def test_the_oracle_gets_everything(package):
    oracle = said("run", "--model", "codemind-oracle", "--tasks", TASK)
    assert re.search(r"r_parity\s*\|↑\s*\|\s*1\|", oracle)


def test_each_question_is_scored_and_sealed_under_its_own_key(results):
    written, samples = read_run(results)
    assert written["results"][TASK]["r_parity,yes-or-no"] == pytest.approx(4 / 6)
    suite = written["configs"][TASK]["metadata"]["suite"]
    assert suite["family"] == "parity" and len(suite["responses"].split()) == 6
    scores = {(row["doc"]["problem_id"], row["doc"]["item"]): row["r_parity"] for row in samples[TASK]}
    assert [key for key, score in scores.items() if score == 0] == [("difference", "positive"), ("nested", "positive")]


def test_two_questions_of_a_problem_are_shown_and_reported(results, tmp_path):
    shown = said("show", results, "--all")
    assert "Hardest problems of Parity" in shown and "difference/positive" in shown
    said("report", results, "-o", tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_it_verifies_and_a_changed_answer_is_named_by_its_key(results):
    assert "equal" in said("verify", str(results))
    (samples,) = results.rglob("samples_*.jsonl")
    content = samples.read_text()
    samples.write_text(content.replace("No, it is odd", "Yes, it is odd"))
    assert "nested/even" in refused("verify", results)
    samples.write_text(content)
