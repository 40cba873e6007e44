"""The harness's own command line, with this suite's models and tasks known to it."""

import argparse
import io
import logging
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.harness import stages as stages_module
from lm_eval_codemind.harness.contract import (
    commit,
    dataset_arguments,
    dates_of_results,
    loaded_once,
    of_first_process,
    parsed_arguments,
    results_written,
    tasks_of,
)
from lm_eval_codemind.harness.location import task_directories, task_manager
from lm_eval_codemind.harness.preflight import check_run, names_of, resolved, results_directory
from lm_eval_codemind.harness.profiles import PROFILES
from lm_eval_codemind.harness.replies import requests
from lm_eval_codemind.harness.response_cache import own_cache, path_for_model
from lm_eval_codemind.harness.state import state

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Prepared:
    """The options and the tasks of a command line of ``lm_eval run``.

    Attributes:
        options: Its options. Their ``func`` runs the evaluation.
        config: The harness's ``EvaluatorConfig``.
        manager: A task manager of the harness that knows this suite's tasks, and those in ``--include_path``.
        first: The tasks, groups and tags of the first stage.
        later: Those about the responses to the first stage.
    """

    options: argparse.Namespace
    config: Any
    manager: Any
    first: list[str]
    later: list[str]


def prepare(arguments: Sequence[str], stack: ExitStack, manager: Any = None) -> Prepared:
    """Read the arguments of ``lm_eval run`` and find their tasks.

    If all tasks are in this suite or in ``--include_path``, the harness's own thousands of YAML files are not read,
    since that takes longer than scoring.

    Args:
        arguments: The arguments after ``run``. The tasks may be ``list``.
        stack: Ends what is changed in the harness.
        manager: A task manager to use, which may have loaded tasks, if it was made with the same metadata.

    Raises:
        UserError: If an option is unusable.
    """
    # Costs seconds, and `codemind --help` must not.
    from lm_eval import evaluator, tasks
    from lm_eval.config.evaluate_config import EvaluatorConfig
    from lm_eval.utils import setup_logging

    from lm_eval_codemind.harness.models import register

    setup_logging()
    register()
    task_logger = logging.getLogger("lm_eval.api.task")
    task_logger.addFilter(_is_news)
    stack.callback(task_logger.removeFilter, _is_news)
    try:
        options = parsed_arguments(arguments)
        # The harness does not know this option.
        profile = PROFILES.get(options.__dict__.pop("profile"))
        if profile is not None:
            options.gen_kwargs = {**profile.generation, **(options.gen_kwargs or {})}
        with redirect_stdout(io.StringIO()):
            config = EvaluatorConfig.from_cli(options)
    except (ValueError, FileNotFoundError, TypeError) as error:
        raise UserError(" ".join(str(error).split())) from error
    names = names_of(config.tasks)
    options.include_path = [*task_directories(), *([config.include_path] if config.include_path else [])]
    if manager is None or config.include_path or manager.metadata != config.metadata:
        manager = task_manager(config.metadata, config.include_path)
    only_ours = names == ["list"] or set(names) <= set(manager.all_tasks)
    if not only_ours:
        manager = task_manager(config.metadata, config.include_path, include_defaults=True)
    if names == ["list"]:
        return Prepared(options, config, manager, names, [])
    # A user who names the results of a first stage has run it.
    first, later = (names, []) if stages_module.PLACE in config.metadata else planned(manager, names)
    first = resolved(manager, first)
    include_path = str(Path(config.include_path).resolve()) if config.include_path else ""
    stack.enter_context(patch.multiple(state, checked=True, include_path=include_path, profile=profile))
    # It asks git, which complains outside of a repository.
    stack.enter_context(patch.object(evaluator, "get_git_commit_hash", commit))
    usual = tasks.TaskManager

    def known(include_path: Any = None, include_defaults: bool = True, metadata: Any = None) -> Any:
        # The harness asks for its own tasks as well; the second stage of a run has other metadata.
        if include_defaults and metadata == config.metadata:
            return manager
        return usual(include_path=include_path, include_defaults=include_defaults and not only_ours, metadata=metadata)

    stack.enter_context(patch.object(tasks, "TaskManager", known))
    return Prepared(options, config, manager, first, later)


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a record is not the hint at ``--metadata`` that the harness logs for each task with a dataset of code."""
    return "Custom kwargs can be passed" not in record.getMessage()


def run_harness(arguments: Sequence[str], manager: Any = None) -> None:
    """Do what ``lm_eval run ARGUMENTS`` does, with the models of this suite, and a task manager as for :func:`prepare`.

    Tasks that ask about the responses to another task run after it, with the same options. The model is loaded once;
    see :mod:`lm_eval_codemind.harness.stages`.
    """
    with ExitStack() as stack:
        run = prepare(arguments, stack, manager)
        if run.first == ["list"]:
            print(run.manager.list_all_tasks())
            return
        check_run(run.config, run.manager, run.first, run.later)
        if run.config.use_cache:
            stack.enter_context(own_cache())
            run.options.use_cache = path_for_model(run.config)
        requests.start()
        output = run.config.output_path
        with results_written(results_directory(output) if output else None):
            if run.later:
                stack.enter_context(loaded_once())
                _run_stages(run.options, (run.first, run.later), run.config.metadata, output)
            else:
                run.options.func(run.options)
        # What is said of failed requests comes after the table, also in a file.
        sys.stdout.flush()
        if line := requests.end(kept=bool(run.options.use_cache)):
            print(line)


def planned(manager: Any, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the tasks, groups and tags of the first stage, and those of the second stage, about its responses.

    Args:
        manager: A task manager of the harness that knows this suite's tasks.
        names: The requested tasks. Names that the manager does not know are run first, as they are.

    Returns:
        The tasks of the first stage, with those that the second stage needs, and the tasks of the second stage. A group
        of both kinds is taken apart.
    """
    first: list[str] = []
    second: list[str] = []
    first_stages: list[str] = []
    for name in resolved(manager, names):
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
        logger.info("first stage: %s", ", ".join(stages[0]))
        # The questions of the second stage are made of the samples of the first.
        with dates_of_results() as dates:
            _run(options, tasks=stages[0], output_path=place, log_samples=True)
        files = [file for date in dates for file in results_directory(place).rglob(f"*_{date}.json")]
        file = of_first_process(str(files[0].resolve()) if files else "")
        if not file:
            raise UserError(f"{place}: no results of the first stage there; check the free space and run again")
        logger.info("second stage: %s", ", ".join(stages[1]))
        _run(options, tasks=stages[1], metadata={**metadata, stages_module.PLACE: file})


def _run(options: argparse.Namespace, **changed: Any) -> None:
    again = argparse.Namespace(**{**vars(options), **changed})
    again.func(again)
