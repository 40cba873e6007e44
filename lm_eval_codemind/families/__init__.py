"""The families of tasks, one module each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lm_eval_codemind.plugins import registered
from lm_eval_codemind.questions import Family
from lm_eval_codemind.questions.samples import TaskRun

__all__ = ["families", "family_of", "short_name"]

# In the order in which results show them.
_PACKAGED = tuple(
    f"lm_eval_codemind.families.{place}"
    for place in (
        "ier:IER",
        "sr:SR",
        "dsr:DSR",
        "input:INPUT_PREDICTION",
        "der:DER",
        "repair:REPAIR",
        "ier:DIRECT_IER",
        "ier:BUGGY_IER",
        "dsr:BUGGY_DSR",
        "input:DIRECT_INPUT",
        "ier:PUBLISHED_IER",
        "unrolled:UNROLLED",
        "sr:MISLEADING_SR",
        "translation:TRANSLATION",
        "translation:MISLEADING_TRANSLATION",
        "dsr:PUBLISHED_DSR",
        "repair:DIRECT_REPAIR",
        "runtime:RUNTIME",
        "runtime:DIRECT_RUNTIME",
        "runtime:PUBLISHED_RUNTIME",
    )
)


def families() -> Mapping[str, Family]:
    """Return the families by name: this package's, and those that other packages bring."""
    return registered("families", _PACKAGED)


def family_of(task: TaskRun) -> Family | None:
    """Return the family that a task belongs to, as its results record it; None for tasks of no family.

    Results of release 0.1 do not record it: there the task's name tells, by the longest name of a family in it.
    """
    recorded = task.suite.get("family")
    if recorded:
        return families().get(str(recorded))
    owners = [family for family in families().values() if task.task.startswith(f"codemind_{family.name}_")]
    return max(owners, key=lambda family: len(family.name), default=None)


def short_name(task: str, family: Family, suite: Mapping[str, Any]) -> str:
    """Return what a task of a family is called among its like: its name without the family's, else its benchmark.

    Args:
        task: The task's name.
        family: Its family.
        suite: What its results record.
    """
    prefix = f"codemind_{family.name}_"
    return task.removeprefix(prefix) if task.startswith(prefix) else str(suite.get("benchmark") or task)
