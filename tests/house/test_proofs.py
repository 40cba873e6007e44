"""A proof runs again when a file that it depends on has changed, and is stamped by a run that passes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.dependencies import PACKAGE, Project
from tests.selection import Proofs

ROOT = Path(__file__).parents[2]
PROJECT = {
    "setup.cfg": "[options.entry_points]\n",
    "pyproject.toml": "[build-system]\n[tool.pytest.ini_options]\n"
    'pythonpath = []\nmarkers = ["proof", "upstream", "engine"]\n',
    f"{PACKAGE}/__init__.py": "",
    f"{PACKAGE}/room/__init__.py": "",
    f"{PACKAGE}/room/values.py": f"def value():\n    from {PACKAGE} import below\n    return below.VALUE\n",
    f"{PACKAGE}/below.py": "VALUE = 1\n",
    f"{PACKAGE}/elsewhere.py": "VALUE = 2\n",
    "tests/__init__.py": "",
    "tests/conftest.py": 'pytest_plugins = ["tests.selection"]\n',
    "tests/test_a.py": f"import pytest\nfrom {PACKAGE}.room.values import value\n\n"
    "@pytest.mark.proof\ndef test_proof(): assert value() == 1\n\n"
    "@pytest.mark.proof\ndef test_other(): assert value() < 9\n\ndef test_fast(): assert False\n",
    ".ci/proofs.json": "{}",
}


@pytest.fixture
def project(tmp_path):
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for name in ("selection.py", "dependencies.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests")
    return tmp_path


def outcomes(project: Path, *options: str) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-pno:cacheprovider", *options]
    # The start-up hook would import the package that is installed.
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CODEMIND_STARTUP_HOOK": "0"}
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    return done.stdout.rstrip().rpartition("\n")[2].rpartition(" in ")[0]


def stamps(project: Path) -> dict[str, str]:
    return json.loads((project / ".ci/proofs.json").read_text())


def test_a_run_that_passes_stamps_a_proof_and_a_change_unstamps_it(project):
    assert outcomes(project, "--proofs=due") == "2 passed, 1 deselected"
    assert [(file, stamp["skipped"]) for file, stamp in stamps(project).items()] == [("tests/test_a.py", {})]
    (project / PACKAGE / "elsewhere.py").write_text("VALUE = 3\n")
    assert outcomes(project, "--proofs=due") == "3 deselected"
    (project / PACKAGE / "below.py").write_text("VALUE = 1 + 1\n")
    assert outcomes(project, "--proofs=due") == "1 failed, 1 passed, 1 deselected"
    assert stamps(project) == {}


def test_a_proof_that_was_skipped_stays_due(project, monkeypatch):
    needing = "\n@pytest.mark.proof\ndef test_tool(): __import__('os').environ.get('TOOL') or pytest.skip('no tool')\n"
    (project / "tests/test_a.py").write_text(PROJECT["tests/test_a.py"] + needing)
    assert outcomes(project, "--proofs=due") == "2 passed, 1 skipped, 1 deselected"
    assert stamps(project)["tests/test_a.py"]["skipped"] == {"test_tool": "no tool"}
    assert outcomes(project, "--proofs=due") == "1 skipped, 3 deselected"
    monkeypatch.setenv("TOOL", "1")
    assert outcomes(project, "--proofs=due") == "1 passed, 3 deselected"
    assert stamps(project)["tests/test_a.py"]["skipped"] == {}
    assert outcomes(project, "--proofs=due") == "4 deselected"


@pytest.mark.proof
def test_a_part_of_a_file_stamps_nothing(project):
    assert outcomes(project, "tests/test_a.py::test_proof") == "1 passed"
    for options in (["tests/test_a.py::test_proof"], ["-k", "test_proof"]):
        outcomes(project, "--proofs=all", *options)
    assert stamps(project) == {}


def test_a_file_that_is_broken_off_is_not_stamped(project):
    proofs = Proofs(SimpleNamespace(rootpath=project, getoption=lambda name: "due"))
    proofs.pytest_sessionstart()
    proofs.pytest_xdist_node_collection_finished(["tests/test_a.py::test_proof", "tests/test_a.py::test_other"])
    for name, files in (("test_proof", []), ("test_other", ["tests/test_a.py"])):
        proofs.outcomes["tests/test_a.py"][name] = ""
        proofs.pytest_sessionfinish(SimpleNamespace(exitstatus=0), pytest.ExitCode.OK)
        assert list(stamps(project)) == files


@pytest.fixture(scope="module")
def whole() -> Project:
    return Project(ROOT)


ATTACKS = [
    ("tests/sandbox/test_attacks.py", "lm_eval_codemind/sandbox/isolation.py", True),
    ("tests/sandbox/test_attacks.py", "lm_eval_codemind/data/facts/suites.py", True),  # an entry point
    ("tests/sandbox/test_attacks.py", "tests/sandbox/attacks.py", True),
    ("tests/sandbox/test_attacks.py", "lm_eval_codemind/results/report.py", False),
    ("tests/sandbox/test_attacks.py", "tests/answers/questions.py", False),
    # It starts processes.
    ("tests/harness/test_resuming.py", "setup.cfg", True),
    ("tests/harness/test_resuming.py", "CHANGELOG.md", False),
]
# These read the text of most modules.
OTHERS = [
    ("tests/answers/test_layouts.py", "lm_eval_codemind/answers/thinking.yaml", True),
    ("tests/answers/test_layouts.py", "tasks/ier/_ier.yaml", True),
    ("tests/answers/test_layouts.py", "lm_eval_codemind/families/ier/score.py", True),  # named by a YAML file
    ("tests/answers/test_layouts.py", "lm_eval_codemind/families/sr/templates/examples.yaml", True),
    ("tests/answers/test_layouts.py", "lm_eval_codemind/commands/show.py", False),
    ("tests/workshop/test_build.py", "lm_eval_codemind/studies/re2/data.py", True),  # its benchmark names it
    ("tests/docs/test_commands.py", "lm_eval_codemind/commands/show.py", True),  # found below a package
    ("tests/docs/test_commands.py", "README.md", True),
    ("tests/workshop/proof/test_bugs.py", "lm_eval_codemind/families/ier/task.py", False),
]


@pytest.mark.parametrize(
    "proof, file, depends", [*ATTACKS, *(pytest.param(*row, marks=pytest.mark.proof) for row in OTHERS)]
)
def test_what_a_proof_depends_on(monkeypatch, whole, proof, file, depends):
    assert (ROOT / file).is_file()
    before, unchanged = whole.digest(ROOT / proof), whole.hash
    monkeypatch.setattr(whole, "hash", lambda path: "changed" if path == ROOT / file else unchanged(path))
    assert (whole.digest(ROOT / proof) != before) is depends


def test_settings_of_linters_are_no_dependency(project):
    settings = project / "pyproject.toml"
    digests = []
    for text in ("", "[tool.ruff]\nline-length = 120\n", "timeout = 600\n"):
        settings.write_text(PROJECT["pyproject.toml"] + text)
        digests.append(Project(project).hash(settings))
    assert digests[0] == digests[1] != digests[2]


def test_a_commit_draws_a_tenth_of_what_stands():
    proofs = Proofs(SimpleNamespace(rootpath=ROOT, getoption=lambda name: "due"))
    names = [f"tests/test_{number}.py" for number in range(1000)]
    proofs.digests = dict.fromkeys(names, "0" * 16)
    proofs.stamps = {name: {"digest": "0" * 16, "skipped": {}} for name in names}
    drawn = {}
    for commit in ("a", "b"):
        proofs.commit = commit
        drawn[commit] = {name for name in names if proofs.due(name)}
        assert 70 < len(drawn[commit]) < 130
    assert drawn["a"] != drawn["b"]
