"""What the host's interpreter imports, programs import: in real environments of each layout, at each level."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import pytest

from lm_eval_codemind.errors import HiddenPackages
from lm_eval_codemind.languages.python.importable import require_importable
from lm_eval_codemind.sandbox import Job, Sandbox, isolation, visible

ROOT = Path(__file__).resolve().parents[2]
VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
BASE = Path(getattr(sys, "_base_executable", sys.executable))
SITE = f"lib/{VERSION}/site-packages"

# Runs in the environment that is tried: imports on the host, then inside at each level, and tries to read there.
DRIVER = """
import importlib, json, sys
sys.path.append(sys.argv[1])
modules, secrets, names = json.loads(sys.argv[2])
for name in modules:
    importlib.import_module(name)
from lm_eval_codemind.sandbox import Job, Sandbox, isolation, lists
# An editable clone has metadata, and the module that its entry point names needs packages that these environments lack.
lists.entry_points = lambda group: ()
program = '''
import importlib, os
def imports(name):
    try: return importlib.import_module(name).ANSWER
    except ImportError as error: return str(error)
def reads(path):
    try: return not open(path).close()
    except OSError: return False
def lists(path):
    try: return os.listdir(path)
    except OSError: return []
'''
questions = {"imports": modules, "reads": secrets, "lists": names}
calls = [f"{question}({each!r})" for question, about in questions.items() for each in about]
found = {}
for level in isolation.available():
    if level.name != "none":
        with Sandbox(workers=1, isolation=level.name, preload=()) as sandbox:
            outcome = sandbox.run([Job.evaluate(program, calls)])[0]
            found[level.name] = [observation.literal for observation in outcome.observations] or outcome.to_dict()
print(json.dumps(found))
"""

# What setuptools puts into an environment for an editable install, in short.
FINDER = """
import sys
from importlib.util import spec_from_file_location
MAPPING = {{name: "{project}/" + name for name in ("tiny", "tiny_data")}}
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return spec_from_file_location(name, MAPPING[name] + "/__init__.py") if name in MAPPING else None
sys.meta_path.append(Finder)
"""


@dataclass
class Layout:
    """An environment: how its interpreter is called, and what it can and programs can't see."""

    python: Path
    modules: list[str] = field(default_factory=lambda: ["tiny"])
    secrets: list[Path] = field(default_factory=list)
    unlisted: list[Path] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    folder: Path | None = None
    # Where this package is imported from.
    root: Path = ROOT


def tiny(directory: Path, name: str = "tiny") -> Path:
    """Make a package that reads its own file when it is imported."""
    package = directory / name
    package.mkdir(parents=True)
    (package / "data.txt").write_text("42")
    (package / "__init__.py").write_text("ANSWER = int(open(__file__.replace('__init__.py', 'data.txt')).read())\n")
    return package


def secret(directory: Path) -> Path:
    path = directory / "secret.env"
    path.write_text("TOKEN=1")
    return path


def venv(directory: Path, *options: str, base: Path = BASE) -> Path:
    """Make an environment and return its directory for packages."""
    subprocess.run([base, "-m", "venv", "--without-pip", *options, directory], check=True)
    return directory / SITE


def below(place: Path) -> Layout:
    tiny(venv(place / "env"))
    return Layout(place / "env/bin/python", secrets=[secret(place)], unlisted=[place])


def symlinked(place: Path) -> Layout:
    tiny(venv(place / "real/env"))
    (place / "link").symlink_to("real")
    return Layout(place / "link/env/bin/python", secrets=[secret(place / "real")])


def system_site_packages(place: Path) -> Layout:
    conda_like(place)
    venv(place / "env", "--system-site-packages", base=place / "conda/bin/python")
    return Layout(place / "env/bin/python")


def conda_like(place: Path) -> Layout:
    """An interpreter and its library in a separate prefix, without ``pyvenv.cfg``."""
    conda = place / "conda"
    (conda / "bin").mkdir(parents=True)
    (conda / "conda-meta").mkdir()
    real = BASE.resolve()
    shutil.copy2(real, conda / "bin" / VERSION)
    (conda / "bin/python").symlink_to(VERSION)
    ignored = shutil.ignore_patterns("test", "site-packages", "dist-packages", "__pycache__", "idlelib", "config-*")
    shutil.copytree(sysconfig.get_path("stdlib"), conda / "lib" / VERSION, ignore=ignored)
    for shared in (real.parent.parent / "lib").glob("libpython*"):
        shutil.copy2(shared, conda / "lib")
    # Debian's has other names for it than the rest of the world.
    asked = "import site; print(site.getsitepackages()[0])"
    packages = subprocess.run([conda / "bin/python", "-c", asked], capture_output=True, text=True, check=True).stdout
    tiny(Path(packages.strip()))
    return Layout(conda / "bin/python", secrets=[secret(conda)])


def user_site(place: Path) -> Layout:
    tiny(place / "home/.local" / SITE)
    environment = {"HOME": str(place / "home"), "PYTHONUSERBASE": str(place / "home/.local")}
    return Layout(BASE, environment=environment, secrets=[secret(place / "home"), secret(place / "home/.local")])


def python_path(place: Path) -> Layout:
    """Packages, a module and a namespace of packages in a directory that holds other things as well."""
    tiny(place / "libs")
    tiny(place / "libs/space", "inner")
    (place / "libs/single.py").write_text("ANSWER = 42")
    (place / "libs/data").mkdir()
    hidden = [secret(place / "libs"), secret(place / "libs/data")]
    venv(place / "env")
    environment = {"PYTHONPATH": str(place / "libs")}
    return Layout(place / "env/bin/python", ["tiny", "space.inner", "single"], hidden, [], environment)


def target(place: Path) -> Layout:
    """What ``pip install --target`` leaves: a package that brings modules along, and its record."""
    tiny(place / "target")
    tiny(place / "target/tiny.libs", "other")
    (place / "target/_tiny_impl.py").write_text("ANSWER = 42")
    info = place / "target/tiny-1.0.dist-info"
    info.mkdir()
    (info / "RECORD").write_text("tiny/__init__.py,,\n_tiny_impl.py,,\ntiny.libs/other/data.txt,,\n")
    venv(place / "env")
    hidden = [secret(place / "target")]
    return Layout(place / "env/bin/python", ["tiny", "_tiny_impl"], hidden, [], {"PYTHONPATH": str(place / "target")})


def path_file(place: Path) -> Layout:
    """An editable install of the older kind: a line of a ``.pth`` file names the project's source directory."""
    tiny(place / "project/src")
    packages = venv(place / "env")
    (packages / "project.pth").write_text(f"{place / 'project/src'}\n")
    return Layout(place / "env/bin/python", secrets=[secret(place / "project"), secret(place / "project/src")])


def editable(place: Path) -> Layout:
    """An editable install as setuptools makes it for a package in the project's root: by an import hook."""
    project = place / "project"
    tiny(project)
    (project / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "tiny"\nversion = "1.0"\n[tool.setuptools]\npackages = ["tiny", "tiny_data"]\n'
    )
    (project / "tiny_data").mkdir()
    (project / "tiny_data/__init__.py").write_text("ANSWER = 42")
    packages = venv(place / "env")
    # Since this version setuptools makes wheels by itself, which an editable install is one of.
    backend = importlib.util.find_spec("setuptools")
    version = tuple(int(part) for part in metadata.version("setuptools").split(".")[:2]) if backend else ()
    if backend is None or version < (70, 1) or shutil.which("uv") is None:
        (packages / "__editable___tiny_finder.py").write_text(FINDER.format(project=str(project)))
        (packages / "__editable__.tiny.pth").write_text("import __editable___tiny_finder\n")
        information = packages / "tiny-1.0.dist-info"
        information.mkdir()
        (information / "direct_url.json").write_text('{"dir_info": {"editable": true}}')
        (information / "top_level.txt").write_text("tiny\ntiny_data\n")
    else:
        command = ["uv", "pip", "install", "--quiet", "--offline", "--no-index", "--no-deps", "--no-build-isolation"]
        subprocess.run(
            [*command, "--python", place / "env/bin/python", "--editable", project],
            check=True,
            env={**os.environ, "PYTHONPATH": str(Path(backend.origin or "").parents[1])},
        )
    return Layout(place / "env/bin/python", ["tiny", "tiny_data"], secrets=[secret(project)], unlisted=[project])


def archive(place: Path) -> Layout:
    place.mkdir(parents=True)
    with zipfile.ZipFile(place / "libs.zip", "w") as file:
        file.writestr("zipped/__init__.py", "ANSWER = 42")
        file.writestr("inner/deeper.py", "ANSWER = 42")
    venv(place / "env")
    environment = {"PYTHONPATH": f"{place / 'libs.zip'}:{place / 'libs.zip' / 'inner'}"}
    return Layout(place / "env/bin/python", ["zipped", "deeper"], [secret(place)], [place], environment)


def uv_environment(place: Path) -> Layout:
    """An environment of uv's on an interpreter that lies behind links, as those that uv installs do."""
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if uv is None:
        pytest.skip("uv is not installed")
    conda_like(place / "store")
    (place / "store/cpython").symlink_to("conda")
    command = [uv, "venv", "--quiet", "--offline", "--no-project", "--python", place / "store/cpython/bin/python"]
    subprocess.run([*command, place / "env"], check=True)
    tiny(place / "env" / SITE)
    return Layout(place / "env/bin/python", secrets=[secret(place)])


def linked_packages(place: Path) -> Layout:
    """Packages whose files, or which themselves, are links to a store elsewhere."""
    packages = venv(place / "env")
    whole, files = tiny(place / "store/one", "whole"), tiny(place / "store/two", "files")
    (packages / "whole").symlink_to(whole)
    (packages / "files").mkdir()
    for path in files.iterdir():
        (packages / "files" / path.name).symlink_to(path)
    return Layout(place / "env/bin/python", ["whole", "files"], [secret(place / "store"), secret(place / "store/one")])


def projects_root(place: Path) -> Layout:
    """An environment that is a project's root."""
    tiny(venv(place / "project"))
    (place / "project/setup.cfg").write_text("[metadata]\nname = project\n")
    (place / "project/tests").mkdir()
    hidden = [secret(place / "project"), secret(place / "project/tests"), place / "project/setup.cfg"]
    return Layout(place / "project/bin/python", secrets=hidden, unlisted=[place / "project/tests"])


def current_directory(place: Path) -> Layout:
    """The current directory, which ``python -c`` and ``-m`` put first, is nobody's package."""
    tiny(venv(place / "env"))
    tiny(place / "here", "mine")
    hidden = [place / "here/mine/__init__.py"]
    return Layout(place / "env/bin/python", secrets=hidden, unlisted=[place / "here"], folder=place / "here")


def installed(place: Path) -> Layout:
    """This package, whose data holds answers, installed with the others."""
    packages = venv(place / "env")
    tiny(packages)
    copy = packages / "lm_eval_codemind"
    shutil.copytree(ROOT / "lm_eval_codemind", copy, ignore=shutil.ignore_patterns("__pycache__"))
    reader, programs = copy / "workshop/benchmarks/sample.py", copy / "data/benchmarks/sample_data"
    hidden = [copy / "__init__.py", reader, *programs.iterdir()]
    return Layout(place / "env/bin/python", secrets=hidden, root=packages)


LAYOUTS = (
    installed,
    *(
        pytest.param(layout, marks=pytest.mark.proof)
        for layout in (
            below, current_directory, symlinked, conda_like, system_site_packages, user_site, python_path, target,
            path_file, editable, archive, uv_environment, linked_packages, projects_root,
        )
    ),
)  # fmt: skip


def seen(layout: Layout) -> dict[str, list[object]]:
    """Return, by level, what the programs see that the interpreter of a layout runs."""
    here = (ROOT / "setup.cfg", Path(__file__), ROOT / "lm_eval_codemind/workshop/benchmarks/sample.py")
    secrets = [*layout.secrets, *here]
    assert all(path.exists() for path in secrets)
    unlisted = [*layout.unlisted, ROOT / "tests", Path.home()]
    arguments = json.dumps([layout.modules, [str(path) for path in secrets], [str(path) for path in unlisted]])
    binaries = os.pathsep.join(str(Path(path).parent) for path in isolation._bubblewraps())
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}
    done = subprocess.run(
        [layout.python, "-c", DRIVER, str(layout.root), arguments],
        env={**inherited, "PATH": f"{binaries}:{os.environ['PATH']}", **layout.environment},
        cwd=layout.folder or "/",
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("make", LAYOUTS, ids=lambda make: make.__name__)
def test_programs_import_what_the_host_imports_and_see_nothing_beside_it(make, tmp_path):
    check(make(tmp_path / "place"))


@pytest.mark.proof
@pytest.mark.parametrize("folder", [Path("/dev/shm"), Path.home()], ids=["mount", "home"])
def test_environments_on_a_mount_of_their_own_and_below_the_home(folder):
    if not os.access(folder, os.W_OK):
        pytest.skip(f"{folder} can't be written to")
    with tempfile.TemporaryDirectory(prefix="codemind test ü ", dir=folder) as place:
        check(below(Path(place)))


def check(layout: Layout) -> None:
    levels = seen(layout)
    assert set(levels) == {level.name for level in isolation.available()} - {"none"}
    for level, values in levels.items():
        answers, rest = values[: len(layout.modules)], values[len(layout.modules) :]
        assert answers == ["42"] * len(layout.modules), level
        hidden = len(layout.secrets) + 3
        assert rest[:hidden] == ["False"] * hidden, level
        for names in rest[hidden:]:
            assert "secret.env" not in str(names) and "conftest.py" not in str(names), level


GUARD = """
import os, sys
sys.path.append(sys.argv[1])
from lm_eval_codemind.languages.python import importable
for level in sys.argv[2:]:
    os.environ["CODEMIND_SANDBOX"] = level
    importable._checked.clear()
    importable.require_importable(["json", "os.path", "no_such_module"])
    try: importable.require_importable(["json", "tiny"])
    except importable.HiddenPackages as error: print(error)
    else: print(level, "all")
"""


def guard(place: Path, **variables: str) -> list[str]:
    """Return what the guard says of packages next to a script, which no layout names, at each level."""
    script = place / "script.py"
    script.write_text(GUARD)
    command = [sys.executable, script, ROOT, *(level.name for level in isolation.available() if level.name != "none")]
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.proof
def test_a_package_that_only_the_host_sees_stops_the_run_and_the_message_mends_it(tmp_path):
    package = tiny(tmp_path)
    said = guard(tmp_path)
    assert len(said) == len(isolation.available()) - 1
    for line in said:
        assert f"tiny (ModuleNotFoundError: No module named 'tiny'; tiny lies in {package}/__init__.py)" in line
        assert "no_such_module" not in line and "json" not in line and "CODEMIND_SANDBOX_READABLE=" in line
    fixed = guard(tmp_path, CODEMIND_SANDBOX_READABLE=str(tmp_path))
    assert [line.split()[-1] for line in fixed] == ["all"] * len(said)


def test_a_module_that_ends_the_process_inside_is_not_taken_for_importable(tmp_path, monkeypatch):
    for name, body in (("ending", "import os\nif os.environ['HOME'] != HOME:\n    os._exit(0)\n"), ("good", "")):
        (tmp_path / f"{name}.py").write_text(body.replace("HOME:", f"{os.environ['HOME']!r}:"))
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(HiddenPackages, match=r"import.*: ending \(") as told:
        require_importable(["good", "ending"])
    assert "good" not in str(told.value)


def test_readable_must_be_there(monkeypatch):
    monkeypatch.setenv("CODEMIND_SANDBOX_READABLE", "/no/such/directory")
    with pytest.raises(ValueError, match="CODEMIND_SANDBOX_READABLE names /no/such/directory"):
        visible.view()


def test_an_interpreter_that_was_started_by_a_relative_path_is_found(tmp_path, level):
    program = f"""
from lm_eval_codemind.sandbox import Job, Sandbox
with Sandbox(1, {level!r}) as sandbox: print(sandbox.run([Job.script('print(1)', [('', '1')])])[0].status)
"""
    (tmp_path / "environment").symlink_to(sys.prefix)
    (tmp_path / "folder").mkdir()
    command = ["../environment/bin/python", "-c", program]
    ended = subprocess.run(command, cwd=tmp_path / "folder", capture_output=True, text=True, timeout=120)
    assert ended.stdout == "passed\n", ended.stderr


def test_a_hidden_directory_is_hidden_where_all_around_it_is_shown(tmp_path, level, monkeypatch):
    (tmp_path / "data").mkdir()
    shown, hidden = secret(tmp_path), secret(tmp_path / "data")
    monkeypatch.setenv("CODEMIND_SANDBOX_READABLE", str(tmp_path))
    monkeypatch.setattr(visible, "_hidden", set(visible._hidden))
    visible.hide(hidden.parent)
    with Sandbox(workers=1, isolation=level) as sandbox:
        jobs = [Job.evaluate("", [f"open({str(path)!r}).read()"]) for path in (shown, hidden)]
        first, second = sandbox.run(jobs)
    assert first.observations[0].literal == "'TOKEN=1'"
    assert second.observations[0].exception_type in ("FileNotFoundError", "PermissionError")
