"""The check of docs/style.md refuses what its table names and accepts plain sentences."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def check(*files: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "utils/check_style.py", *files], capture_output=True, text=True, check=False
    )


def test_revised_text_follows_the_rules() -> None:
    run = check()
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize(
    "sentence",
    ["The mend of it.", "Tell whether it runs.", "A list is no tuple.", "What stands behind it.", "A file of its own."],
)
def test_refused(tmp_path: Path, sentence: str) -> None:
    page = tmp_path / "page.py"
    page.write_text(f'"""A module."""\n\n# {sentence}\n')
    run = check(page)
    assert run.returncode == 1
    assert f"{page}:3:" in run.stdout


@pytest.mark.parametrize("code", ["found = 1", "for given in (): pass", "def f(*, kept=()): pass", "(found := 1)"])
def test_participles_name_no_variables(tmp_path: Path, code: str) -> None:
    page = tmp_path / "page.py"
    page.write_text(f"{code}\nmatch = 'found'\n")
    run = check(page)
    assert run.returncode == 1
    assert run.stdout.count(f"{page}:") == 1 and f"{page}:1:" in run.stdout


@pytest.mark.parametrize(
    "sentence", ["There is no file.", "It is no longer supported.", "The log `beside` it.", "Whether it runs."]
)
def test_accepted(tmp_path: Path, sentence: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(sentence)
    assert check(page).returncode == 0
