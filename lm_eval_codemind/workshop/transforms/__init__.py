"""C to C+: rules that make a program more complex without changing what it means, and the composer that draws them."""

from lm_eval_codemind.languages.python.unparse import UnsupportedSyntaxError, unparse
from lm_eval_codemind.workshop.transforms.composer import (
    GROUPS,
    RULES,
    RecipeError,
    Step,
    compose,
    compose_verified,
    recreate,
)
from lm_eval_codemind.workshop.transforms.program import Program

__all__ = [
    "GROUPS",
    "RULES",
    "Program",
    "RecipeError",
    "Step",
    "UnsupportedSyntaxError",
    "compose",
    "compose_verified",
    "recreate",
    "unparse",
]
