"""``codemind sandbox``: one program's outcome as JSON, and what is refused."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lm_eval_codemind.cli import main


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["sandbox", "run", *arguments])


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(
        "def add(a, b):\n    return a + b\nif __name__ == '__main__':\n    print(add(*map(int, input().split())))\n"
    )
    return str(path)


def test_a_function(program: str, tmp_path: Path) -> None:
    tests = tmp_path / "tests.py"
    tests.write_text("def check(candidate):\n    assert candidate(1, 2) == 3\n")
    result = run("--candidate", program, "--tests", str(tests), "--entry-point", "add")
    assert result.exit_code == 0, result.output
    outcome = json.loads(result.stdout)
    assert (outcome["status"], outcome["tests_run"], outcome["tamper_proof"]) == ("passed", 1, False)
    tests.write_text("assert add(1, 2) == 4\n")
    result = run("--candidate", program, "--tests", str(tests))
    assert result.exit_code == 1
    assert json.loads(result.stdout)["failed_test"] == "assert add(1, 2) == 4"


def test_test_classes(program: str, tmp_path: Path) -> None:
    tests = tmp_path / "tests.py"
    tests.write_text(
        "import unittest\nclass T(unittest.TestCase):\n    def test_add(self): self.assertEqual(add(1, 2), 3)\n"
        "    def test_other(self): self.assertEqual(add(1, 2), 4)\n"
    )
    assert run("--candidate", program, "--tests", str(tests), "--only", "T.test_add").exit_code == 0
    assert run("--candidate", program, "--tests", str(tests)).exit_code == 1


def test_a_script_and_expressions(program: str, tmp_path: Path) -> None:
    stdin, expected = tmp_path / "in", tmp_path / "out"
    stdin.write_text("20 22\n")
    expected.write_text("42\n")
    assert run("--candidate", program, "--stdin", str(stdin), "--stdout", str(expected)).exit_code == 0
    result = run("--candidate", program, "--expression", "add([1], [2])")
    assert json.loads(result.stdout)["observations"][0]["literal"] == "[1, 2]"


def test_what_is_refused(program: str, tmp_path: Path) -> None:
    result = run("--candidate", program, "--kind", "function")
    assert result.exit_code == 2
    assert "without tests would pass" in result.output
    binary = tmp_path / "binary.py"
    binary.write_bytes(b"\xff\xfe")
    result = run("--candidate", str(binary))
    assert (result.exit_code, "isn't UTF-8 text" in result.output) == (1, True)


def test_no_isolation_is_said_in_one_line(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEMIND_SANDBOX", "everything")
    result = run("--candidate", program)
    assert result.exit_code == 1
    assert "CODEMIND_SANDBOX is 'everything'" in result.output
