"""``codemind score``: score recorded responses, without a model."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import click

from lm_eval_codemind.commands import require_tasks, value_errors
from lm_eval_codemind.errors import UserError

if TYPE_CHECKING:
    from lm_eval_codemind.harness.recordings import Recordings
    from lm_eval_codemind.questions import Key

logger = logging.getLogger(__name__)

# Outcomes are kept in this file until the scoring is complete.
_JOURNAL = ".codemind-outcomes.jsonl"


class _SeveralValues(click.Command):
    """A command whose options ``--responses`` and ``--tasks`` take several values, like those of the harness."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with the option repeated in front of each of its values."""
        spread: list[str] = []
        option: str | None = None
        for argument in args:
            if argument.startswith("-"):
                option = argument if argument in ("--responses", "--tasks") else None
            if argument != option:
                spread += [option, argument] if option else [argument]
        return super().parse_args(ctx, spread)


@click.command(cls=_SeveralValues, context_settings={"ignore_unknown_options": True})
@click.option(
    "--responses",
    required=True,
    multiple=True,
    metavar="FILE...",
    type=click.Path(exists=True, path_type=Path),
    help="JSON lines with benchmark, problem_id and response (or responses), a sample file of the harness or of "
    "EvalPlus, CRUXEval's generations or LiveCodeBench's outputs; gzip or not. Or a folder of CodeMind's authors.",
)
@click.option("--tasks", required=True, multiple=True, metavar="TASK...", help="Tasks or groups of this suite.")
@click.option("-o", "--output_path", metavar="DIR", help="Directory for the results and the samples.")
@click.argument("harness_arguments", nargs=-1, type=click.UNPROCESSED)
def command(
    responses: tuple[Path, ...],
    tasks: tuple[str, ...],
    output_path: str | None,
    harness_arguments: tuple[str, ...],
) -> None:
    """Score recorded responses, without a model. Only the problems that have a response are scored.

    With several responses to a problem the scores are means over them, and pass@k is reported as well.

    Prints the harness's table and, with --output_path, writes its result and sample files. Other arguments are passed
    to `lm_eval run`. A response is scored unchanged. With --output_path, an interrupted scoring continues where it
    stopped.
    """
    from lm_eval_codemind.harness.cli import run_harness
    from lm_eval_codemind.harness.contract import parsed_arguments
    from lm_eval_codemind.harness.journal import outcomes_kept
    from lm_eval_codemind.harness.location import task_manager
    from lm_eval_codemind.harness.recordings import read_recordings
    from lm_eval_codemind.harness.state import state

    names = [name for chosen in tasks for name in chosen.split(",")]
    options = {argument.partition("=")[0] for argument in harness_arguments}
    if not options.isdisjoint({"--model", "--model_args"}):
        raise click.UsageError(
            "codemind score asks no model: leave out --model and --model_args. Results are stored under the `model` of "
            "the rows, or else under the name of the file"
        )
    with value_errors():
        benchmark = benchmark_of(names)
        recordings = read_recordings(responses, benchmark)
        recordings.require_scorable()
        model_args: dict[str, Any] = {"responses": [str(path) for path in responses]}
        if benchmark is not None:
            model_args["recorded_benchmark"] = benchmark
        if recordings.extracted:
            model_args["extracted"] = recordings.extracted
        model_args["model"] = _model_name(recordings, responses)
        # What the harness makes of its options, so that it takes the tasks that are loaded here.
        manager = task_manager({**model_args, **(parsed_arguments(harness_arguments).metadata or {})})
        chosen, indices = recorded_documents(manager, names, recordings, responses)
    arguments = ["--model", "codemind-replay", "--model_args", json.dumps(model_args)]
    arguments += ["--tasks", ",".join(chosen), "--samples", json.dumps(indices)]
    arguments += ["--output_path", output_path, "--log_samples"] if output_path else []
    journal = outcomes_kept(Path(output_path) / _JOURNAL if output_path else None)
    with journal, patch.object(state, "recorded", lambda task: recordings):
        run_harness([*arguments, *harness_arguments], manager)


def _model_name(recordings: Recordings, paths: Sequence[Path]) -> str:
    """Return the name of the recorded model; the names of the files if the rows name no model or several."""
    if len(recordings.models) == 1:
        return next(iter(recordings.models))
    return "+".join(dict.fromkeys(re.sub(r"(\.jsonl?)?(\.gz)?$", "", path.name) for path in paths))


def benchmark_of(names: Sequence[str]) -> str | None:
    """Return the benchmark that tasks, groups or tags of this suite ask about; None if they ask about several."""
    from lm_eval_codemind.harness.contract import dataset_arguments, tasks_of
    from lm_eval_codemind.harness.location import task_manager

    manager = task_manager()
    tasks = {task for name in names for task in tasks_of(manager, name)}
    benchmarks = {str(dataset_arguments(manager, task).get("benchmark")) for task in tasks}
    return benchmarks.pop() if len(benchmarks) == 1 else None


def recorded_documents(
    manager: Any, names: Sequence[str], recordings: Recordings, files: Sequence[Path]
) -> tuple[list[str], dict[str, list[int]]]:
    """Return the tasks to run, and the documents that have a recorded response.

    A group stays a group if each of its tasks has a recorded problem. Otherwise its tasks with recorded problems are
    run one by one.

    Args:
        manager: A task manager of the harness. It keeps the tasks that are loaded.
        names: Tasks, groups or tags.
        recordings: The recorded responses.
        files: Where they are recorded.

    Returns:
        Names of tasks and groups, and task -> indices of its documents, in ascending order.

    Raises:
        UserError: If a task is unknown, or no response belongs to any of the tasks.
    """
    from lm_eval_codemind.harness.location import keep_tasks
    from lm_eval_codemind.harness.provenance import suite_of
    from lm_eval_codemind.harness.recordings import answers_another_question, without_texts
    from lm_eval_codemind.questions import Key

    require_tasks(manager, names)
    indices = {}
    asked = set[Key]()
    keep_tasks(manager)
    tasks = manager.load(list(names))["tasks"]
    for name, task in tasks.items():
        numbers, others, counts = list[int](), list[str](), set[int]()
        family = str((suite_of(task) or {}).get("family") or "")
        for index, document in enumerate(without_texts(task.eval_docs)):
            key = recordings.key_of(document)
            asked.add(key)
            recorded = recordings.questions.get(key)
            if recorded and answers_another_question(recorded.asked, document, family):
                others.append(document["problem_id"])
            elif recorded:
                numbers.append(index)
                counts.add(len(recorded.responses))
        if others:
            text = "%s: %d recorded responses are left out, because the task asks another question about %s"
            logger.warning(text, name, len(others), ", ".join(others))
        if len(counts) > 1:
            text = "%s: the problems have %d to %d responses; pass@k is reported up to k = %d"
            logger.warning(text, name, min(counts), max(counts), min(counts))
        if numbers:
            indices[name] = numbers
        else:
            logger.warning("%s: no recorded response belongs to one of its questions; the task is left out", name)
    if not indices:
        here, there = _examples(asked), _examples(recordings.questions)
        raise UserError(
            f"{', '.join(map(str, files))}: no response belongs to a problem of {', '.join(names)}. Its problems are "
            f"named like {here}, those of the responses like {there}; name the task that the responses answer, or "
            "correct their benchmark and problem_id"
        )
    responses = {key: len(recorded.responses) for key, recorded in recordings.questions.items()}
    unasked = [key for key in responses if key not in asked]
    if unasked:
        left_out, total = sum(responses[key] for key in unasked), sum(responses.values())
        shown = ", ".join(f"{key.benchmark}/{key.problem_id}" for key in unasked[:3]) + (", …" if unasked[3:] else "")
        text = "%d of %d responses belong to no question of %s: %s"
        logger.warning(text, left_out, total, ", ".join(names), shown)
    return list(names if len(indices) == len(tasks) else indices), indices


def _examples(keys: Iterable[Key]) -> str:
    return ", ".join(sorted({key.problem_id for key in keys})[:2])
