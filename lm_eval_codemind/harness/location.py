"""Where the YAML files of the tasks are, and how the harness finds them there."""

import inspect
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any
from unittest.mock import patch

import lm_eval_codemind
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.plugins import loaded

logger = logging.getLogger(__name__)


def task_directories() -> list[str]:
    """Return the directories with tasks: this suite's first, then those of other packages.

    Other packages name their directory with the entry points ``lm_eval_codemind.tasks``, either as a path or as a
    function without arguments that returns one.

    Raises:
        UserError: If this suite's directory is missing.
    """
    return [str(task_directory()), *(str(other() if callable(other) else other) for other in loaded("tasks"))]


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


def task_manager(
    metadata: Mapping[str, Any] | None = None, include_path: str | Path | None = None, include_defaults: bool = False
) -> Any:
    """Return a ``TaskManager`` of the harness that knows this suite's tasks, and those in a directory of the user.

    Args:
        metadata: ``--metadata``, which goes to all tasks.
        include_path: ``--include_path``. Its tasks replace those of the same name.
        include_defaults: Whether it knows the harness's own tasks, too.
    """
    # Costs seconds, and `codemind --help` must not.
    from lm_eval.tasks import TaskManager

    paths = [*task_directories(), *([include_path] if include_path else [])]
    with our_files_once():
        return TaskManager(include_path=paths, include_defaults=include_defaults, metadata=dict(metadata or {}))


def keep_tasks(manager: Any) -> None:
    """Have a task manager build each task once, however often it is asked to load it.

    Relies on ``TaskFactory._build_task(entry, overrides)``. Where a group gives its tasks other settings, these are
    built as usual.
    """
    usual, built = manager._factory._build_task, dict[str, Any]()

    def build_task(entry: Any, overrides: Mapping[str, Any] | None) -> Any:
        if overrides and dict(overrides) != {"task": entry.name}:
            return usual(entry, overrides)
        if entry.name not in built:
            built[entry.name] = usual(entry, overrides)
        return built[entry.name]

    manager._factory._build_task = build_task


# Files of this suite as the harness has read them: path and whether functions are resolved -> content.
_known: dict[tuple[str, bool], dict[str, Any]] = {}


@contextmanager
def our_files_once() -> Iterator[None]:
    """Have the harness read each YAML file of this suite once in a process, however many indexes it makes for a while.

    Relies on ``lm_eval.tasks._yaml_loader.load_yaml``: ``TaskManager`` reads every file of its directories with it, and
    it calls itself for each file that another one includes. The functions in an index are not resolved, and nobody
    changes what an index holds. Files of others are read each time.
    """
    from lm_eval.tasks import _index, _yaml_loader

    usual, ours = _yaml_loader.load_yaml, f"{task_directory()}{os.sep}"

    @wraps(usual)
    def load_yaml(path: str | Path, **options: Any) -> dict[str, Any]:
        file = str(path)
        if not file.startswith(ours):
            return dict(usual(path, **options))
        key = file, options.get("resolve_func", True)
        if key not in _known:
            _known[key] = usual(path, **options)
        return dict(_known[key])

    with patch.object(_index, "load_yaml", load_yaml), patch.object(_yaml_loader, "load_yaml", load_yaml):
        yield


def include_our_tasks(manager: Any) -> None:
    """Extend the harness's ``TaskManager``: where it includes the harness's own tasks, it also includes ours.

    Relies on ``TaskManager(include_path=None, include_defaults=True)``: ``include_path`` is a path or a list of paths,
    and tasks from later paths replace earlier ones of the same name. Directories that the user names come last.
    Called by :mod:`lm_eval_codemind.startup`. The harness has no entry points for tasks up to 0.5.0.dev1.

    Args:
        manager: The class ``lm_eval.tasks.TaskManager``.
    """
    initialise = manager.__init__
    signature = inspect.signature(initialise)

    @wraps(initialise)
    def with_our_tasks(self: Any, *arguments: Any, **named: Any) -> None:
        call = signature.bind(self, *arguments, **named)
        call.apply_defaults()
        include_path = call.arguments["include_path"]
        if call.arguments["include_defaults"]:
            paths = [include_path] if isinstance(include_path, (str, Path)) else list(include_path or ())
            try:
                ours = task_directories()
            except Exception as error:
                # Other tasks must work even if our installation is damaged.
                logger.warning("the tasks of lm-eval-codemind are left out: %s", error)
                ours = []
            known = {Path(path).resolve() for path in paths}
            call.arguments["include_path"] = [path for path in ours if Path(path).resolve() not in known] + paths
        with our_files_once():
            initialise(*call.args, **call.kwargs)
        self.include_path = include_path

    manager.__init__ = with_our_tasks
