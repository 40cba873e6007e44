"""The harness's own command line, with this suite's models and tasks known to it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from unittest import mock

from lm_eval_codemind.models import register
from lm_eval_codemind.tasks.location import installed_tasks, task_directory


def run_harness(arguments: Sequence[str]) -> None:
    """Do what ``lm_eval run ARGUMENTS`` does.

    The models of this suite are registered first. Where its tasks are not installed inside the harness, as in an
    editable installation, their directory is searched in addition to any ``--include_path``.
    """
    # Costs seconds, and `codemind --help` must not.
    from lm_eval._cli import HarnessCLI
    from lm_eval.config.evaluate_config import EvaluatorConfig
    from lm_eval.utils import setup_logging

    setup_logging()
    register()
    cli = HarnessCLI()
    with mock.patch.object(sys, "argv", ["lm_eval", "run", *arguments]):
        options = cli.parse_args()
    if installed_tasks() is None:
        chosen = options.include_path
        if not chosen and options.config:
            chosen = EvaluatorConfig.load_yaml_config(options.config).get("include_path")
        options.include_path = [str(task_directory()), *([chosen] if chosen else [])]
    cli.execute(options)
