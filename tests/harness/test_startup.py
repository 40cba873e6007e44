"""The start-up hook, in a fresh process: the harness finds our tasks, and other paths are as the user chose."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from lm_eval_codemind.harness.location import task_directory

ROOT = Path(__file__).parents[2]

# Records the directories that the harness would index: it takes long to index its own thousands of files.
_PATHS = """
import sys
sys.path.insert(0, {root!r})
import lm_eval_codemind.startup
import json
from lm_eval.tasks import TaskManager, _index
_index.TaskIndex.build = staticmethod(lambda paths, **options: indexed.extend(map(str, paths)) or dict())
def show(arguments):
    indexed.clear()
    chosen = TaskManager(**arguments).include_path
    print(json.dumps([indexed, chosen]))
indexed = []
for arguments in {calls!r}:
    show(arguments)
"""
# The installation is damaged: there is no directory of tasks.
_DAMAGED = """
def task_directories():
    raise FileNotFoundError('gone')
sys.modules["lm_eval_codemind.harness.location"].task_directories = task_directories
show({})
"""


def printed(*arguments: str, hook: str) -> str:
    """Return what Python prints, with the hook on or off."""
    environment = {**os.environ, "CODEMIND_STARTUP_HOOK": hook}
    return subprocess.check_output([sys.executable, *arguments], text=True, env=environment)


def indexed(*calls: dict[str, object]) -> list[list[Any]]:
    """Return what each ``TaskManager`` indexes and its ``include_path``, at last in a damaged installation."""
    program = _PATHS.format(root=str(ROOT), calls=calls) + _DAMAGED
    return [json.loads(line) for line in printed("-c", program, hook="0").splitlines()]


def test_directories_that_the_harness_indexes_and_a_damaged_installation_spares_others():
    ours = str(task_directory())
    paths = ({}, {"include_path": "/mine"}, {"include_path": ["/mine", "/other"]}, {"include_path": [ours]})
    alone = {"include_path": "/mine", "include_defaults": False}
    default, one, several, already, without, damaged = indexed(*paths, alone)
    own = default[0][0]
    assert own.endswith("lm_eval/tasks") and default == [[own, ours], None]
    assert one == [[own, ours, "/mine"], "/mine"]
    assert several == [[own, ours, "/mine", "/other"], ["/mine", "/other"]] and already == [[own, ours], [ours]]
    assert without == [["/mine"], "/mine"] and damaged == [[own], None]


def test_the_hook_switches_off_and_imports_nothing_else():
    line = (ROOT / "lm_eval_codemind.pth").read_text()
    program = f"import os, sys; sys.path.insert(0, {str(ROOT)!r}); before = set(sys.modules); exec({line!r}); "
    program += "print(sorted(set(sys.modules) - before))"
    for value, imported in [("1", ["lm_eval_codemind", "lm_eval_codemind.startup"]), ("0", [])]:
        assert printed("-S", "-c", program, hook=value).strip() == str(imported)


def test_the_start_file_of_python_3_15_does_the_same():
    (entry,) = (ROOT / "lm_eval_codemind.start").read_text().splitlines()
    program = (
        f"import sys; from pkgutil import resolve_name; sys.path.insert(0, {str(ROOT)!r}); resolve_name({entry!r})(); "
    )
    program += "print(any(getattr(finder, '__name__', '') == 'TaskManagerFinder' for finder in sys.meta_path))"
    for value, waits in [("1", "True"), ("0", "False")]:
        assert printed("-S", "-c", program, hook=value).strip() == waits
