"""Which runs can be compared problem by problem."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.results.observations import distinct
from lm_eval_codemind.results.runs import Run, read_runs, require_scores
from lm_eval_codemind.results.settings import differences, failed_requests


def require_same_versions(runs: Iterable[Run]) -> None:
    """Check that runs have each task in one version only.

    Raises:
        UserError: If a task has several. The message names two of the files.
    """
    known: dict[str, tuple[object, Path]] = {}
    for run in runs:
        for task in run.tasks:
            version = task.version
            there, path = known.setdefault(task.task, (version, run.path))
            if version != there:
                raise UserError(
                    f"{task.task} has version {there} in {path} and version {version} in {run.path}, and scores of "
                    "different versions are not comparable; run one of them again, or leave one out"
                )


def comparable(first: Path, second: Path) -> tuple[list[Run], list[str]]:
    """Read the runs of two models, or of one model under two settings, and check that they can be compared.

    Returns:
        The runs, labelled by model, or by path if both are the same model; and the settings of each task that
        differ, with both values, and how many of its requests failed.

    Raises:
        UserError: If a path has runs of several models, several runs of one task, or no score; or if the runs have no
            task in common, or another version of it.
    """
    sides = [read_runs([path]) for path in (first, second)]
    for path, runs in zip((first, second), sides, strict=True):
        require_scores(runs)
        if len({run.label for run in runs}) > 1:
            listed = "".join(f"\n  {run.path}" for run in runs)
            raise UserError(f"{path}: it has several models or runs of a task; name one of these files:{listed}")
    models = [runs[0].model for runs in sides]
    labels = models if models[0] != models[1] else [str(first), str(second)]
    one, other = ({task.task: (run, task) for run in runs for task in run.tasks} for runs in sides)
    common = [name for name in one if name in other]
    if not common:
        raise UserError(f"{first} has {', '.join(one)}, {second} has {', '.join(other)}: no task in common")
    notes = []
    require_same_versions(run for runs in sides for run in runs)
    for name in common:
        notes += [f"{name}: {text}" for text in differences(one[name], other[name])]
        failed = [failed_requests([task]) for _, task in (one[name], other[name])]
        if any(failed):
            first_failed, second_failed = (text or "0" for text in failed)
            notes.append(f"{name}: failed requests, which count as wrong: {first_failed} and {second_failed}")
    compared = [
        replace(run, label=label, tasks=tuple(task for task in run.tasks if task.task in common))
        for runs, label in zip(sides, labels, strict=True)
        for run in runs
    ]
    return compared, distinct(notes)
