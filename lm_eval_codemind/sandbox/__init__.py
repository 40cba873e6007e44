"""The sandbox: runs programs a model wrote, and says what came of each.

with Sandbox() as sandbox:
    outcomes = sandbox.run([Job.function(program, tests, "add")])
"""

from lm_eval_codemind.sandbox.isolation import Isolation, IsolationUnavailable
from lm_eval_codemind.sandbox.job import CaseOutcome, Job, Limits, Outcome, ScriptCase, Status
from lm_eval_codemind.sandbox.sandbox import Sandbox, SeededPool, SharedPool, shared_sandbox
from lm_eval_codemind.sandbox.unit import StartFailed
from lm_eval_codemind.sandbox.visible import hide
from lm_eval_codemind.sandbox.workers import SandboxClosed

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
    "SeededPool",
    "SharedPool",
    "StartFailed",
    "Status",
    "hide",
    "shared_sandbox",
]
