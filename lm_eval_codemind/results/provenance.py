"""The recorded conditions that the numbers of runs depend on."""

import json
import math
from collections.abc import Sequence
from typing import Any

from lm_eval_codemind.families.table import Table, described
from lm_eval_codemind.harness.provenance import prompts_sent
from lm_eval_codemind.results.runs import Run
from lm_eval_codemind.samples import TaskRun

READINGS = ("failed", "empty", "no_answer", "malformed", "unfinished", "unfinished_opened", "cut")
"""Kinds of responses that hold no answer; the endpoint's faults first."""

_NONE = "–"  # noqa: RUF001


def provenance(runs: Sequence[Run]) -> list[Table]:
    """Return tables of the runs, their tasks, how their responses were read, and the lengths of the responses."""
    return [_runs(runs), _tasks(runs), _readings(runs), _lengths(runs)]


def _runs(runs: Sequence[Run]) -> Table:
    rows = []
    for run in runs:
        raw, config = run.raw, run.config
        backend = "logged outputs" if run.recorded else raw.get("model_source") or config.get("model")
        chat = raw.get("chat_template_sha")
        rows.append(
            {
                "model": run.label,
                "date": f"{run.date[:10]} {run.date[11:16].replace('-', ':')}",
                "suite": ", ".join(dict.fromkeys(text_of(task.suite.get("version")) for task in run.tasks)),
                "lm_eval": text_of(raw.get("lm_eval_version")),
                "backend": text_of(backend),
                "model_args": text_of(config.get("model_args")),
                "gen_kwargs": text_of(config.get("gen_kwargs")),
                "limit": text_of(config.get("limit")),
                "chat_template": chat[:12] if chat else _NONE,
                "system_instruction": text_of(raw.get("system_instruction")),
                "unproven_passes": _unproven(run),
                "file": run.path.name,
            }
        )
    return described("runs", rows)


def _tasks(runs: Sequence[Run]) -> Table:
    rows = [
        {
            "model": run.label,
            "task": task.task,
            "version": text_of(task.version),
            "documents": f"{task.effective} of {task.original}",
            "num_fewshot": text_of(task.config.get("num_fewshot")),
            "generation": generation(task),
            "options": text_of(task.suite.get("options")),
            "prompts_by": prompts_sent(task.suite),
            "data": str(task.suite.get("data_sha256", _NONE))[:12],
            "prompts": str(task.suite.get("prompts_sha256", task.suite.get("prompts", _NONE)))[:12],
        }
        for run in runs
        for task in run.tasks
    ]
    return described("tasks", rows)


def _readings(runs: Sequence[Run]) -> Table:
    rows = [
        {
            "model": run.label,
            "task": task.task,
            "responses": counts["responses"],
            **{name: counts.get(name, math.nan) / counts["responses"] for name in READINGS},
        }
        for run in runs
        for task in run.tasks
        if (counts := task.suite.get("readings"))
    ]
    return described("readings", rows)


def _lengths(runs: Sequence[Run]) -> Table:
    rows = [
        {
            "model": run.label,
            "task": task.task,
            "responses": lengths["responses"],
            "characters": lengths["characters"] / lengths["responses"],
            "longest": lengths["longest"],
            "tokens": lengths.get("tokens", math.nan) / lengths["responses"],
        }
        for run in runs
        for task in run.tasks
        if (lengths := task.suite.get("response_lengths"))
    ]
    return described("lengths", rows)


def effort(runs: Sequence[Run], task: str | None = None) -> dict[str, float]:
    """Return what the runs of a model, or one task in them, took; NaN where a run does not record it.

    The harness measures the time of whole runs only, and the number of parameters of models that it loads.
    """
    tasks = [entry for run in runs for entry in run.tasks if task in (None, entry.task)]
    lengths = [entry.suite.get("response_lengths", {}) for entry in tasks]
    times = [math.nan if run.recorded else run.raw.get("total_evaluation_time_seconds", math.nan) for run in runs]
    size = max(run.config.get("model_num_parameters") or 0 for run in runs)
    return {
        "Requests": sum(counts.get("responses", math.nan) for counts in lengths),
        "Output tokens": sum(counts.get("tokens", math.nan) for counts in lengths),
        **({} if task else {"Hours": sum(map(float, times)) / 3600}),
        "Billion parameters": size / 1e9 if size > 0 else math.nan,
    }


def _unproven(run: Run) -> float:
    counts = [metric.value for task in run.tasks if (metric := task.main_metrics.get("unproven_passes"))]
    return sum(counts) if counts else math.nan


def generation(task: TaskRun) -> str:
    """Return the arguments of generation but the stop sequences, as a text for readers."""
    arguments = task.config.get("generation_kwargs") or {}
    return text_of({name: value for name, value in arguments.items() if name != "until"})


def text_of(value: Any) -> str:
    """Return a recorded value as a text for readers; a dash if there is none."""
    if isinstance(value, dict):
        return ", ".join(f"{name}={text_of(part)}" for name, part in value.items() if part is not None) or _NONE
    if value in (None, "", [], "N/A"):
        return _NONE
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
