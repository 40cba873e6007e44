"""Java: programs read out of responses, and measured, on the syntax tree of tree-sitter's grammar.

What executes them is :mod:`lm_eval_codemind.execution.java`.
"""

from lm_eval_codemind.languages.java.code import Code, code, splice
from lm_eval_codemind.languages.java.measures import measure
from lm_eval_codemind.languages.java.normal import lines, normal_form

name = "java"
fence = "java"

__all__ = ["Code", "code", "fence", "lines", "measure", "name", "normal_form", "splice"]
