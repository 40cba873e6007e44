"""No program can open a file of the package, or a list, in any kind of installation; else no server starts."""

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lm_eval_codemind.sandbox import Job, Sandbox, StartFailed, isolation, lists, visible
from tests.sandbox.test_visible import BASE, ROOT, VERSION, conda_like, venv

PACKAGE = "lm_eval_codemind"
# Installed into the interpreter that is tried: finds the package as any program would, and opens all that it can.
PROGRAM = """
import os, sys, zipfile
def opened(places):
    found = []
    for place in [*sys.path, "/run/sandbox", "/usr/lib/python3", "/usr/local/lib", *places]:
        for folder, folders, names in os.walk(place) if os.path.isdir(place) else [(place, [], [""])]:
            for name in names:
                path = os.path.join(folder, name) if name else folder
                if "lm_eval_codemind" in path or "/run/sandbox" in path or path in places:
                    try:
                        os.close(os.open(path, os.O_RDONLY))
                    except OSError:
                        continue
                    found.append(path)
    return found
"""
DRIVER = """
import json, sys
from pathlib import Path
from lm_eval_codemind.sandbox import Job, Sandbox, isolation, lists
program, places, brought = json.loads(sys.argv[1])
# One file of lists is brought by another package, one by this one.
for path in (brought, f"{places[0]}/data/facts/suite_steps.xz"):
    lists.add(Path(path))
found = {}
for level in isolation.available():
    if level.name != "none":
        with Sandbox(workers=1, isolation=level.name, preload=()) as sandbox:
            outcome = sandbox.run([Job.evaluate(program, [f"opened({places!r})"])])[0]
            found[level.name] = [observation.literal for observation in outcome.observations] or outcome.to_dict()
print(json.dumps(found or isolation.available()[-1].reasons))
"""


@dataclass
class Installation:
    """How an interpreter is called that has the package, and all places where the package lies."""

    python: Path
    places: list[Path]
    environment: dict[str, str] = field(default_factory=dict)
    # What to mount where before: system directories can't be written to.
    mounts: dict[Path, Path] = field(default_factory=dict)


def put(directory: Path) -> Path:
    """Put what the sandbox needs of the package into a directory, and a file of each kind that the package has."""
    directory.mkdir(parents=True, exist_ok=True)
    package = directory / PACKAGE
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / PACKAGE / "sandbox", package / "sandbox", ignore=ignored)
    for name in ("__init__.py", "data/facts/suite_steps.xz", "data/facts/proofs/suites.json"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / PACKAGE / name, package / name)
    return package


def in_venv(place: Path) -> Installation:
    return Installation(place / "env/bin/python", [put(venv(place / "env"))])


def for_the_user(place: Path) -> Installation:
    package = put(place / "home/.local/lib" / VERSION / "site-packages")
    environment = {"HOME": str(place / "home"), "PYTHONUSERBASE": str(place / "home/.local")}
    return Installation(BASE, [package], environment)


def below_usr(place: Path) -> Installation:
    """As in the images of Python, or with the system's pip: where the interpreter itself installs."""
    asked = "import site; print(*[path for path in site.getsitepackages() if path.startswith('/usr/local')])"
    done = subprocess.run([BASE, "-I", "-c", asked], capture_output=True, text=True, check=True)
    packages = next((Path(path) for path in done.stdout.split() if Path(path).is_dir()), None)
    probe = ["unshare", "--mount", "mount", "--bind", place.parent, place.parent]
    if packages is None or subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("this interpreter has no directory below /usr/local, or nothing may be mounted")
    put(place / "packages")
    return Installation(BASE, [packages / PACKAGE], mounts={place / "packages": packages})


def with_conda(place: Path) -> Installation:
    python = conda_like(place).python
    asked = "import site; print(site.getsitepackages()[0])"
    packages = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=True).stdout.strip()
    return Installation(python, [put(Path(packages))])


def in_an_environment_and_below_it(place: Path) -> Installation:
    """A copy for the interpreter that an environment was made from, which shows its own library."""
    base = with_conda(place)
    return Installation(place / "env/bin/python", [put(venv(place / "env", base=base.python)), *base.places])


def editable(place: Path) -> Installation:
    package = put(place / "project")
    (venv(place / "env") / "project.pth").write_text(f"{place / 'project'}\n")
    return Installation(place / "env/bin/python", [package])


def by_links(place: Path) -> Installation:
    """As uv installs with ``--link-mode symlink``: each file is a link into its cache."""
    store = put(place / "store")
    package = venv(place / "env") / PACKAGE
    for path in store.rglob("*"):
        if path.is_file():
            link = package / path.relative_to(store)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)
    return Installation(place / "env/bin/python", [package, store])


KINDS = (
    editable,
    *(
        pytest.param(kind, marks=pytest.mark.proof)
        for kind in (in_venv, for_the_user, below_usr, by_links, with_conda, in_an_environment_and_below_it)
    ),
)  # fmt: skip


def opened(installation: Installation, brought: Path) -> dict[str, list[str]]:
    """Return, by level, what a program could open."""
    places = [str(place) for place in (*installation.places, brought)]
    command = [str(installation.python), "-c", DRIVER, json.dumps([PROGRAM, places, str(brought)])]
    if installation.mounts:
        binds = [f"mount --bind '{source}' '{target}'" for source, target in installation.mounts.items()]
        command = ["unshare", "--mount", "sh", "-c", f'{" && ".join(binds)} && exec "$@"', "sh", *command]
    binaries = os.pathsep.join(str(Path(path).parent) for path in isolation._bubblewraps())
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}
    environment = {**inherited, "PATH": f"{binaries}:{os.environ['PATH']}", **installation.environment}
    done = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("make", KINDS)
def test_no_program_opens_a_file_of_the_package_or_a_list(make: Callable[[Path], Installation], tmp_path):
    installation = make(tmp_path / "place")
    # A list that another package brings lies among the installed packages, too.
    brought = installation.places[0].parent / "other/lists.xz"
    target = next(iter(installation.mounts), brought.parent.parent) / "other/lists.xz"
    target.parent.mkdir()
    target.write_bytes(lists.pack({}))
    found = opened(installation, brought)
    assert found == {level.name: ["[]"] for level in isolation.available() if level.name != "none"}


def test_a_package_in_an_archive_starts_nothing(tmp_path):
    put(tmp_path / "files")
    with zipfile.ZipFile(tmp_path / "package.zip", "w") as archive:
        for path in (tmp_path / "files").rglob("*"):
            archive.write(path, path.relative_to(tmp_path / "files"))
    program = f"from {PACKAGE}.sandbox import Sandbox; Sandbox()"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "package.zip"), "CODEMIND_SANDBOX": "auto"}
    done = subprocess.run([BASE, "-c", program], env=environment, cwd="/", capture_output=True, text=True)
    assert done.returncode == 1 and "lies in an archive" in done.stderr and "install the package" in done.stderr


def test_no_server_starts_if_a_program_could_open_a_hidden_file(level, monkeypatch):
    # Programs must read this one.
    monkeypatch.setattr(visible, "_samples", lambda path: {os.__file__})
    visible._view.cache_clear()
    try:
        with Sandbox(1, level) as sandbox, pytest.raises(StartFailed, match=f"could read {os.__file__}"):
            sandbox.run([Job.evaluate("", ["1"])])
    finally:
        visible._view.cache_clear()
