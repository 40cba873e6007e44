"""The harness's own command line, with this suite's models and tasks known to it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from unittest import mock

import click

from lm_eval_codemind.execution import HiddenPackages, IsolationUnavailable
from lm_eval_codemind.models import register
from lm_eval_codemind.sources import UpstreamError
from lm_eval_codemind.tasks.location import installed_tasks, task_directory


def run_harness(arguments: Sequence[str]) -> None:
    """Do what ``lm_eval run ARGUMENTS`` does.

    The models of this suite are registered first. Where its tasks are not installed inside the harness, as in an
    editable installation, their directory is searched in addition to any ``--include_path``. If all tasks asked for
    are found there, the harness's own thousands of YAML files are not read, which takes longer than scoring.

    Raises:
        click.ClickException: what the user can mend: no network to fetch data, no isolation for programs, or packages
            that they cannot import. The message is all there is to read; where it arose says nothing more.
    """
    try:
        _run(arguments)
    except (UpstreamError, IsolationUnavailable, HiddenPackages) as error:
        raise click.ClickException(str(error)) from error


def _run(arguments: Sequence[str]) -> None:
    # Costs seconds, and `codemind --help` must not.
    from lm_eval import tasks
    from lm_eval._cli import HarnessCLI
    from lm_eval.config.evaluate_config import EvaluatorConfig
    from lm_eval.utils import setup_logging

    setup_logging()
    register()
    cli = HarnessCLI()
    with mock.patch.object(sys, "argv", ["lm_eval", "run", *arguments]):
        options = cli.parse_args()
    file = EvaluatorConfig.load_yaml_config(options.config) if options.config else {}
    chosen = options.include_path or file.get("include_path")
    names = options.tasks or file.get("tasks") or []
    paths = [str(task_directory()), *([chosen] if chosen else [])]
    known = tasks.TaskManager(include_path=paths, include_defaults=False)
    if set(names.split(",") if isinstance(names, str) else names) <= set(known.all_tasks):
        options.include_path = paths
        with mock.patch.object(tasks, "TaskManager", partial(tasks.TaskManager, include_defaults=False)):
            cli.execute(options)
        return
    if installed_tasks() is None:
        options.include_path = paths
    cli.execute(options)
