"""The commands of docs/own_code.md run, on a package from PyPI, and so does its second example."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lm_eval_codemind.data.own import load_own
from tests.cli import said

PAGE = (Path(__file__).parents[2] / "docs" / "own_code.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^<!-- ([\w ]+) -->\n```\w+\n(.+?)^```$", PAGE, re.DOTALL | re.MULTILINE))
FIVE = EXAMPLES["five commands"].splitlines()
ORACLE = ["--model", "codemind-oracle"]


def without_model(command: str) -> list[str]:
    """Return the arguments of a command with the oracle in place of a model."""
    return shlex.split(command.replace("--model hf --model_args pretrained=MODEL", " ".join(ORACLE)))[1:]


RUNTIME = "coverage_balanced|state_executed|path_executed|output"
HEADLINES = rf"\|(r_ier|r_input|loops|branches|trace|{RUNTIME}) *\|↑ +\| *([\d.]+)\|"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source of the page's package, as its second command gets it, with what its first one installs."""
    folder = tmp_path_factory.mktemp("humanize")
    wanted = [name for name in shlex.split(FIVE[0])[2:] if "codemind" not in name]
    pip = [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder / "installed"), *wanted]
    if subprocess.run(pip, check=False).returncode:
        pytest.skip("needs PyPI")
    download, _, unpack = FIVE[1].partition(" && ")
    subprocess.run([sys.executable, "-m", *shlex.split(download)], check=True, cwd=folder)
    subprocess.run(unpack.partition(" && ")[0], shell=True, check=True, cwd=folder)
    (source,) = folder.glob("humanize-*/")
    return source


@pytest.mark.proof
@pytest.mark.timeout(1200)
def test_five_commands(package, monkeypatch):
    assert len(FIVE) == 5
    monkeypatch.chdir(package)
    scripts = package.parent / "bin"
    scripts.mkdir()
    # The command `pytest` of the environment, whatever is first in the path.
    (scripts / "pytest").write_text(f'#!/bin/sh\nexec {sys.executable} -m pytest "$@"\n')
    (scripts / "pytest").chmod(0o755)
    monkeypatch.setenv("PATH", f"{scripts}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(package.parent / "installed"))
    captured = said(*without_model(FIVE[2]))
    assert "tests failed" not in captured
    problems = load_own(Path("mine")).problems
    functions = {problem.problem_id.partition("/")[0] for problem in problems}
    assert len(functions) >= 15 and len(problems) > 50
    shown = said(*without_model(FIVE[3]))
    assert f"The source of {len(functions)} functions goes into prompts" in shown
    assert "The prompts go to codemind-oracle" in shown
    null = said("run", "--model", "codemind-null", "--programs", "mine", "--tasks", "own", "--confirm_run_unsafe_code")
    for table, score in ((shown, "1"), (null, "0")):
        scores = re.findall(HEADLINES, table)
        assert {name for name, _ in scores} >= {"r_ier", "r_input", "trace", *RUNTIME.split("|")}
        assert {number for _, number in scores} == {score}
    assert "report.html: 1 run, " in said(*without_model(FIVE[4])) and Path("report.html").is_file()


@pytest.mark.proof
def test_one_function_in_a_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("digits.jsonl").write_text(EXAMPLES["one function"])
    (command,) = re.findall(r"^codemind run .*digits.*$", PAGE, re.MULTILINE)
    shown = said(*without_model(command))
    assert "from digits.jsonl (1)" in shown and "codemind_own_ier: 1 requests" in shown
    assert [problem.output for problem in load_own(Path("digits.jsonl")).problems] == ["21"]
