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
{hook}
import json
from lm_eval.tasks import TaskManager, _index
_index.TaskIndex.build = staticmethod(lambda paths, **options: indexed.extend(map(str, paths)) or dict())
for arguments in {calls!r}:
    indexed = []
    chosen = TaskManager(**arguments).include_path
    print(json.dumps([indexed, chosen]))
"""


def printed(*arguments: str, hook: str) -> str:
    """Return what Python prints, with the hook on or off."""
    environment = {**os.environ, "CODEMIND_STARTUP_HOOK": hook}
    return subprocess.check_output([sys.executable, *arguments], text=True, env=environment)


def indexed(*calls: dict[str, object], hook: str = "import lm_eval_codemind.startup") -> list[list[Any]]:
    """Return for each call of ``TaskManager`` the indexed directories and its attribute ``include_path``."""
    program = _PATHS.format(root=str(ROOT), hook=hook, calls=calls)
    return [json.loads(line) for line in printed("-c", program, hook="0").splitlines()]


def test_directories_that_the_harness_indexes_and_a_damaged_installation_spares_others():
    ours = str(task_directory())
    paths = ({}, {"include_path": "/mine"}, {"include_path": ["/mine", "/other"]}, {"include_path": [ours]})
    default, one, several, already, alone = indexed(*paths, {"include_path": "/mine", "include_defaults": False})
    own = default[0][0]
    assert own.endswith("lm_eval/tasks") and default == [[own, ours], None]
    assert one == [[own, ours, "/mine"], "/mine"]
    assert several == [[own, ours, "/mine", "/other"], ["/mine", "/other"]] and already == [[own, ours], [ours]]
    assert alone == [["/mine"], "/mine"]
    broken = (
        "import lm_eval_codemind.startup, lm_eval_codemind.harness.location as location\n"
        "def task_directories():\n    raise FileNotFoundError('gone')\n"
        "location.task_directories = task_directories"
    )
    ((directories, chosen),) = indexed({}, hook=broken)
    assert len(directories) == 1 and chosen is None


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
