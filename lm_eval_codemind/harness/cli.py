"""The harness's own command line, with this suite's models and tasks known to it."""

import argparse
import logging
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from lm_eval_codemind.errors import UserError, did_you_mean
from lm_eval_codemind.harness import stages as stages_module
from lm_eval_codemind.harness.contract import (
    dataset_arguments,
    loaded_once,
    parsed_arguments,
    results_written,
    tasks_of,
    wait_for_all,
)
from lm_eval_codemind.harness.location import task_directories
from lm_eval_codemind.harness.result_files import date_of

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

    def option(name: str) -> Any:
        return getattr(options, name) or file.get(name)

    requested = option("tasks") or []
    names = requested.split(",") if isinstance(requested, str) else list(requested)
    include_path, output = option("include_path"), option("output_path")
    paths = [*task_directories(), *([include_path] if include_path else [])]
    metadata = {**_mapping(file.get("metadata")), **_mapping(options.metadata)}
    manager = tasks.TaskManager(include_path=paths, include_defaults=False, metadata=metadata)
    _require_known(manager, names)
    _require_examples(manager, names, option("num_fewshot") or 0)
    # A user who names the results of a first stage has run it.
    first, second = (names, []) if stages_module.PLACE in metadata else planned(manager, names)
    options.include_path = paths
    with ExitStack() as stack:
        stack.enter_context(results_written(_directory(output) if output else None))
        if set(names) <= set(manager.all_tasks):
            stack.enter_context(patch.object(tasks, "TaskManager", partial(tasks.TaskManager, include_defaults=False)))
        if second:
            stack.enter_context(loaded_once())
            _run_stages(options, (first, second), metadata, output)
        else:
            options.func(options)


def _directory(output: str) -> Path:
    """Return the directory of the results: ``--output_path``, or its parent if it names a JSON file.

    A name that ends so is the stem of the files. Other runs may have files in the same directory.
    """
    return Path(output).parent if output.endswith(".json") else Path(output)


def _require_known(manager: Any, names: Sequence[str]) -> None:
    """Check that tasks named ``codemind…`` exist.

    Raises:
        UserError: If one does not. The message suggests similar names.
    """
    for name in names:
        if name.startswith("codemind") and not manager.match_tasks([name]) and not Path(name).exists():
            raise UserError(f"unknown task {name}{did_you_mean(name, manager.all_tasks)}")


def _require_examples(manager: Any, names: Sequence[str], num_fewshot: int) -> None:
    """Check that tasks have as many few-shot examples as the user asks for, before the model is loaded.

    Raises:
        UserError: If one has fewer. The message says how many it has.
    """
    if not num_fewshot:
        return
    ours = [name for name in manager.match_tasks(list(names)) if name.startswith("codemind")]
    for name, task in manager.load(ours)["tasks"].items() if ours else ():
        available = len(list(task.fewshot_docs()))
        if available < num_fewshot:
            raise UserError(f"{name} has {available} few-shot examples; use --num_fewshot {available} or fewer")


def planned(manager: Any, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the tasks, groups and tags of the first stage, and those of the second stage, about its responses.

    Args:
        manager: A task manager of the harness that knows this suite's tasks.
        names: The requested tasks. Names that the manager does not know are run first, as they are.

    Returns:
        The first ones, with the first stages that the others need, and the others. A group of both kinds is taken
        apart.
    """
    first: list[str] = []
    second: list[str] = []
    first_stages: list[str] = []
    for name in dict.fromkeys(name for pattern in names for name in (manager.match_tasks([pattern]) or [pattern])):
        stage_of = {task: dataset_arguments(manager, task).get(stages_module.TASK) for task in tasks_of(manager, name)}
        first_stages += [stage for stage in stage_of.values() if stage]
        if all(stage_of.values()):
            second.append(name)
        elif not any(stage_of.values()):
            first.append(name)
        else:
            first += [task for task, stage in stage_of.items() if not stage]
            second += [task for task, stage in stage_of.items() if stage]
    run_anyway = {task for name in first for task in tasks_of(manager, name)}
    return [*first, *dict.fromkeys(task for task in first_stages if task not in run_anyway)], second


def _run_stages(
    options: argparse.Namespace, stages: tuple[list[str], list[str]], metadata: Mapping[str, Any], output: str | None
) -> None:
    with ExitStack() as stack:
        place = output or stack.enter_context(tempfile.TemporaryDirectory(prefix="codemind-"))
        directory = _directory(place)
        before = set(directory.rglob("*.json"))
        wait_for_all()
        logger.info("first stage: %s", ", ".join(stages[0]))
        # The questions of the second stage are made of the samples of the first.
        _run(options, tasks=stages[0], output_path=place, log_samples=True)
        wait_for_all()
        files = [file for file in directory.rglob("*.json") if date_of(file) and file not in before]
        if len(files) != 1:
            raise SystemExit(
                f"{directory}: {len(files)} results files appeared there while the first stage ran, and must be one; "
                "give every run, and a run of several processes as a whole, a separate --output_path"
            )
        logger.info("second stage: %s", ", ".join(stages[1]))
        _run(options, tasks=stages[1], metadata={**metadata, stages_module.PLACE: str(files[0].resolve())})


def _run(options: argparse.Namespace, **changed: Any) -> None:
    again = argparse.Namespace(**{**vars(options), **changed})
    again.func(again)


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}
