from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lm_eval_codemind.cli import main
from tests.transforms.behaviour import observe

CODE = """def mean(values):
    total = 0
    for i in range(len(values)):
        total += values[i]
    return total / len(values)
"""
CALLS = ["mean([1, 2, 6])", "mean([])", "mean(None)"]


def run(tmp_path: Path, *arguments: str, code: str = CODE, tests: str | None = None) -> Result:
    (tmp_path / "mean.py").write_text(code, encoding="utf-8")
    if tests is not None:
        (tmp_path / "tests.py").write_text(tests, encoding="utf-8")
        arguments = (*arguments, "--tests", str(tmp_path / "tests.py"))
    return CliRunner().invoke(main, ["transform", str(tmp_path / "mean.py"), *arguments])


def test_the_program_does_what_it_did(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) > 20
    assert observe(result.stdout, CALLS) == observe(CODE, CALLS)
    assert "not executed" in result.stderr


def test_same_seed_same_bytes_and_another_seed_another_program(tmp_path: Path) -> None:
    first, again, other = (run(tmp_path, "--seed", seed).stdout for seed in ("1", "1", "2"))
    assert first == again
    assert first != other


def test_tests_run_in_the_sandbox(tmp_path: Path) -> None:
    result = run(tmp_path, tests="assert mean([1, 2, 6]) == 3\n")
    assert result.exit_code == 0, result.output
    assert "all tests pass" in result.stderr


def test_a_program_that_fails_its_tests_is_an_error(tmp_path: Path) -> None:
    result = run(tmp_path, tests="assert mean([1, 2, 6]) == 4\n")
    assert result.exit_code == 1
    assert "mean.py: the program itself does not pass the tests" in result.stderr


def test_rules_and_groups_are_chosen_by_name(tmp_path: Path) -> None:
    only = run(tmp_path, "--rules", "base64").stdout
    assert only.count("base64.b64encode") == 1
    assert "scipy" not in only
    renamed = run(tmp_path, "--rules", "renaming", tests="assert mean([2]) == 2\n").stdout
    assert "total" not in renamed or "values" not in renamed


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--rules", "sleep"), CODE, "there is no rule or group 'sleep'"),
        ((), "def f(:\n", "mean.py: not a Python program"),
        (("--tests", __file__, "--script"), CODE, "leave out --script"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, arguments: tuple[str, ...], code: str, message: str) -> None:
    result = run(tmp_path, *arguments, code=code)
    assert result.exit_code != 0
    assert message in result.stderr
