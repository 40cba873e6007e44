"""``codemind data`` on upstream's archives and on what is not there."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from errata import FOLDER, LISTS, PAGE, filled, lists
from lm_eval_codemind.cli import main
from lm_eval_codemind.data.manifest import released_digests


def codemind(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return result.exit_code, result.output


@pytest.mark.upstream
def test_build_then_info(shared_data: Path, tmp_path: Path) -> None:
    code, output = codemind(
        "data", "build", "--benchmark", "mbpp", "--upstream", shared_data / "upstream", "--output_path", tmp_path
    )
    assert code == 0, output
    assert f"427 problems, sha256 {released_digests()['mbpp']}" in output
    code, output = codemind("data", "info", "--output_path", tmp_path)
    assert code == 0
    assert "mbpp: 427 problems (427 confirmed); as released" in output
    assert "Intelligent-CAT-Lab/CodeMind@d55bbc18be" in output
    assert "humaneval: not built (`codemind data build --benchmark humaneval`)" in output
    (tmp_path / "mbpp.jsonl").write_text("")
    assert (
        "mbpp: 427 problems (427 confirmed); damaged or outdated"
        in codemind("data", "info", "--output_path", tmp_path)[1]
    )


def test_errata_needs_built_data(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="not built: humaneval, cruxeval, classeval, avatar, "):
        lists(tmp_path)


@pytest.mark.upstream
def test_the_errata_are_the_generated_ones(built_data: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page, built_data) == page, "run utils/release/errata.py"
    written = {file.name: file.read_bytes().decode("utf-8") for file in FOLDER.iterdir()}
    assert written == lists(built_data), "run utils/release/errata.py"


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    code, output = codemind("data", "build", "--upstream", tmp_path / "nope", "--output_path", tmp_path)
    assert code == 1
    assert "nope: no such directory; --upstream wants one with upstream's checkouts or archives" in output
    assert "Traceback" not in output


def test_the_lists_of_the_errata_that_need_no_data_are_the_generated_ones() -> None:
    assert {file.name for file in FOLDER.iterdir()} == {*LISTS, "labels.csv", "cases.csv"}
    for name, make in LISTS.items():
        assert (FOLDER / name).read_bytes() == make().encode("utf-8")
