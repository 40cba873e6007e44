"""The harness's own command line, with this suite's models and tasks known to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from lm_eval_codemind.harness.contract import parsed_arguments, replaced
from lm_eval_codemind.harness.location import installed_tasks, task_directories


def run_harness(arguments: Sequence[str]) -> None:
    """Do what ``lm_eval run ARGUMENTS`` does.

    The models of this suite are registered first. Where its tasks are not installed inside the harness, as in an
    editable installation, their directory is searched in addition to any ``--include_path``. If all tasks asked for
    are found there, the harness's own thousands of YAML files are not read, which takes longer than scoring.
    """
    # Costs seconds, and `codemind --help` must not.
    from lm_eval import tasks
    from lm_eval.config.evaluate_config import EvaluatorConfig
    from lm_eval.utils import setup_logging

    from lm_eval_codemind.models import register

    setup_logging()
    register()
    options = parsed_arguments(arguments)
    file = EvaluatorConfig.load_yaml_config(options.config) if options.config else {}
    chosen = options.include_path or file.get("include_path")
    names = options.tasks or file.get("tasks") or []
    paths = [*task_directories(), *([chosen] if chosen else [])]
    known = tasks.TaskManager(include_path=paths, include_defaults=False)
    if set(names.split(",") if isinstance(names, str) else names) <= set(known.all_tasks):
        options.include_path = paths
        with replaced(tasks, "TaskManager", partial(tasks.TaskManager, include_defaults=False)):
            options.func(options)
        return
    # Where this suite's tasks are installed, the harness finds them by itself.
    options.include_path = paths if installed_tasks() is None else paths[1:] or None
    options.func(options)
