"""The harness's own command line, with this suite's models and tasks known to it."""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from lm_eval_codemind.harness import stages as stages_module
from lm_eval_codemind.harness.contract import (
    dataset_arguments,
    loaded_once,
    parsed_arguments,
    replaced,
    tasks_of,
    wait_for_all,
)
from lm_eval_codemind.harness.location import task_directories

logger = logging.getLogger(__name__)


def run_harness(arguments: Sequence[str]) -> None:
    """Do what ``lm_eval run ARGUMENTS`` does.

    The models of this suite are registered first. If all tasks are in this suite or in ``--include_path``, the
    harness's own thousands of YAML files are not read, since that takes longer than scoring.

    Tasks that ask about the responses to another task run after it, with the same options. The model is loaded once;
    see :mod:`lm_eval_codemind.harness.stages`.
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
    given = options.tasks or file.get("tasks") or []
    names = given.split(",") if isinstance(given, str) else list(given)
    paths = [*task_directories(), *([chosen] if chosen else [])]
    known = tasks.TaskManager(include_path=paths, include_defaults=False)
    metadata = {**_mapping(file.get("metadata")), **_mapping(options.metadata)}
    stages = planned(known, names) if stages_module.PLACE not in metadata else (names, [])
    with ExitStack() as stack:
        options.include_path = paths
        if set(names) <= set(known.all_tasks):
            stack.enter_context(replaced(tasks, "TaskManager", partial(tasks.TaskManager, include_defaults=False)))
        if stages[1]:
            stack.enter_context(loaded_once())
            _run_stages(options, stages, metadata, options.output_path or file.get("output_path"))
        else:
            options.func(options)


def planned(manager: Any, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return which tasks, groups and tags are run first, and which after them, about their responses.

    Args:
        manager: A task manager of the harness that knows this suite's tasks.
        names: What is asked for; names that the manager does not know are run first, as they are.

    Returns:
        The first ones, with what the others need added where it is not among them; and the others. A group of both
        kinds is taken apart.
    """
    first: list[str] = []
    second: list[str] = []
    needed: list[str] = []
    for name in dict.fromkeys(name for given in names for name in (manager.match_tasks([given]) or [given])):
        members = tasks_of(manager, name)
        before = {task: dataset_arguments(manager, task).get(stages_module.TASK) for task in members}
        needed += [stage for stage in before.values() if stage]
        if all(before.values()):
            second.append(name)
        elif not any(before.values()):
            first.append(name)
        else:
            first += [task for task, stage in before.items() if not stage]
            second += [task for task, stage in before.items() if stage]
    run = {task for name in first for task in tasks_of(manager, name)}
    return [*first, *dict.fromkeys(task for task in needed if task not in run)], second


def _run_stages(
    options: argparse.Namespace, stages: tuple[list[str], list[str]], metadata: Mapping[str, Any], output: str | None
) -> None:
    with ExitStack() as stack:
        place = output or stack.enter_context(tempfile.TemporaryDirectory(prefix="codemind-"))
        # A name that ends so is the stem of the files, beside which there may be others.
        directory = Path(place).parent if place.endswith(".json") else Path(place)
        before = stages_module.result_files(directory)
        wait_for_all()
        logger.info("first stage: %s", ", ".join(stages[0]))
        # The questions of the second stage are made of the samples of the first.
        _run(options, tasks=stages[0], output_path=place, log_samples=True)
        wait_for_all()
        made = stages_module.result_files(directory) - before
        if len(made) != 1:
            raise SystemExit(
                f"{directory}: {len(made)} results files appeared there while the first stage ran, and must be one; "
                "give every run, and a run of several processes as a whole, an --output_path of its own"
            )
        logger.info("second stage: %s", ", ".join(stages[1]))
        _run(options, tasks=stages[1], metadata={**metadata, stages_module.PLACE: str(made.pop())})


def _run(options: argparse.Namespace, **changed: Any) -> None:
    again = argparse.Namespace(**{**vars(options), **changed})
    again.func(again)


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}
