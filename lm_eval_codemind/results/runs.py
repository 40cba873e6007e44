"""Runs of the harness, read from its result and sample files."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families.view import View
from lm_eval_codemind.families.views import view_of
from lm_eval_codemind.harness.models import checks_the_suite, replays
from lm_eval_codemind.harness.result_files import date_of, read_results, read_samples, result_files, samples_file
from lm_eval_codemind.questions import Answer
from lm_eval_codemind.samples import Metric, Sample, TaskRun, prompt_as_sent, response_text

logger = logging.getLogger(__name__)

# The names of this suite's tasks start so. Tasks of users are recognised by their metadata.
_PREFIX = "codemind_"


@dataclass(frozen=True)
class Group:
    """A group of tasks that the harness aggregated, and its metrics under the main filter of its tasks."""

    name: str
    tasks: tuple[str, ...]
    metrics: Mapping[str, float]


@dataclass(frozen=True)
class Run:
    """One run of the harness: one model on one or more tasks of the suite, and the whole result file.

    The label is the model's name, made unique among the runs that were read together.
    """

    path: Path
    label: str
    model: str
    tasks: tuple[TaskRun, ...]
    raw: Mapping[str, Any] = field(repr=False)

    @property
    def config(self) -> Mapping[str, Any]:
        """What the harness records of the arguments of the run."""
        config: Mapping[str, Any] = self.raw.get("config", {})
        return config

    @cached_property
    def known_tasks(self) -> tuple[tuple[TaskRun, View], ...]:
        """The tasks whose results have a view, each with it."""
        return tuple((task, view) for task in self.tasks if (view := view_of(task)) is not None)

    @cached_property
    def recorded(self) -> bool:
        """Whether the responses were recorded elsewhere and replayed, so that the prompts are not known here."""
        return replays(model_source(self.raw))

    @cached_property
    def date(self) -> str:
        """When the run ended, as in the file's name: ``2026-01-31T12-00-00.000000``."""
        return date_of(self.path)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The groups of this suite's tasks, with the metrics that the harness gives them."""
        groups = []
        for name, members in self.raw.get("group_subtasks", {}).items():
            tasks = [task for task in self.tasks if task.task in members]
            if tasks and len(tasks) == len(members):
                metrics = tuple(_metrics(self.raw["results"].get(name, {})))
                main = replace(tasks[0], metrics=metrics).main_metrics
                groups.append(Group(name, tuple(members), {key: metric.value for key, metric in main.items()}))
        return tuple(groups)

    def task(self, name: str) -> TaskRun | None:
        """Return the task of that name, or None."""
        return next((task for task in self.tasks if task.task == name), None)


def read_runs(paths: Iterable[Path]) -> list[Run]:
    """Read the runs under some paths.

    Args:
        paths: Result files of the harness, or directories that are searched for them at any depth.

    Returns:
        The runs, ordered by path within each argument, with labels unique among them: the model's name, or with the
        run's date appended where two runs of a model share a task. A file found twice is read once, and so is a run
        of which there are copies.

    Raises:
        UserError: If a path does not exist, there is no result file with a task of this suite, or a file is damaged.
            The message names the path and how to fix it.
    """
    files: dict[Path, None] = {}
    for path in paths:
        files.update(dict.fromkeys(result_files(path)))
    runs = [run for file in files if (run := _read_run(file)) is not None]
    if not runs:
        listed = ", ".join(map(str, files))
        raise UserError(f"no task of this suite ({_PREFIX}…) in {listed}; run one with `codemind run` or `lm_eval`")
    return _with_labels(_each_once(runs))


def require_scores(runs: Iterable[Run]) -> None:
    """Check that some runs have a score.

    Raises:
        UserError: If all of them were made with ``--predict_only``. The message names their files.
    """
    tasks = [(run, task) for run in runs for task in run.tasks]
    if all(task.predicted_only for _, task in tasks):
        listed = ", ".join(dict.fromkeys(str(run.path) for run, _ in tasks))
        raise UserError(
            f"{listed}: no score to report, because of --predict_only; run it again without this option, or score its "
            "samples: codemind score --responses FILE --tasks TASK"
        )


def _read_run(file: Path) -> Run | None:
    raw = read_results(file)
    source = model_source(raw)
    tasks = []
    for name, values in raw["results"].items():
        # Groups have results, but no configuration.
        if name not in raw["configs"]:
            continue
        numbers = raw.get("n-samples", {}).get(name, {})
        task = TaskRun(
            task=name,
            config=raw["configs"][name],
            metrics=tuple(_metrics(values)),
            original=int(numbers.get("original", 0)),
            effective=int(numbers.get("effective", 0)),
            samples_file=samples_file(file, name),
            read=partial(read_samples, convert=partial(_sample, recorded=replays(source))),
        )
        # Results of other tasks in the same run are left alone.
        if name.startswith(_PREFIX) or task.suite:
            _require_samples(task)
            tasks.append(task)
    if not tasks:
        logger.info("%s: no task of this suite in it", file)
        return None
    # The harness invents a name for a model that has none in its arguments.
    reference = source == "dummy" or (checks_the_suite(source) and not replays(source))
    model = source if reference else str(raw.get("model_name") or source or "model")
    return Run(path=file, label=model, model=model, tasks=tuple(tasks), raw=raw)


def _require_samples(task: TaskRun) -> None:
    if task.samples_file and task.effective and not task.samples_file.stat().st_size:
        raise UserError(f"{task.samples_file} is empty; take it from a backup or run the evaluation again")


def _metrics(values: Mapping[str, Any]) -> Iterator[Metric]:
    for key, value in values.items():
        name, comma, filter_name = key.partition(",")
        if not comma or name.endswith("_stderr") or isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        stderr = values.get(f"{name}_stderr,{filter_name}")
        yield Metric(name, filter_name, float(value), float(stderr) if isinstance(stderr, (int, float)) else None)


def model_source(raw: Mapping[str, Any]) -> str:
    """Return what a result file names as the harness's model, such as ``hf``."""
    return str(raw.get("config", {}).get("model") or raw.get("model_source") or "")


def _sample(raw: Any, recorded: bool) -> Sample:
    arguments = raw["arguments"]
    prompts = [
        prompt_as_sent(request) for request in (arguments.values() if isinstance(arguments, dict) else arguments)
    ]
    return Sample(
        doc=raw["doc"],
        doc_id=int(raw["doc_id"]),
        target=str(raw["target"]),
        prompts=tuple(prompt for prompt, _ in prompts),
        responses=tuple(tuple(map(response_text, resp if isinstance(resp, list) else [resp])) for resp in raw["resps"]),
        answers=_answers(raw["filtered_resps"]),
        filter=str(raw["filter"]),
        scores={name: raw[name] for name in raw["metrics"] if name in raw},
        raw=raw,
        chat=any(chat for _, chat in prompts),
        recorded=recorded,
    )


def _answers(logged: Any) -> tuple[Answer, ...]:
    """Return the answers that the harness logged: a list of repeats, or a list with one such list."""
    return tuple(map(Answer.from_json, logged[0] if len(logged) == 1 and isinstance(logged[0], list) else logged))


def _each_once(runs: list[Run]) -> list[Run]:
    """Return the runs without copies: of runs with the same date and results the one with the most sample files."""
    kept: list[Run] = []
    for run in runs:
        place = next((i for i, one in enumerate(kept) if (one.date, one.raw) == (run.date, run.raw)), None)
        if place is None:
            kept.append(run)
        elif _sample_files(run) > _sample_files(kept[place]):
            kept[place] = run
    return kept


def _sample_files(run: Run) -> int:
    return sum(task.samples_file is not None for task in run.tasks)


def _with_labels(runs: list[Run]) -> list[Run]:
    labelled = []
    for run in runs:
        tasks = {task.task for task in run.tasks}
        clash = any(
            other is not run and other.model == run.model and tasks & {task.task for task in other.tasks}
            for other in runs
        )
        label = f"{run.model} @ {run.date}" if clash else run.model
        labelled.append(replace(run, label=label))
    return labelled
