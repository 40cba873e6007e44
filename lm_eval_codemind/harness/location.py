"""Where the suite's YAML files lie."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import lm_eval

import lm_eval_codemind


def installed_tasks() -> Path | None:
    """Return the directory inside the harness that an ordinary installation puts the tasks into, if it is there."""
    directory = Path(lm_eval.__file__).parent / "tasks" / "codemind"
    return directory if directory.is_dir() else None


def task_directories() -> list[str]:
    """Return the directories that hold tasks: this suite's, and those that other packages bring.

    Another package names its own in the entry points ``lm_eval_codemind.tasks``, as a path or a function without
    arguments that returns one.

    Raises:
        FileNotFoundError: if this suite's are not installed.
    """
    brought = (point.load() for point in entry_points(group="lm_eval_codemind.tasks"))
    return [str(task_directory()), *(str(one() if callable(one) else one) for one in brought)]


def task_directory() -> Path:
    """Return the directory of the tasks: inside the harness, or in the source tree of an editable installation.

    Raises:
        FileNotFoundError: if they are in neither place.
    """
    source = Path(lm_eval_codemind.__file__).parents[1] / "tasks"
    directory = source if source.with_name("pyproject.toml").is_file() else installed_tasks()
    if directory is None:
        raise FileNotFoundError("the tasks of lm-eval-codemind are not installed; run `pip install lm-eval-codemind`")
    return directory
