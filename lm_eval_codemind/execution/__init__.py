"""The sandbox: runs programs a model wrote, and says what came of each.

with Sandbox() as sandbox:
    outcomes = sandbox.run([Job.function(program, tests, "add")])
"""

from lm_eval_codemind.execution.job import Case, Job, Limits
from lm_eval_codemind.execution.outcome import Observation, Outcome, Status
from lm_eval_codemind.execution.sandbox import Sandbox, SandboxClosed, shared_sandbox

__all__ = [
    "Case",
    "Job",
    "Limits",
    "Observation",
    "Outcome",
    "Sandbox",
    "SandboxClosed",
    "Status",
    "shared_sandbox",
]
