"""Where the YAML files of the tasks are."""

from importlib.metadata import entry_points
from pathlib import Path

import lm_eval_codemind
from lm_eval_codemind.errors import UserError


def task_directories() -> list[str]:
    """Return the directories with tasks: this suite's first, then those of other packages.

    Other packages name their directory with the entry points ``lm_eval_codemind.tasks``, either as a path or as a
    function without arguments that returns one.

    Raises:
        UserError: If this suite's directory is missing.
    """
    others = (point.load() for point in entry_points(group="lm_eval_codemind.tasks"))
    return [str(task_directory()), *(str(other() if callable(other) else other) for other in others)]


def task_directory() -> Path:
    """Return the directory of this suite's tasks: in the package, or in the clone if the installation is editable.

    Raises:
        UserError: If it is in neither place.
    """
    package = Path(lm_eval_codemind.__file__).parent
    for directory in (package / "tasks", package.with_name("tasks")):
        if (directory / "ier").is_dir():
            return directory
    raise UserError(f"no tasks at {package / 'tasks'}; run `pip install --force-reinstall lm-eval-codemind`")
