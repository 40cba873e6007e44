"""The sandbox: runs programs a model wrote, and says what came of each.

with Sandbox() as sandbox:
    outcomes = sandbox.run([Job.function(program, tests, "add")])
"""

from lm_eval_codemind.execution.isolation import Isolation, IsolationUnavailable
from lm_eval_codemind.execution.job import CaseOutcome, Job, Limits, Outcome, ScriptCase, Status
from lm_eval_codemind.execution.sandbox import Sandbox, SeededPool, SharedPool, shared_sandbox
from lm_eval_codemind.execution.unit import StartFailed
from lm_eval_codemind.execution.workers import SandboxClosed

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
    "shared_sandbox",
]
