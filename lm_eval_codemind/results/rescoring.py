"""Scoring the responses of a run again, with the harness."""

import contextlib
import io
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from lm_eval_codemind.data.catalogue import benchmarks
from lm_eval_codemind.errors import UpstreamError, UserError
from lm_eval_codemind.families.views import view_of
from lm_eval_codemind.harness.cli import run_harness
from lm_eval_codemind.harness.journal import outcomes_kept
from lm_eval_codemind.harness.location import task_manager
from lm_eval_codemind.harness.provenance import INCLUDED, THINKING, templates_of
from lm_eval_codemind.harness.recordings import Recordings, read_recordings
from lm_eval_codemind.harness.stages import PLACE, first_stage_file, model_identity
from lm_eval_codemind.harness.state import state
from lm_eval_codemind.harness.templates import Templates
from lm_eval_codemind.results.runs import Run, read_runs
from lm_eval_codemind.samples import TaskRun


def replay(
    responses: Sequence[str],
    model_args: Mapping[str, Any],
    documents: Mapping[str, Sequence[int]],
    output: Path,
    metadata: Mapping[str, Any] | None = None,
    journal: Path | None = None,
    include_path: Path | None = None,
) -> None:
    """Score files of recorded responses with the harness, which writes its results and samples and prints nothing.

    ``documents`` has the indices of each task's documents; ``model_args`` are more arguments of the replaying model.
    Outcomes in the journal are known; without it every program is executed.
    """
    arguments = ["--model", "codemind-replay", "--model_args", json.dumps({**model_args, "responses": list(responses)})]
    # The harness wants a confirmation before programs run. Here they run in the sandbox.
    arguments += ["--tasks", ",".join(documents), "--samples", json.dumps(documents), "--confirm_run_unsafe_code"]
    arguments += ["--output_path", str(output), "--log_samples"]
    arguments += ["--metadata", json.dumps(metadata)] if metadata else []
    arguments += ["--include_path", str(include_path)] if include_path else []
    level = {"LMEVAL_LOG_LEVEL": os.environ.get("LMEVAL_LOG_LEVEL", "ERROR")}
    with contextlib.redirect_stdout(io.StringIO()), patch.dict(os.environ, level), outcomes_kept(journal):
        run_harness(arguments)


@contextmanager
def rescored(run: Run, prompts: Path | None = None, include_path: Path | None = None) -> Iterator[Run]:
    """Score the responses of a run again, and give the new run; its files are removed afterwards.

    The same tasks score the same documents, without a model, with the run's ``--metadata``. ``prompts`` is the
    directory of the user's templates, and ``include_path`` that of the user's tasks, if they have moved since.

    Raises:
        UserError: If the run has no samples, a task is unknown or has another version here, its templates are missing,
            or its data are missing and cannot be built.
    """
    include_path = include_path or _include_path(run)
    _require_same_versions(run, include_path)
    with tempfile.TemporaryDirectory(prefix="codemind-") as folder:
        _score_again(run, prompts, include_path, Path(folder))
        again = read_runs([Path(folder)])
        tasks = tuple(task for one in again for task in one.tasks)
        yield replace(again[0], label=run.label, model=run.model, tasks=tasks)


def _score_again(run: Run, prompts: Path | None, include_path: Path | None, folder: Path) -> None:
    """Score a run's responses into a folder: in one run of the harness, or one for each of its settings."""
    recordings: dict[str, Recordings] = {}
    places: dict[str, list[int]] = {}
    # Tasks with the same metadata are scored together.
    together: dict[str, list[TaskRun]] = defaultdict(list)
    for task in run.tasks:
        if task.samples_file is None or not task.samples_file.stat().st_size:
            continue
        recordings[task.task] = read_recordings([task.samples_file])
        recorded = recordings[task.task].questions.values()
        places[task.task] = sorted(one.place for one in recorded if one.place is not None)
        together[json.dumps(_metadata(task, run.path, prompts))].append(task)
    if not together:
        raise UserError(f"{run.path}: no samples next to it; only runs with --log_samples can be rescored")
    # Tasks about earlier responses of the model identify it by its arguments.
    model_args = {**model_identity(run.raw), "missing": "error", "mark": False}
    for number, (metadata, tasks) in enumerate(together.items()):
        files = [str(task.samples_file) for task in tasks]
        documents = {task.task: places[task.task] for task in tasks}
        try:
            with patch.object(state, "recorded", recordings.__getitem__):
                replay(
                    files, model_args, documents, folder / str(number), json.loads(metadata), include_path=include_path
                )
        except UpstreamError as error:
            raise UserError(f"{', '.join(documents)} cannot be scored again here: {error}") from error


def _include_path(run: Run) -> Path | None:
    """Return the directory of the user's tasks that the run records, where it is still there."""
    places = {str(task.suite[INCLUDED]) for task in run.tasks if task.suite.get(INCLUDED)}
    return next((Path(place) for place in places if Path(place).is_dir()), None)


def _require_same_versions(run: Run, include_path: Path | None) -> None:
    known = task_manager(include_path=include_path).task_index
    unknown = [task.task for task in run.tasks if task.task not in known]
    if unknown:
        raise UserError(
            f"{run.path}: {', '.join(unknown)}: no tasks of this suite; name the directory of their YAML files with "
            "--include_path DIR"
        )
    for task in run.tasks:
        there = task.version
        here = (known[task.task].cfg.get("metadata") or {}).get("version")
        if None not in (there, here) and there != here:
            raise UserError(
                f"{run.path}: {task.task} has version {there} in the run and version {here} here, and scores of "
                f"different versions are not comparable. Verify the run with a release whose {task.task} has version "
                f"{there}; it was made with lm-eval-codemind {task.suite.get('version', '(not recorded)')}"
            )


def _metadata(task: TaskRun, file: Path, prompts: Path | None) -> dict[str, Any]:
    view = view_of(task)
    metadata = dict(task.suite.get("options") or {})
    first = first_stage_file(task.suite, file)
    if first is not None:
        recorded = task.suite.get("first_stage") or {}
        metadata = {**(recorded.get("options") or {}), **metadata, PLACE: str(first)}
    metadata |= {THINKING: task.suite[THINKING]} if THINKING in task.suite else {}
    place, digest = templates_of(task.suite)
    if view is not None and place != "packaged":
        directory = prompts or Path(place)
        benchmark = benchmarks().get(task.benchmark)
        language = benchmark.language if benchmark is not None else ""
        try:
            here = Templates(view.family.templates, directory).digest(language)
        except ValueError as error:
            raise UserError(
                f"{task.task}: the run was made with prompts that are not at {directory}; name their directory with "
                "--prompts DIR"
            ) from error
        if here != digest:
            raise UserError(
                f"{task.task}: the prompts at {directory} are not those of the run (SHA-256 {here}, there {digest}); "
                "name the directory that holds them with --prompts DIR"
            )
        metadata["prompts"] = str(directory)
    return metadata
