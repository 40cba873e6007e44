"""Tracing of a Python program's execution: its lines, its frames and the values of its variables.

``trace`` runs a program in the sandbox and returns a :class:`Trace`; ``runs`` says of one line each time that it ran.
"""

from lm_eval_codemind.languages.python.tracing.run import Traced, TraceFailed, submit, trace
from lm_eval_codemind.languages.python.tracing.trace import LineRun, Step, Trace, Value, line_of, runs

__all__ = ["LineRun", "Step", "Trace", "TraceFailed", "Traced", "Value", "line_of", "runs", "submit", "trace"]
