"""Every script for maintainers starts, and those that no other test runs give what is shipped."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

import baselines
import record_figures

ROOT = Path(__file__).parents[2]
TEXTS = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "utils").rglob("*.py"))}
SCRIPTS = [
    path for path, text in TEXTS.items() if "__main__" in text and ("import click" in text or "import argparse" in text)
]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.mark.proof
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_starts(script):
    help_text = run(script, "--help")
    if "No module named 'torch'" in help_text.stderr:
        pytest.skip("needs torch")
    assert help_text.returncode == 0 and "usage" in help_text.stdout.lower(), help_text.stderr


@pytest.mark.proof
@pytest.mark.parametrize("family", ["ier", "locate", "repair", "runtime", "sr", "together"])
def test_the_baselines_of_the_sample_are_those_that_are_shipped(family):
    tasks = baselines.FAMILIES[family]
    shipped = json.loads(baselines.file_of(tasks).read_text(encoding="utf-8"))[f"{tasks.prefixes[0]}_sample"]
    documents = baselines.documents_of(tasks, tasks.benchmarks["sample"])
    scores = baselines.scores(tasks, documents, family)
    assert shipped.keys() == scores.keys()
    for metric, (name, score) in shipped.items():
        assert scores[metric][name] == pytest.approx(score, abs=6e-4)


def test_the_sandbox_is_measured(built):
    options = ("--only", "humaneval", "--only", "java", "--rounds", 1, "--first", 2)
    measured = run(ROOT / "utils/bench/execution.py", *options)
    assert measured.returncode == 0 and measured.stdout.count("two at a time") == 2, measured.stderr


def test_ces_is_executed_again(shared_data):
    options = ("--upstream", shared_data / "upstream", "--python", sys.executable, "--check")
    check = run("-m", "utils.prove", "studies/traces/ces_traces.json", *options)
    assert check.returncode == 0, check.stdout + check.stderr


def test_two_records_of_figures_are_compared(tmp_path, capsys):
    for name, score in (("before", 0.5), ("same", 0.5), ("after", 0.25)):
        row = json.dumps(["aggregate", ["oracle", "task", "results"], {"score": score}])
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(row.encode() + b"\n"))
    before, same, after = (tmp_path / f"{name}.jsonl.gz" for name in ("before", "same", "after"))
    assert record_figures.compare(before, same) == 0
    assert record_figures.compare(before, after) == 1 and "score: 0.5 -> 0.25" in capsys.readouterr().out
