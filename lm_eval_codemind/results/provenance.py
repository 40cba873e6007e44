"""What a run's numbers depend on, as the run recorded it."""

from __future__ import annotations

import json
from typing import Any

from lm_eval_codemind.results.runs import Run


def facts(run: Run) -> list[tuple[str, str]]:
    """Return what a run records about itself, as pairs of a name and a text; what it does not record is left out."""
    raw = run.raw
    config = raw.get("config", {})
    found: list[tuple[str, Any]] = [
        ("model", run.model),
        ("backend", raw.get("model_source") or config.get("model")),
        ("model arguments", config.get("model_args")),
        ("generation arguments", config.get("gen_kwargs")),
        ("limit", config.get("limit")),
        ("lm-eval", raw.get("lm_eval_version")),
        ("transformers", raw.get("transformers_version")),
        ("chat template SHA", raw.get("chat_template_sha")),
        ("system instruction SHA", raw.get("system_instruction_sha")),
        ("few-shot as multiturn", raw.get("fewshot_as_multiturn")),
        ("date", run.date),
        ("file", run.path.name),
        ("passes that are not tamper-proof", _unproven(run)),
    ]
    for task in run.tasks:
        decoding = task.config.get("generation_kwargs")
        found.append(
            (
                task.task,
                {
                    "metadata": dict(task.metadata),
                    "num_fewshot": task.config.get("num_fewshot"),
                    "generation_kwargs": decoding,
                    "problems": f"{task.effective} of {task.original}",
                },
            )
        )
    return [(name, _text(value)) for name, value in found if value not in (None, "", {}, "N/A")]


def _unproven(run: Run) -> str:
    """Return how many passes of a run are not tamper-proof, in words; an empty text if it counts none."""
    results = run.raw.get("results", {})
    counted = [
        value
        for task in run.tasks
        for metric, value in results.get(task.task, {}).items()
        if metric.startswith("unproven_passes,") and isinstance(value, int | float)
    ]
    if not counted:
        return ""
    return (
        f"{sum(counted):g}: their tests need more of the program than plain data, so they ran in its own process, "
        "where the program could have changed the verdict"
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
