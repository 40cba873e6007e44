"""The conditions for submitting a run, and the files of a submission. Nothing is sent anywhere."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from typing import Any

import yaml

from lm_eval_codemind.data.catalogue import benchmarks
from lm_eval_codemind.errors import shortened
from lm_eval_codemind.families.table import csv_text
from lm_eval_codemind.families.view import View
from lm_eval_codemind.families.views import view_of
from lm_eval_codemind.harness.models import checks_the_suite
from lm_eval_codemind.harness.profiles import PROFILES
from lm_eval_codemind.harness.provenance import templates_of
from lm_eval_codemind.harness.stages import model_args
from lm_eval_codemind.results.runs import Run, model_source
from lm_eval_codemind.results.settings import form_of_prompts
from lm_eval_codemind.results.verification import Verification
from lm_eval_codemind.samples import TaskRun

# Columns of the table behind the CodeMind authors' leaderboard.
LEADERBOARD_COLUMNS = (
    "Dataset",
    "Task",
    "Gtask",
    "Model",
    "RIER",
    "RDER",
    "Pass1",
    "WithTest",
    "NoTest",
    "MisleadingTest",
    "src",
    "tgt",
)

_MODEL = re.compile(r"[\w.-]+/[\w.-]+")
# Parts of a task's configuration that say nothing about how it was run.
_NO_SETTINGS = ("metadata", "task", "tag", "group")
_REASONS_OF_ONE_KIND = 5
# The share of a task's requests that may fail.
_MOST_FAILED = 0.05


@dataclass(frozen=True)
class Submission:
    """The data of a submission in addition to the run, as the options of ``codemind submit`` describe them."""

    model: str
    dataset: str
    model_was: str | None = None
    revision: str | None = None
    source_url: str | None = None
    source_name: str | None = None
    user: str | None = None
    org: str | None = None
    notes: str | None = None
    recorded: bool = False


def reasons_against(
    run: Run, again: Run, verification: Verification, submission: Submission, digests: Mapping[str, str]
) -> list[str]:
    """Return all reasons why a run may not be submitted; empty if it may.

    A run may be submitted if it is complete and unlimited, was made with the tasks' own settings on the released data
    by this release, decoded greedily or by a profile, and rescores to the same.

    Args:
        run: The run.
        again: Its responses rescored here: made with the tasks' own settings by this release.
        verification: The comparison of the two.
        submission: What is submitted with it.
        digests: Those of the released data by file, see :func:`~lm_eval_codemind.data.manifest.released_digests`.
    """
    reasons = []
    for what, name in (("model", submission.model), ("dataset", submission.dataset)):
        if not _MODEL.fullmatch(name):
            reasons.append(f"--{what} {name}: must be ORG/NAME, as on the Hub")
    reasons += model_reasons(run, submission.model, submission.model_was)
    if run.recorded and not submission.recorded:
        reasons.append(
            "the responses were recorded elsewhere and replayed, so the prompts need not be those of this suite; add "
            "--recorded to submit them as recorded responses"
        )
    if submission.source_url is None and (submission.source_name or submission.user or submission.org):
        reasons.append("--source-name, --user and --org go with --source-url, which is missing")
    limit = run.config.get("limit")
    if limit is not None:
        reasons.append(f"limited: run with --limit {limit}; run it without")
    if run.raw.get("system_instruction"):
        reasons.append("not the default settings: a system instruction was given")
    for task in run.tasks:
        against = _reasons_against_task(task, again.task(task.task), digests, limit is not None)
        reasons += [f"{task.task}: {reason}" for reason in against]
    if not verification.equal:
        examples = [str(difference) for difference in verification.differences[:_REASONS_OF_ONE_KIND]]
        more = len(verification.differences) - len(examples)
        reasons += [f"rescoring differs: {text}" for text in examples]
        if more:
            reasons.append(f"rescoring differs in {more} more places; `codemind verify` lists them")
    reasons += [f"not verifiable: {note}" for note in verification.notes]
    return reasons


def model_reasons(run: Run, model: str, model_was: str | None) -> list[str]:
    """Return the reasons why a run may not be shown under a model's name; empty if it may.

    The oracle and the null model check the suite. A name other than the run's own requires the run's own as well.
    """
    source = model_source(run.raw)
    if run.recorded:
        # Without a model's name the harness invents one.
        if not model_args(run.raw).get("model"):
            return [
                "the responses were replayed, and the run does not say which model gave them; score them with "
                "`codemind score`, from rows that name it"
            ]
    elif checks_the_suite(source):
        return [f"made with {source}, which only checks the suite"]
    if checks_the_suite(run.model):
        return [f"the responses are those of {run.model}, which only checks the suite"]
    if model_was is None and model != run.model:
        return [
            f"--model {model}: the run's model is {run.model}; if that is the same model, add --model-was {run.model}"
        ]
    if model_was is not None and model_was != run.model:
        return [f"--model-was {model_was}: the run's model is {run.model}"]
    return []


def _reasons_against_task(
    task: TaskRun, again: TaskRun | None, digests: Mapping[str, str], limited: bool
) -> Iterator[str]:
    view = view_of(task)
    if view is None or not view.variant.submittable:
        yield "results of this task are not submitted; leave it out of the run"
        return
    if again is None:
        yield "no samples; run it with --log_samples"
        return
    yield from view.reasons_against(task)
    if task.effective < task.original and not limited:
        yield f"incomplete: {task.effective} of {task.original} problems"
    suite, current = task.suite, again.suite
    counts = suite.get("readings") or {}
    if counts.get("failed", 0) > _MOST_FAILED * counts.get("responses", 0):
        yield (
            f"{counts['failed']} of {counts['responses']} requests failed, at most {_MOST_FAILED:.0%} may; run "
            "it again: with --use_cache only these are sent"
        )
    yield from _other_settings(task, again)
    versions, expected = ((one.suite.get("version"), one.version) for one in (task, again))
    if versions != expected:
        yield (
            f"outdated: made by release {versions[0]} (task version {versions[1]}), "
            f"this is {expected[0]} (task version {expected[1]})"
        )
    place, digest = templates_of(suite)
    if digest != templates_of(current)[1]:
        yield f"not the default settings: prompts from other templates ({place})"
    recorded = {task.benchmark: suite.get("data_sha256"), **suite.get("beside_sha256", {})}
    known = benchmarks().get(task.benchmark)
    pinned = known is None or all(archive.pinned for archive in known.archives)
    for file, sha256 in recorded.items():
        # Nothing was released of data without a pinned revision: the notes of the submission have its digest.
        if sha256 != digests.get(file) and (pinned or file in digests):
            yield f"unknown data: SHA-256 of {file} is {sha256}, released is {digests.get(file)}"


def _other_settings(task: TaskRun, again: TaskRun) -> Iterator[str]:
    """Yield the settings of a task that are neither its own nor those of the profile that the run names."""
    profile = PROFILES.get(str(task.suite.get("profile")))
    usual = profile.applied(again.config) if profile else again.config
    for key in dict.fromkeys([*task.config, *usual]):
        there, here = task.config.get(key), usual.get(key)
        if key not in _NO_SETTINGS and _comparable(there) != _comparable(here):
            texts = shortened(str(there), 100), shortened(str(here), 100)
            yield f"not the default settings: {key} is {texts[0]}, by default {texts[1]}"
    decoding = task.config.get("generation_kwargs") or {}
    if profile is None and (decoding.get("do_sample") or float(decoding.get("temperature") or 0) > 0):
        shown = shortened(str(decoding), 100)
        yield f"sampled: {shown}; only greedy decoding and runs with --profile are submitted"


def eval_results(run: Run, submission: Submission) -> list[dict[str, Any]]:
    """Return the entries of the Hub's ``.eval_results/codemind.yaml`` in the model's repository.

    Format: https://huggingface.co/docs/hub/eval-results. One entry for each task, with its R score as a share of 1.
    """
    entries = []
    for task, view, value in _scores(run):
        dataset: dict[str, Any] = {"id": submission.dataset, "task_id": task.task}
        if submission.revision:
            dataset["revision"] = submission.revision
        entry: dict[str, Any] = {"dataset": dataset, "value": value}
        if run.date:
            entry["date"] = iso_date(run)
        if submission.source_url:
            fields = {"name": submission.source_name, "user": submission.user, "org": submission.org}
            entry["source"] = {"url": submission.source_url, **{key: text for key, text in fields.items() if text}}
        entry["notes"] = _notes(run, task, view, submission)
        entries.append(entry)
    return entries


def leaderboard_rows(run: Run, submission: Submission) -> list[dict[str, str]]:
    """Return rows for the CodeMind authors' leaderboard, with scores in per cent; other columns are empty.

    It has columns for IER, SR and DER, and for the languages of a translation. Other families and benchmarks are left
    out.
    """
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for task, view, _ in _scores(run):
        benchmark = benchmarks().get(task.benchmark)
        columns = view.leaderboard(task)
        if benchmark is None or benchmark.packaged or not columns:
            continue
        # The settings of specification reasoning are columns of one row.
        place = view.leaderboard_row(task, benchmark)
        row = rows.setdefault(tuple(place.values()), dict.fromkeys(LEADERBOARD_COLUMNS, ""))
        row |= {**place, "Model": submission.model}
        row |= {column: f"{100 * value:.2f}" for column, value in columns.items()}
    return list(rows.values())


def leaderboard_csv(rows: Sequence[Mapping[str, str]]) -> str:
    """Return rows for the authors' leaderboard as CSV with its header."""
    return csv_text(LEADERBOARD_COLUMNS, ([row[column] for column in LEADERBOARD_COLUMNS] for row in rows))


def description(run: Run, submission: Submission) -> dict[str, Any]:
    """Return the description of a bundle: the model, the scores and what they depend on, as plain values."""
    return {
        "model": submission.model,
        "model_was": submission.model_was,
        "recorded": run.recorded,
        "dataset": submission.dataset,
        "date": iso_date(run),
        "source_url": submission.source_url,
        "results": run.path.name,
        "scores": {task.task: {view.metric: value} for task, view, value in _scores(run)},
        "suite": {task.task: {k: v for k, v in task.suite.items() if k != "responses"} for task in run.tasks},
        "lm_eval": run.raw.get("lm_eval_version"),
    }


def to_yaml(content: Any) -> str:
    """Return plain values as YAML, keys in their order."""
    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100))


def iso_date(run: Run) -> str:
    """Return when a run ended as an ISO 8601 date and time, from its file's name."""
    return datetime.strptime(run.date.partition(".")[0], "%Y-%m-%dT%H-%M-%S").isoformat()


def _scores(run: Run) -> list[tuple[TaskRun, View, float]]:
    # A score that is not defined is not published.
    return [
        (task, view, metric.value)
        for task, view in run.known_tasks
        if view.variant.submittable and (metric := task.main_metrics.get(view.metric)) and not isnan(metric.value)
    ]


def _notes(run: Run, task: TaskRun, view: View, submission: Submission) -> str:
    suite = task.suite
    parts = [
        f"{view.metric} of lm-eval-codemind {suite.get('version')} with lm-eval {run.raw.get('lm_eval_version')}",
        _decoding(suite),
        f"{task.config.get('num_fewshot')} few-shot examples",
        form_of_prompts(run, task),
        *(f"{name} {value}" for name, value in (suite.get("options") or {}).items()),
        f"data SHA-256 {suite.get('data_sha256')}",
    ]
    if submission.model_was not in (None, submission.model):
        parts.append(f"run as {submission.model_was}")
    return "; ".join([*parts, *([submission.notes] if submission.notes else [])])


def _decoding(suite: Mapping[str, Any]) -> str:
    profile = PROFILES.get(str(suite.get("profile")))
    if profile is None:
        return "greedy"
    drawn = ", ".join(f"{name} {value}" for name, value in profile.generation.items())
    return f"sampled by profile {profile.name} ({drawn}), mean over {profile.repeats} responses to a question"


def _comparable(setting: Any) -> str:
    """Return a setting as text, without the addresses in memory that the harness writes for functions."""
    return re.sub(r" at 0x[0-9a-f]+", "", json.dumps(setting, sort_keys=True, default=str))
