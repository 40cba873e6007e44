"""Each file that the package ships of executions has one row in the table of how it is made again."""

import os
import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from utils.prove.__main__ import PACKAGE, ROOT, SCRIPTS, TABLE, depending, files_of

FOLDERS = ("data/facts/**/*", "studies/*/facts/*", "studies/traces/*.json", "families/*/baselines.json")


def shipped() -> set[str]:
    package = ROOT / PACKAGE
    paths = {path for pattern in FOLDERS for path in package.glob(pattern) if path.suffix in (".json", ".gz", ".xz")}
    paths |= {
        package / "data/released_digests.json",
        package / "data/difficulties.json.gz",
        package / "studies/re2/baselines.json",
    }
    return {path.relative_to(package).as_posix() for path in paths}


def test_each_shipped_file_has_one_row_with_scripts_that_exist():
    files = [file for row in TABLE for file in files_of(row)]
    assert sorted(files) == sorted(shipped())
    for row in TABLE:
        assert files_of(row) and bool(row.by_hand) != bool(row.make)
        assert all((SCRIPTS / command.split()[0]).is_file() for command in row.make)
        assert all((ROOT / PACKAGE / place).exists() for place in row.code), row.code
    scripts = {command.split()[0].rpartition("/")[2] for row in TABLE for command in row.make}
    saving = {path.name for path in SCRIPTS.glob("*.py") if re.search(r"^ +save\(", path.read_text(), re.MULTILINE)}
    assert saving <= scripts


def test_rows_are_in_the_order_in_which_everything_is_made():
    before: set[str] = set()
    for row in TABLE:
        for file in files_of(row):
            for pattern in row.reads:
                wanted = pattern.format(benchmark=Path(file).name.partition(".")[0])
                assert {each for each in shipped() if fnmatch(each, wanted)} <= before, (file, wanted)
        before.update(files_of(row))


def test_what_must_be_made_again_when_something_changes():
    assert list(depending("data/facts/recipes/sample.json"))[:2] == [
        "data/facts/proofs/loop_lengths.json",
        "data/released_digests.json",
    ]
    of_tracer = list(depending("workshop/python/tracing.py"))
    assert "data/facts/executions/sample.json.gz" in of_tracer and "data/facts/proofs/avatar.json" not in of_tracer


@pytest.mark.proof
@pytest.mark.parametrize("file", ["data/facts/recipes/sample.json", "data/facts/fresh_inputs/sample.json.gz"])
def test_a_file_is_made_again_to_the_byte(file):
    command = [sys.executable, "-m", "utils.prove", file, "--check", "--upstream", "."]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ}, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0 and "the same" in done.stdout, done.stdout + done.stderr


def test_what_the_page_about_releases_names_exists():
    page = (ROOT / "RELEASING.md").read_text(encoding="utf-8")
    names = set(re.findall(r"`(?:python )?((?:utils|tests|lm_eval_codemind)/[\w./]+|[A-Z]+\.(?:md|cff))", page))
    names |= {f"utils/release/{name}" for name in re.findall(r"(?<![/\w])(\w+\.py)", page)}
    assert len(names) >= 9 and all((ROOT / name).is_file() for name in names), names
