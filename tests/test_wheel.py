"""The wheel, in a fresh environment: what a user gets from pip."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest
from lm_eval.tasks._yaml_loader import load_yaml

ROOT = Path(__file__).parents[1]


def run(*command: object, cwd: Path, seconds: int = 550) -> str:
    # Byte code is made when a module is first imported: of most packages few are.
    environment = {**os.environ, "PIP_COMPILE": "0", "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=seconds
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the sdist, the wheel built from it, and an environment ``tools`` to check them."""
    try:
        with urllib.request.urlopen("https://pypi.org/simple/setuptools/", timeout=20):
            pass
    except (urllib.error.URLError, TimeoutError) as error:
        pytest.skip(f"PyPI cannot be reached: {error}")
    directory = tmp_path_factory.mktemp("wheel")
    source = directory / "source"
    # A copy, since setuptools builds inside the sources and would pick up what an earlier build left.
    left = shutil.ignore_patterns("__pycache__", ".*_cache", ".git", ".venv", ".cache", ".hypothesis", "build", "dist")
    shutil.copytree(ROOT, source, ignore=left)
    run(sys.executable, "-m", "venv", directory / "tools", cwd=directory)
    run(directory / "tools/bin/pip", "install", "--quiet", "build", "check-wheel-contents", "twine", cwd=directory)
    run(directory / "tools/bin/python", "-m", "build", "--outdir", directory / "dist", source, cwd=directory)
    return directory


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (path,) = built.glob("dist/*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory for ``try_installations.sh``: the wheel, and an environment in which pip installed it."""
    directory = tmp_path_factory.mktemp("installed")
    (directory / "wheels").mkdir()
    shutil.copy(wheel, directory / "wheels")
    run(sys.executable, "-m", "venv", directory / "dependencies", cwd=directory)
    run(directory / "dependencies/bin/pip", "install", "--quiet", wheel, cwd=directory)
    return directory


def _files(folder: str) -> set[str]:
    paths = [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert len(paths) > 10
    return {path.relative_to(ROOT / folder).as_posix() for path in paths}


@pytest.mark.proof
def test_the_wheel_holds_every_file_and_no_other(wheel):
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    ours = {f"lm_eval_codemind/{name}" for name in _files("lm_eval_codemind")}
    tasks = {f"lm_eval_codemind/tasks/{name}" for name in _files("tasks")}
    assert packed == ours | tasks | {"lm_eval_codemind.pth", "lm_eval_codemind.start"}


@pytest.mark.proof
def test_links_of_the_page_on_pypi_are_absolute(wheel):
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    links = re.findall(r"\]\(([^)]*)\)", archive.read(name).decode())
    assert len(links) > 20 and all(link.startswith("https://") for link in links)


@pytest.mark.proof
def test_the_sdist_holds_documentation_and_tests(built):
    (path,) = built.glob("dist/*.tar.gz")
    with tarfile.open(path) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {f"{folder}/{name}" for folder in ("docs", "tests", "tasks", "utils") for name in _files(folder)}
    assert wanted <= packed
    assert {
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "Makefile",
        "lm_eval_codemind.pth",
        "lm_eval_codemind.start",
    } <= packed


@pytest.mark.proof
def test_the_files_are_fit_for_pypi(built, wheel):
    # The checker does not know that Python 3.15 reads `NAME.start` there, so it gets the list of what lies on top.
    options = ("--ignore", "W003,W009", "--toplevel", "lm_eval_codemind,lm_eval_codemind.start")
    assert "OK" in run(built / "tools/bin/check-wheel-contents", *options, wheel, cwd=built)
    run(built / "tools/bin/twine", "check", "--strict", *built.glob("dist/*"), cwd=built)


@pytest.mark.proof
def test_the_wheel_in_a_fresh_environment(installed, tmp_path):
    programs = installed / "dependencies/bin"
    listed = {
        line.split("|")[1].strip()
        for line in run(programs / "lm_eval", "ls", "tasks", cwd=tmp_path).splitlines()
        if "|" in line
    }
    names, tags = set(), set()
    for path in (ROOT / "tasks").rglob("*.yaml"):
        if not path.name.startswith("_"):
            names.add(path.stem)
            tags.update(load_yaml(path, resolve_func=False).get("tag", []))
    assert names | tags <= listed
    assert {name for name in listed if name.startswith("codemind")} == names | tags

    table = run(
        *(programs / "lm_eval", "--model", "dummy", "--tasks", "codemind_ier_sample", "--limit", 4), cwd=tmp_path
    )
    assert "|codemind_ier_sample|" in table and "r_ier" in table
    table = run(
        programs / "codemind", "run", "--model", "codemind-oracle", "--tasks", "codemind_ier_sample", cwd=tmp_path
    )
    assert "|codemind_ier_sample|" in table

    # What C+ imports is in an extra, and the message says in which.
    dsr = [programs / "codemind", "run", "--model", "codemind-oracle", "--tasks", "codemind_dsr_sample"]
    done = subprocess.run(
        [*dsr, "--confirm_run_unsafe_code"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0 and "pip install 'lm-eval-codemind[dsr]'" in done.stderr, done.stderr[-2000:]

    run(programs / "pip", "uninstall", "--quiet", "--yes", "lm-eval-codemind", cwd=tmp_path)
    assert not list(installed.glob("dependencies/lib/*/site-packages/*codemind*"))


@pytest.mark.proof
@pytest.mark.timeout(3600)
def test_every_kind_of_installation(installed):
    # After the test above, since this takes the harness out of the environment and keeps what it needs.
    log = run(ROOT / "utils/release/try_installations.sh", installed, cwd=installed, seconds=3000)
    assert log.count("ok: harness") == 4, log
