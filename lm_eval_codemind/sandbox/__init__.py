"""The sandbox: runs programs a model wrote, and says what came of each.

with Sandbox() as sandbox:
    outcomes = sandbox.run([Job.function(program, tests, "add")])

A module of it is imported when one of its names is used: who only reads outcomes starts no machinery.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lm_eval_codemind.sandbox.isolation import Isolation, IsolationUnavailable
    from lm_eval_codemind.sandbox.job import CaseOutcome, Job, Limits, Outcome, ScriptCase, Status
    from lm_eval_codemind.sandbox.sandbox import Sandbox, SharedPool, shared_sandbox
    from lm_eval_codemind.sandbox.unit import StartFailed
    from lm_eval_codemind.sandbox.visible import hide
    from lm_eval_codemind.sandbox.workers import SandboxClosed

_PLACES = {
    **dict.fromkeys(("CaseOutcome", "Job", "Limits", "Outcome", "ScriptCase", "Status"), "job"),
    **dict.fromkeys(("Isolation", "IsolationUnavailable"), "isolation"),
    **dict.fromkeys(("Sandbox", "SharedPool", "shared_sandbox"), "sandbox"),
    "SandboxClosed": "workers",
    "StartFailed": "unit",
    "hide": "visible",
}

__all__ = [
    "CaseOutcome",
    "Isolation",
    "IsolationUnavailable",
    "Job",
    "Limits",
    "Outcome",
    "Sandbox",
    "SandboxClosed",
    "ScriptCase",
    "SharedPool",
    "StartFailed",
    "Status",
    "hide",
    "shared_sandbox",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
