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


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
