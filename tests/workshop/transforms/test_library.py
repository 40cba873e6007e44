"""The rules on real code: modules of the standard library must pass the standard library's tests afterwards."""

import ast
import importlib.util
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from lm_eval_codemind.languages.python.unparse import UnsupportedSyntaxError, unparse
from lm_eval_codemind.workshop.transforms.composer import RULES
from lm_eval_codemind.workshop.transforms.program import Program

LIBRARY = Path(sysconfig.get_path("stdlib"))
RUNNER = Path(__file__).parent / "library_runner.py"
# Modules written in Python, with tests that take a moment.
MODULES = [
    "_strptime", "bisect", "cgi", "cmd", "codeop", "colorsys", "configparser", "contextlib", "copy", "csv", "filecmp",
    "fileinput", "fnmatch", "fractions", "getopt", "gettext", "hmac", "ipaddress", "mimetypes", "netrc", "optparse",
    "plistlib", "pprint", "reprlib", "shlex", "string", "textwrap", "timeit", "uuid", "wave",
]  # fmt: skip
# How often one rule is applied to one module: some hundred rewritings by each rule in all.
MOST = 4
# What the calls of a rule need, to be imported before the modules are replaced.
IMPORTS = {
    "base64": "base64",
    "dateutil": "dateutil.parser",
    "fernet": "cryptography.fernet",
    "http_connection": "http.client",
    "numpy_builtin": "numpy",
    "shuffle": "sklearn.utils",
    "ttest_ind": "scipy.stats",
}

pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(importlib.util.find_spec("test.test_textwrap") is None, reason="Python comes without its tests"),
]


def present() -> list[str]:
    tests = {name: f"test.test_{name.lstrip('_')}" for name in MODULES if (LIBRARY / f"{name}.py").exists()}
    return [name for name, test in tests.items() if importlib.util.find_spec(test) is not None]


def transformed(code: str, rules: Iterable[str], most: int) -> tuple[str, int]:
    """Apply each of the rules at drawn sites, up to `most` times."""
    program, rng, applied = Program(code), Random(0), 0
    for name in rules:
        for _ in range(most):
            sites = RULES[name].sites(program)
            if not sites:
                break
            RULES[name].apply(program, sites[rng.randrange(len(sites))], rng)
            program.changed()
            applied += 1
    text = program.code
    assert ast.dump(ast.parse(text)) == ast.dump(program.tree)
    return text, applied


def run_tests(directory: Path, names: list[str], rules: Iterable[str] = ()) -> dict[str, Any]:
    imports = ",".join(IMPORTS[rule] for rule in rules if rule in IMPORTS)
    command = [sys.executable, "-W", "ignore", str(RUNNER), str(directory), imports, *names]
    # Tests of the standard library make directories of fixed names in the temporary directory.
    temporary = directory / "temporary"
    temporary.mkdir(exist_ok=True)
    environment = {**os.environ, "TMPDIR": str(temporary)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=directory, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def write(directory: Path, rules: Iterable[str], most: int) -> tuple[list[str], int]:
    """Write the modules, transformed by the rules, and return their names and how often a rule was applied."""
    names, applied = [], 0
    for name in present():
        code = (LIBRARY / f"{name}.py").read_text(encoding="utf-8")
        try:
            text, count = transformed(code, rules, most)
        except UnsupportedSyntaxError:
            text, count = code, 0
        (directory / f"{name}.py").write_text(text, encoding="utf-8")
        names.append(name)
        applied += count
    return names, applied


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What fails, on this machine, with the modules only parsed and written again."""
    directory = tmp_path_factory.mktemp("plain")
    names, _ = write(directory, [], 0)
    return run_tests(directory, names)


def test_there_are_500_functions():
    trees = [ast.parse((LIBRARY / f"{name}.py").read_bytes()) for name in present()]
    assert sum(isinstance(node, ast.FunctionDef) for tree in trees for node in ast.walk(tree)) >= 500
    assert all(unparse(tree) for tree in trees)


@pytest.mark.parametrize("rules", [*([name] for name in RULES), list(RULES)], ids=lambda rules: "+".join(rules[:2]))
def test_modules_pass_their_tests(rules, tmp_path, baseline):
    names, applied = write(tmp_path, rules, MOST if len(rules) == 1 else 2)
    result = run_tests(tmp_path, names, rules)
    new = {
        test: trace
        for test, trace in result["failed"].items()
        # `__all__` is compared with everything a module holds: new functions are not in it. Readline is tested in an
        # separate interpreter next to the modules, where libraries they call import them while they are being loaded.
        if test not in baseline["failed"] and not test.endswith(("test__all__", "test_all")) and "Readline" not in test
    }
    assert not new, "\n\n".join(f"{test}\n{trace}" for test, trace in new.items())
    assert result["ran"] == baseline["ran"]
    assert applied > 0 or rules == ["numpy_builtin"]
