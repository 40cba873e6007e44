"""Tracing of a Python program's execution: its lines, its frames and the values of its variables.

``trace`` runs a program in the sandbox and returns a :class:`Trace`.
"""

from lm_eval_codemind.languages.python.tracing.run import TraceFailed, trace
from lm_eval_codemind.languages.python.tracing.trace import Step, Trace, Value

__all__ = ["Step", "Trace", "TraceFailed", "Value", "trace"]
