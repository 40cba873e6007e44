"""The wheel, in a fresh environment: what a user gets from pip."""

from __future__ import annotations

import shutil
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=550)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        with urllib.request.urlopen("https://pypi.org/simple/setuptools/", timeout=20):
            pass
    except (urllib.error.URLError, TimeoutError) as error:
        pytest.skip(f"PyPI cannot be reached: {error}")
    directory = tmp_path_factory.mktemp("wheel")
    source = directory / "source"
    # A copy, for setuptools builds beside the sources and would pick up what an earlier build left.
    left = shutil.ignore_patterns(".*", "__pycache__")
    source.mkdir()
    for name in ("lm_eval_codemind", "tasks"):
        shutil.copytree(ROOT / name, source / name, ignore=left)
    for name in ("pyproject.toml", "setup.cfg", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", directory, source, cwd=directory)
    (path,) = directory.glob("*.whl")
    return path


@pytest.mark.slow
def test_the_wheel_holds_every_file(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    for folder, prefix in [("lm_eval_codemind", "lm_eval_codemind"), ("tasks", "lm_eval/tasks/codemind")]:
        files = [path.relative_to(ROOT / folder) for path in (ROOT / folder).rglob("*") if path.is_file()]
        names = {f"{prefix}/{path.as_posix()}" for path in files if "__pycache__" not in path.parts}
        assert len(names) > 30
        assert names <= packed
    assert not any(name.startswith("tests/") for name in packed)


@pytest.mark.slow
def test_the_wheel_in_a_fresh_environment(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    programs = tmp_path / "venv" / "bin"
    run(programs / "pip", "install", "--quiet", wheel, cwd=tmp_path)

    listed = {
        line.split("|")[1].strip()
        for line in run(programs / "lm_eval", "ls", "tasks", cwd=tmp_path).splitlines()
        if "|" in line
    }
    names, tags = set(), set()
    for path in (ROOT / "tasks").rglob("*.yaml"):
        if not path.name.startswith("_"):
            names.add(path.stem)
            tags.update(yaml.load(path.read_text(), Loader=_Loader).get("tag", []))
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

    run(programs / "pip", "uninstall", "--quiet", "--yes", "lm-eval-codemind", cwd=tmp_path)
    assert not list(tmp_path.glob("venv/lib/*/site-packages/lm_eval/tasks/codemind/**/*.yaml"))


class _Loader(yaml.SafeLoader):
    """Reads the harness's YAML without resolving its functions."""


_Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))
