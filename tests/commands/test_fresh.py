"""``codemind fresh`` prints inputs for a program of one's own."""

from pathlib import Path

from click.testing import CliRunner

from lm_eval_codemind.cli import main
from tests.proof.test_fresh import LOOP, SCRIPT


def run(tmp_path: Path, code: str, *arguments: str) -> tuple[int, str]:
    path = tmp_path / "program.py"
    path.write_text(code)
    result = CliRunner().invoke(main, ["fresh", str(path), *arguments])
    return result.exit_code, result.output


def test_a_function(tmp_path: Path) -> None:
    status, output = run(tmp_path, LOOP.code, "--input", LOOP.input, "--count", "2")
    assert status == 0 and "['TREE', 'HOUSE']" in output
    assert output.count("    f([") == 3 and "fresh 2" in output and "given       12     29     17" in output


def test_a_script(tmp_path: Path) -> None:
    status, output = run(
        tmp_path, SCRIPT.code, "--script", "--input", "3\n4 10 7", "--example", "2\n1 2", "--count", "1"
    )
    assert status == 0 and "21 10" in output and "fresh 1" in output


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    for text, message in (("3 +", "is not a Python expression"), ("[1]", "is not a call"), ("f(1, 2)", "raises")):
        status, output = run(tmp_path, LOOP.code, "--input", text)
        assert status == 1 and message in output
